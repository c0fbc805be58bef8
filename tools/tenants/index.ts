import type { Domain } from '#platform/operation.ts'

import { activateTenant } from './activate-tenant.ts'
import { exportAuditEvents } from './audit/export-audit-events.ts'
import { listAuditEvents } from './audit/list-audit-events.ts'
import { getIdentityProvider } from './get-identity-provider.ts'
import { getSignInPolicy } from './get-sign-in-policy.ts'
import { getPublicBranding } from './branding/get-public-branding.ts'
import { getTenantBranding } from './branding/get-tenant-branding.ts'
import { setTenantBrandingImage } from './branding/set-tenant-branding-image.ts'
import { setTenantTheme } from './branding/set-tenant-theme.ts'
import { deleteTenant } from './deletion/delete-tenant.ts'
import { exportTenant } from './export/export-tenant.ts'
import { listTenantLanguages } from './languages/list-tenant-languages.ts'
import { setTenantLanguage } from './languages/set-tenant-language.ts'
import { getTenantUsage } from './limits/get-tenant-usage.ts'
import { setTenantLimits } from './limits/set-tenant-limits.ts'
import { updateTenant } from './update-tenant.ts'
import { cloneEmailTemplate } from './mails/clone-email-template.ts'
import { listEmailTemplates } from './mails/list-email-templates.ts'
import { previewEmailTemplate } from './mails/preview-email-template.ts'
import { saveEmailTemplate } from './mails/save-email-template.ts'
import { sendTenantEmail } from './mails/send-tenant-email.ts'
import { getTenant } from './get-tenant.ts'
import { listTenants } from './list-tenants.ts'
import { provisionTenant } from './provision-tenant.ts'
import { setIdentityProvider } from './set-identity-provider.ts'
import { setSignInPolicy } from './set-sign-in-policy.ts'
import { suspendTenant } from './suspend-tenant.ts'
import { tenantsPhrases } from './tenants.phrases.ts'

export const tenantsDomain: Domain = {
  name: 'tenants',
  title: 'Tenants',
  summary:
    'The organisations of an installation: provision, change, limit, suspend, export and delete them; their look; and who did what in them.',
  operations: [
    provisionTenant,
    listTenants,
    getTenant,
    updateTenant,
    suspendTenant,
    activateTenant,
    exportTenant,
    deleteTenant,
    listTenantLanguages,
    setTenantLanguage,
    setTenantLimits,
    getTenantUsage,
    listEmailTemplates,
    cloneEmailTemplate,
    saveEmailTemplate,
    previewEmailTemplate,
    sendTenantEmail,
    getTenantBranding,
    setTenantTheme,
    setTenantBrandingImage,
    getPublicBranding,
    getSignInPolicy,
    setSignInPolicy,
    getIdentityProvider,
    setIdentityProvider,
    listAuditEvents,
    exportAuditEvents,
  ],
  phrases: tenantsPhrases,
}
