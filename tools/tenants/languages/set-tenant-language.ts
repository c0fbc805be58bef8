import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { nearestLanguage, quoted } from '#platform/suggest.ts'

import { brandingTopic } from '../branding/shown.ts'
import { tenantId } from '../tenants.schema.ts'
import { lockTenant } from '../tenants.store.ts'
import { exampleLanguage, tenantLanguage } from './languages.schema.ts'
import { listTenantLanguageRows, updateLanguages } from './languages.store.ts'

export const setTenantLanguage = defineOperation({
  ...writes(tenantLanguage),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_tenant_language',
  title: 'Set a language of a tenant',
  description:
    'Enables or disables a language for the users of a tenant, or makes it the default, in which names are shown that lack the reader’s. The default is always enabled; whoever has a language keeps it.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/languages',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    languageCode: z.string().min(2).max(35).describe('As de-DE'),
    isEnabled: z.boolean().optional().describe('Offered to its users'),
    isDefault: z.literal(true).optional().describe('Also enables it'),
  }),
  examples: [{ title: 'German for all', input: { tenantId: 3, languageCode: 'de-DE', isDefault: true }, output: exampleLanguage }],
  async handler(context, input) {
    const { tx, services } = context
    const { tenantId: of, isDefault, isEnabled } = input
    await lockTenant(tx, of)
    const rows = await listTenantLanguageRows(tx, of)
    mustExist(rows[0], 'tenant')
    const wanted = rows.find((row) => row.languageCode.toLowerCase() === input.languageCode.toLowerCase())
    if (!wanted) {
      const message = `There is no language ${quoted(input.languageCode)}. list_tenant_languages shows them.`
      const suggestion = nearestLanguage(
        input.languageCode,
        rows.map((row) => row.languageCode),
      )
      throw new AppError('invalid_input', message, { issues: [finding('$.languageCode', message, { suggestion })] })
    }
    const { languageRegionId } = wanted
    if (isEnabled === false && (wanted.isDefault || isDefault === true))
      throw new AppError('conflict', 'The default language is always enabled. Make another one the default first.')
    const isOn = isDefault === true || (isEnabled ?? wanted.isEnabled)
    const disabled = rows.filter((row) => (row === wanted ? !isOn : !row.isEnabled)).map((row) => row.languageRegionId)
    const usual = isDefault === true ? languageRegionId : (rows.find((row) => row.isDefault)?.languageRegionId ?? languageRegionId)
    await updateLanguages(tx, of, { usual, disabled })
    context.audit({ languageCode: wanted.languageCode, isEnabled: isOn, ...(isDefault === true ? { isDefault } : {}) })
    context.afterCommit(() => services.wake.poke(brandingTopic))
    return { ...wanted, isEnabled: isOn, isDefault: usual === languageRegionId }
  },
})
