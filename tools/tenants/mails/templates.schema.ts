/** E-mail templates on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { templateType } from '#tools/mails/mails.schema.ts'

export { templateType } from '#tools/mails/mails.schema.ts'

export const languageCode = z.string().min(2).max(35).describe('As de-DE')
export const subject = z
  .string()
  .trim()
  .min(1)
  .max(200)
  // No pattern: those of JSON Schema have no flag for classes of Unicode everywhere.
  .refine((text) => !/\p{Cc}/u.test(text), 'One line, without control characters')
export const body = z.string().trim().min(1).max(20_000)

export const emailTemplate = z.object({
  templateType,
  languageCode: z.string(),
  subject: z.string(),
  body: z.string(),
  isShipped: z.boolean().describe('Not changed by the tenant'),
  variables: z.array(z.string()).describe('What it may name, as [[tenant]]'),
  modifiedDate: z.iso.datetime().nullable(),
})

export type EmailTemplate = z.infer<typeof emailTemplate>

export const renderedMail = z.object({ subject: z.string(), text: z.string(), html: z.string() })

export const exampleTemplate: EmailTemplate = {
  templateType: 'invitation',
  languageCode: 'en-US',
  subject: 'Come to [[tenant]]',
  body: 'Hello [[recipient]],\n\n[button: Accept]([[link]])',
  isShipped: false,
  variables: ['tenant', 'recipient', 'link'],
  modifiedDate: '2026-11-21T10:00:00.000Z',
}

component('EmailTemplate', emailTemplate)
