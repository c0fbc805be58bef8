import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { tenantId } from '../tenants.schema.ts'
import { refuseUnsound, saveTemplate } from './saving.ts'
import { body, emailTemplate, exampleTemplate, languageCode, subject, templateType } from './templates.schema.ts'

export const saveEmailTemplate = defineOperation({
  ...writes(emailTemplate),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'save_email_template',
  title: 'Save an e-mail template',
  description:
    'Sets a mail of a tenant in one language: text with [[variables]], # headings, - lists and buttons as in the example; no markup, no images. list_email_templates shows the variables of each type.',
  method: 'PUT',
  path: '/api/v1/tenants/{tenantId}/email-templates/{templateType}',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    templateType: templateType.describe('Which mail'),
    languageCode,
    subject: subject.describe('One line'),
    body: body.describe('A blank line between blocks'),
  }),
  examples: [
    {
      title: 'Our invitation',
      input: {
        tenantId: 3,
        templateType: 'invitation',
        languageCode: 'en-US',
        subject: 'Come to [[tenant]]',
        body: 'Hello [[recipient]],\n\n[button: Accept]([[link]])',
      },
      output: exampleTemplate,
    },
  ],
  async handler(context, { tenantId: of, ...text }) {
    refuseUnsound(text.templateType, text)
    context.audit({ languageCode: text.languageCode })
    return saveTemplate(context, of, text)
  },
})
