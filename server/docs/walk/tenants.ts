import type { Step } from './step.ts'

const tenantId = '{{newTenantId}}'
/** A picture of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const steps: readonly Step[] = [
  {
    operation: 'provision_tenant',
    input: {
      name: 'Walk {{run}}',
      subDomain: 'walk-{{run}}',
      initialAdmin: { email: 'admin-{{run}}@example.com', userName: 'admin-{{run}}' },
    },
    keeps: { newTenantId: 'answer.tenantId', newAdministratorId: 'answer.initialAdmin.tenantUserId' },
  },
  { operation: 'list_tenants', input: { search: 'Walk {{run}}' } },
  { operation: 'get_tenant', input: { tenantId } },
  { operation: 'set_sign_in_policy', input: { tenantId, secondFactor: 'administrators', factors: ['passkey', 'totp'], apps: 'any' } },
  { operation: 'get_sign_in_policy', input: { tenantId } },
  { operation: 'set_identity_provider', input: { tenantId, issuer: null } },
  { operation: 'get_identity_provider', input: { tenantId } },
  { operation: 'suspend_tenant', input: { tenantId } },
  { operation: 'export_tenant', input: { tenantId } },
  { operation: 'delete_tenant', input: { tenantId, confirmation: 'Walk {{run}}' } },
  { operation: 'activate_tenant', input: { tenantId } },
  { operation: 'set_tenant_theme', input: { tenantId, '--theme-primary': '#17624a' } },
  { operation: 'set_tenant_branding_image', input: { tenantId, kind: 'favicon', base64: dot } },
  { operation: 'get_tenant_branding', input: { tenantId } },
  { operation: 'get_public_branding', input: {} },
  { operation: 'list_email_templates', input: { tenantId } },
  { operation: 'clone_email_template', input: { tenantId, templateType: 'invitation', languageCode: 'en-US' } },
  {
    operation: 'save_email_template',
    input: { tenantId, templateType: 'welcome', languageCode: 'en-US', subject: 'Welcome', body: 'Hello [[recipient]]' },
  },
  { operation: 'preview_email_template', input: { tenantId, templateType: 'welcome' } },
  {
    operation: 'send_tenant_email',
    input: { tenantId, tenantUserIds: ['{{#newAdministratorId}}'], subject: 'Maintenance on Sunday', body: 'Hello [[recipient]]' },
  },
  { operation: 'update_tenant', input: { tenantId, description: 'Made by the walk' } },
  { operation: 'set_tenant_language', input: { tenantId, languageCode: 'es-ES', isDefault: true } },
  { operation: 'list_tenant_languages', input: { tenantId } },
  { operation: 'set_tenant_limits', input: { tenantId, records: 100_000 } },
  { operation: 'get_tenant_usage', input: { tenantId } },
  { operation: 'list_audit_events', input: { operation: 'provision_tenant', pageSize: 5 } },
  { operation: 'export_audit_events', input: { format: 'csv', operation: 'provision_tenant' } },
]
