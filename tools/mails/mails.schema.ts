/** Types of mails, and what each may name. */
import { z } from 'zod'

export const templateTypes = [
  'welcome',
  'invitation',
  'passwordReset',
  'secondFactor',
  'taskAssigned',
  'taskOverdue',
  'reportDelivery',
  'digest',
  'messageFallback',
] as const
export const templateType = z.enum(templateTypes)
export type TemplateType = z.infer<typeof templateType>

export interface MailText {
  readonly subject: string
  readonly body: string
}

/** What a mail is filled with, by the names of its variables. */
export type MailValues = Readonly<Record<string, string>>
