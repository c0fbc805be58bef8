import type { Domain } from '#platform/operation.ts'

import { activateTenant } from './activate-tenant.ts'
import { exportAuditEvents } from './audit/export-audit-events.ts'
import { listAuditEvents } from './audit/list-audit-events.ts'
import { getSignInPolicy } from './get-sign-in-policy.ts'
import { getTenant } from './get-tenant.ts'
import { listTenants } from './list-tenants.ts'
import { provisionTenant } from './provision-tenant.ts'
import { setSignInPolicy } from './set-sign-in-policy.ts'
import { suspendTenant } from './suspend-tenant.ts'
import { tenantsPhrases } from './tenants.phrases.ts'

export const tenantsDomain: Domain = {
  name: 'tenants',
  title: 'Tenants',
  summary: 'The organisations of an installation: provision, read, suspend and activate them; and who did what in them.',
  operations: [
    provisionTenant,
    listTenants,
    getTenant,
    suspendTenant,
    activateTenant,
    listAuditEvents,
    exportAuditEvents,
    getSignInPolicy,
    setSignInPolicy,
  ],
  phrases: tenantsPhrases,
}
