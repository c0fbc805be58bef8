import type { Step } from './step.ts'

const tenantId = '{{newTenantId}}'

export const steps: readonly Step[] = [
  {
    operation: 'provision_tenant',
    input: {
      name: 'Walk {{run}}',
      subDomain: 'walk-{{run}}',
      initialAdmin: { email: 'admin-{{run}}@example.com', userName: 'admin-{{run}}' },
    },
    keeps: { newTenantId: 'answer.tenantId' },
  },
  { operation: 'list_tenants', input: { search: 'Walk {{run}}' } },
  { operation: 'get_tenant', input: { tenantId } },
  { operation: 'set_sign_in_policy', input: { tenantId, secondFactor: 'administrators', factors: ['passkey', 'totp'], apps: 'any' } },
  { operation: 'get_sign_in_policy', input: { tenantId } },
  { operation: 'suspend_tenant', input: { tenantId } },
  { operation: 'activate_tenant', input: { tenantId } },
  { operation: 'list_audit_events', input: { operation: 'provision_tenant', pageSize: 5 } },
  { operation: 'export_audit_events', input: { format: 'csv', operation: 'provision_tenant' } },
]
