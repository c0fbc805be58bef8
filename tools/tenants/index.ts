import type { Domain } from '#platform/operation.ts'

import { activateTenant } from './activate-tenant.ts'
import { getTenant } from './get-tenant.ts'
import { listTenants } from './list-tenants.ts'
import { provisionTenant } from './provision-tenant.ts'
import { suspendTenant } from './suspend-tenant.ts'
import { tenantsPhrases } from './tenants.phrases.ts'

export const tenantsDomain: Domain = {
  name: 'tenants',
  title: 'Tenants',
  summary: 'The organisations of an installation, for global administrators: provision, read, suspend and activate them.',
  operations: [provisionTenant, listTenants, getTenant, suspendTenant, activateTenant],
  phrases: tenantsPhrases,
}
