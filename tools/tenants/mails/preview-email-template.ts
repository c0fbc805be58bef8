import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { renderMail, wordingOf } from '#tools/mails/service.ts'

import { tenantId } from '../tenants.schema.ts'
import { refuseUnsound } from './saving.ts'
import { body, languageCode, renderedMail, subject, templateType } from './templates.schema.ts'

export const previewEmailTemplate = defineOperation({
  ...reads(renderedMail),
  name: 'preview_email_template',
  title: 'Preview an e-mail template',
  description:
    'A mail as it would go out, with made-up values, as text and HTML: the one that is kept, or a subject and body that are not saved yet. Sends nothing.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/email-templates/{templateType}/preview',
  roles: 'GlobalAdmin',
  input: z.object({
    tenantId,
    templateType: templateType.describe('Which mail'),
    languageCode: languageCode.optional().describe("The tenant's default unless told"),
    subject: subject.optional().describe('In place of the kept one'),
    body: body.optional().describe('In place of the kept one'),
  }),
  examples: [
    {
      title: 'The invitation',
      input: { tenantId: 3, templateType: 'invitation' },
      output: { subject: 'Invitation to Northwind', text: 'You are invited.', html: '<!doctype html><p>You are invited.</p>' },
    },
  ],
  async handler(context, input) {
    const { tx, services } = context
    const { tenantId: of, templateType: type } = input
    const found = mustExist(await context.asTenant(of, () => wordingOf(tx, of, type, input.languageCode)), 'tenant')
    const text = { subject: input.subject ?? found.text.subject, body: input.body ?? found.text.body }
    refuseUnsound(type, text)
    const values = {
      tenant: found.tenantName,
      recipient: 'Ana Ruiz',
      link: `${services.config.portalUrl}/login`,
      title: 'Order WO-1042',
      text: 'The pump of hall 3 is to be looked at by Friday.',
    }
    const { subject: shown, text: plain, html } = renderMail(text, values, found.accent)
    return { subject: shown, text: plain, html }
  },
})
