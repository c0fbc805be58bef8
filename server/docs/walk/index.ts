/** The walk of the Postman collection: the folders in the order in which they run, each with its steps. */
import { steps as actionPacks } from './action-packs.ts'
import { steps as assets } from './assets.ts'
import { steps as auth } from './auth.ts'
import { steps as cleanUp } from './clean-up.ts'
import { steps as context } from './context.ts'
import { steps as docs } from './docs.ts'
import { steps as entities } from './entities.ts'
import { steps as events } from './events.ts'
import { steps as forms } from './forms.ts'
import { steps as instances } from './instances.ts'
import { steps as intelligence } from './intelligence.ts'
import { steps as jobs } from './jobs.ts'
import { steps as menu } from './menu.ts'
import { steps as messaging } from './messaging.ts'
import { steps as properties } from './properties.ts'
import { steps as reports } from './reports.ts'
import { steps as schema } from './schema.ts'
import type { Step } from './step.ts'
import { steps as tenants } from './tenants.ts'
import { steps as users } from './users.ts'
import { steps as views } from './views.ts'
import { steps as workflows } from './workflows.ts'

export type { Step } from './step.ts'

/** By the name of the domain. What no folder of an operation's own domain holds has no step yet. */
export const walk: Readonly<Record<string, readonly Step[]>> = {
  docs,
  schema,
  properties,
  entities,
  instances,
  views,
  reports,
  forms,
  context,
  workflows,
  'action-packs': actionPacks,
  menu,
  assets,
  tenants,
  users,
  auth,
  messaging,
  events,
  jobs,
  intelligence,
}

/** Comes last. */
export const cleanUpSteps = cleanUp
