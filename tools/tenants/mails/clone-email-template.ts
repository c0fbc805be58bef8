import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { wordingOf } from '#tools/mails/service.ts'

import { tenantId } from '../tenants.schema.ts'
import { saveTemplate } from './saving.ts'
import { emailTemplate, exampleTemplate, languageCode, templateType } from './templates.schema.ts'

export const cloneEmailTemplate = defineOperation({
  ...writes(emailTemplate),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'clone_email_template',
  title: 'Copy an e-mail template',
  description:
    'Copies a mail of a tenant, or the shipped one, into a language, over what stands there; then save_email_template changes the copy.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/email-templates/clone',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    templateType: templateType.describe('Which mail'),
    fromLanguageCode: languageCode.optional().describe("The tenant's default unless told"),
    languageCode: languageCode.describe('Into which'),
  }),
  examples: [
    { title: 'To begin with', input: { tenantId: 3, templateType: 'invitation', languageCode: 'en-US' }, output: exampleTemplate },
  ],
  async handler(context, input) {
    const { tx } = context
    const { tenantId: of, templateType: type } = input
    const found = await context.asTenant(of, () => wordingOf(tx, of, type, input.fromLanguageCode))
    const { text } = mustExist(found, 'tenant')
    context.audit({ templateType: type, languageCode: input.languageCode })
    return saveTemplate(context, of, { subject: text.subject, body: text.body, templateType: type, languageCode: input.languageCode })
  },
})
