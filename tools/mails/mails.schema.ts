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

/** Of messages that the product itself sends, and a tenant may word where they go by e-mail. */
export type MessageMailType = Extract<TemplateType, 'taskAssigned' | 'taskOverdue' | 'reportDelivery'>

export interface MessageMail {
  readonly type: MessageMailType
  readonly title: string
}

export interface MailText {
  readonly subject: string
  readonly body: string
}

/** What a mail is filled with, by the names of its variables. */
export type MailValues = Readonly<Record<string, string>>
