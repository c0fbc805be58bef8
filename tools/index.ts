/** Every domain, in reading order: what the product can do. */
import type { Domain } from '#platform/operation.ts'
import { instancesDomain } from '#tools/instances/index.ts'

import { actionPacksDomain } from './action-packs/index.ts'
import { assetsDomain } from './assets/index.ts'
import { authDomain } from './auth/index.ts'
import { contextDomain } from './context/index.ts'
import { docsDomain } from './docs/index.ts'
import { entitiesDomain } from './entities/index.ts'
import { eventsDomain } from './events/index.ts'
import { formsDomain } from './forms/index.ts'
import { intelligenceDomain } from './intelligence/index.ts'
import { jobsDomain } from './jobs/index.ts'
import { menuDomain } from './menu/index.ts'
import { messagingDomain } from './messaging/index.ts'
import { propertiesDomain } from './properties/index.ts'
import { accessFloor } from './query/service.ts'
import { reportsDomain } from './reports/index.ts'
import { schemaDomain } from './schema/index.ts'
import { tenantsDomain } from './tenants/index.ts'
import { usersDomain } from './users/index.ts'
import { viewsDomain } from './views/index.ts'
import { workflowsDomain } from './workflows/index.ts'
import { stepTypeVocabulary, taskFloor, triggerTypeVocabulary } from './workflows/service.ts'

export const domains: readonly Domain[] = [
  docsDomain,
  schemaDomain({ stepTypes: stepTypeVocabulary, triggerTypes: triggerTypeVocabulary }),
  propertiesDomain,
  entitiesDomain(accessFloor),
  instancesDomain,
  viewsDomain,
  reportsDomain,
  formsDomain(taskFloor),
  contextDomain,
  workflowsDomain,
  actionPacksDomain,
  menuDomain,
  assetsDomain,
  tenantsDomain,
  usersDomain,
  authDomain,
  messagingDomain,
  eventsDomain,
  jobsDomain,
  intelligenceDomain,
]
