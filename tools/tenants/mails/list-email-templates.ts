import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { templateTypes } from '#tools/mails/mails.schema.ts'
import { listTemplateRows, shippedText, variablesOf } from '#tools/mails/service.ts'

import { tenantId } from '../tenants.schema.ts'
import { findTenant } from '../tenants.store.ts'
import { type EmailTemplate, emailTemplate, exampleTemplate } from './templates.schema.ts'

export const listEmailTemplates = defineOperation({
  ...reads(z.array(emailTemplate)),
  name: 'list_email_templates',
  title: 'List e-mail templates',
  description:
    'The mails of a tenant by type and language: those in its own words, and of each other type the shipped one in its default language. save_email_template changes one, preview_email_template shows it.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/email-templates/list',
  roles: 'GlobalAdmin',
  input: z.object({ tenantId }),
  examples: [{ title: 'All of them', input: { tenantId: 3 }, output: [exampleTemplate] }],
  async handler(context, input) {
    const { tx } = context
    const { languageCode } = mustExist(await findTenant(tx, input.tenantId), 'tenant')
    const own = await context.asTenant(input.tenantId, () => listTemplateRows(tx, input.tenantId))
    return templateTypes.flatMap((templateType): EmailTemplate[] => {
      const variables = [...variablesOf(templateType)]
      const rows = own.filter((row) => row.templateType === templateType).map((row) => ({ ...row, isShipped: false, variables }))
      return rows.length > 0
        ? rows
        : [{ templateType, languageCode, ...shippedText(templateType, languageCode), isShipped: true, variables, modifiedDate: null }]
    })
  },
})
