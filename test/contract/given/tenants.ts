/** Working calls of the tenant operations: a global administrator's, on the stage's tenant. */
import { randomUUID } from 'node:crypto'

import type { Given, Stage } from '../arrange.ts'

const onBranding =
  (more: Record<string, unknown> = {}) =>
  async ({ tenant }: Stage) => ({ input: { tenantId: tenant.tenantId, ...more }, varying: ['brandName'] })

/** A picture of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const onTenant = async ({ tenant }: Stage) => ({ input: { tenantId: tenant.tenantId }, varying: ['name', 'activeStart'] })

export const given: Given = {
  async provision_tenant({ unique }) {
    const own = randomUUID()
    return {
      input: {
        name: unique('Tenant'),
        subDomain: `t-${own}`,
        host: `${own}.example`,
        initialAdmin: { email: `${own}@example.com`, userName: `admin-${own}` },
        cssJson: { '--theme-primary': '#17624a' },
      },
      varying: ['userName', 'email', 'activeStart'],
    }
  },
  // The list is the installation's, which the other calls of the suite add to; this asks for the stage's own tenant.
  list_tenants: async ({ world, tenant }) => {
    const [row] = await world.sql<{ name: string }[]>`select name from platform.tenant where tenant_id = ${tenant.tenantId}`
    return { input: { search: row?.name }, varying: ['name', 'activeStart'] }
  },
  get_tenant: onTenant,
  suspend_tenant: onTenant,
  activate_tenant: onTenant,
  update_tenant: async ({ tenant, unique }) => ({
    input: { tenantId: tenant.tenantId, name: unique('Renamed'), activeEnd: '9999-12-31T00:00:00Z' },
    varying: ['activeStart'],
  }),
  list_tenant_languages: onTenant,
  set_tenant_language: async ({ tenant }) => ({ input: { tenantId: tenant.tenantId, languageCode: 'de-DE', isDefault: true } }),
  set_tenant_limits: async ({ tenant }) => ({ input: { tenantId: tenant.tenantId, users: 5, bytes: null } }),
  get_tenant_usage: async ({ tenant }) => ({ input: { tenantId: tenant.tenantId }, varying: ['from', 'to', 'calls'] }),
  async delete_tenant({ world, tenant }) {
    const [row] = await world.sql<{ name: string }[]>`select name from platform.tenant where tenant_id = ${tenant.tenantId}`
    return { input: { tenantId: tenant.tenantId, confirmation: row?.name }, varying: ['name', 'activeStart'] }
  },
  export_tenant: async ({ tenant }) => ({ input: { tenantId: tenant.tenantId } }),
  list_email_templates: onTenant,
  clone_email_template: async ({ tenant }) => ({ input: { tenantId: tenant.tenantId, templateType: 'invitation', languageCode: 'de-DE' } }),
  save_email_template: async ({ tenant }) => ({
    input: { tenantId: tenant.tenantId, templateType: 'welcome', languageCode: 'en-US', subject: 'Hello', body: 'Hello [[recipient]]' },
  }),
  preview_email_template: async ({ tenant }) => ({
    input: { tenantId: tenant.tenantId, templateType: 'digest', subject: 'Hello', body: '[[title]]' },
  }),
  send_tenant_email: async ({ tenant }) => ({
    input: { tenantId: tenant.tenantId, tenantUserIds: [tenant.tenantUserId], subject: 'Hello', body: 'Hello [[recipient]]' },
  }),
  get_tenant_branding: onBranding(),
  set_tenant_theme: onBranding({ '--theme-primary': '#17624a' }),
  set_tenant_branding_image: onBranding({ kind: 'favicon', base64: dot }),
  // What other calls of the suite do in the stage's tenant stands in its log: this asks for one of them.
  async list_audit_events({ call, unique }) {
    await call('create_property', { internalName: unique('Title'), dataType: 'Text' })
    return {
      input: { operation: 'create_property', outcome: 'done' },
      varying: ['at', 'displayName', 'credential', 'transport', 'address'],
    }
  },
  async export_audit_events({ call, unique }) {
    await call('create_property', { internalName: unique('Title'), dataType: 'Text' })
    return { input: { format: 'json', operation: 'create_property' } }
  },
  get_sign_in_policy: onTenant,
  get_identity_provider: onTenant,
  set_identity_provider: async ({ tenant }) => ({ input: { tenantId: tenant.tenantId, issuer: null } }),
  set_sign_in_policy: async ({ tenant }) => ({ input: { tenantId: tenant.tenantId, secondFactor: 'administrators', factors: ['totp'] } }),
}
