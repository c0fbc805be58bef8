/** Mails in a tenant's own words, as they are saved. */
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'
import type { MailText, TemplateType } from '#tools/mails/mails.schema.ts'
import { findTemplateIssues, listTemplateRows, upsertTemplate, variablesOf } from '#tools/mails/service.ts'

import { findTenant } from '../tenants.store.ts'
import type { EmailTemplate } from './templates.schema.ts'

export function refuseUnsound(type: TemplateType | undefined, text: MailText): void {
  const issues = findTemplateIssues(type, text)
  if (issues[0]) throw new AppError('invalid_input', `The mail cannot be used: ${issues[0].message}`, { issues })
}

/** Throws AppError `not_found`, `invalid_input` for a language that there is not. */
export async function saveTemplate(
  context: TxContext,
  tenantId: number,
  text: MailText & { readonly templateType: TemplateType; readonly languageCode: string },
): Promise<EmailTemplate> {
  const { tx, stamp } = context
  mustExist(await findTenant(tx, tenantId), 'tenant')
  return context.asTenant(tenantId, async () => {
    if (!(await upsertTemplate(tx, tenantId, { ...text, at: stamp }))) {
      const message = `There is no language ${quoted(text.languageCode)}. list_tenant_languages shows them.`
      throw new AppError('invalid_input', message, { issues: [finding('$.languageCode', message)] })
    }
    const wanted = text.languageCode.toLowerCase()
    const rows = await listTemplateRows(tx, tenantId)
    const row = mustExist(
      rows.find((one) => one.templateType === text.templateType && one.languageCode.toLowerCase() === wanted),
      'template',
    )
    return { ...row, isShipped: false, variables: [...variablesOf(text.templateType)] }
  })
}
