/** A mail server: e-mail. What its settings are, how a mail is threaded, and what its webhook means; `activities/messaging/providers/smtp.ts` hands over. */
import { isIP } from 'node:net'

import { z } from 'zod'

import { parseJson } from '#platform/json.ts'
import { isHostName } from '#platform/outbound.ts'

import { asEmail } from '../conversations/addresses.ts'
import { replyText } from '../delivery/mail-text.rules.ts'
import { defineProvider, type Reading } from './provider.ts'
import { helpText, webhookSecret } from './settings.schema.ts'
import { isStandardWebhook } from './signatures.ts'

const domain = z
  .string()
  .refine(isHostName, { error: 'A domain such as ops.example.com is needed: letters, digits and hyphens between dots' })
const host = z.string().refine((text) => isIP(text) !== 0 || isHostName(text), {
  error: 'A host name such as mail.example.com or an IP address is needed; its port is the setting port',
})

/** The body of an e-mail channel's webhook. */
const emailDelivery = z.object({
  from: z.string().min(3).max(1_000),
  to: z.union([z.string().max(1_000), z.array(z.string().max(1_000)).max(50)]),
  subject: z.string().max(2_000).optional(),
  text: z.string().max(500_000),
  messageId: z.string().min(3).max(998),
  inReplyTo: z.string().max(998).optional(),
})

function readMail(body: Buffer): Reading {
  const parsed = emailDelivery.safeParse(parseJson(body.toString('utf8')))
  const from = parsed.success ? asEmail(parsed.data.from) : undefined
  if (!parsed.success || from === undefined) {
    const message = 'The body is no e-mail: it needs from, to, text and messageId, and may have subject and inReplyTo.'
    return { kind: 'unreadable', message }
  }
  const { to, text, subject, messageId, inReplyTo } = parsed.data
  const addressees = (typeof to === 'string' ? to.split(',') : to).flatMap((one) => asEmail(one) ?? [])
  return {
    kind: 'message',
    receiptKey: `mail:${messageId}`,
    providerId: messageId,
    from,
    to: addressees[0] ?? null,
    addressees,
    text: replyText(text),
    subject,
    inReplyTo: inReplyTo === undefined ? [] : [inReplyTo],
  }
}

export const smtp = defineProvider({
  name: 'smtp',
  carries: ['email'],
  settings: z.strictObject({
    host,
    port: z.int().min(1).max(65_535),
    secure: z.boolean(),
    from: z.email(),
    replyDomain: domain.optional(),
    helpText,
  }),
  secrets: z.strictObject({
    user: z.string().min(1).max(320).optional(),
    password: z.string().min(1).max(500).optional(),
    webhookSecret,
  }),
  goesTo: (settings) => ({ host: settings.host, origin: settings.host.toLowerCase() }),
  stayingSecrets: ['webhookSecret'],
  isThreaded: true,
  way({ settings, secrets }, { tenantId, messageId, publicHost, thread }) {
    const { subject, earlier, replyAddress } = thread
    const replies = settings.replyDomain ?? publicHost
    return {
      settings,
      secrets,
      subject: earlier.length > 0 ? `Re: ${subject}` : subject,
      // Stable: the same for every attempt.
      messageIdHeader: `<m${messageId}.${tenantId}@${replies}>`,
      references: earlier,
      replyTo: replyAddress(replies),
    }
  },
  read(setup, { raw, now }) {
    const secret = setup?.secrets.webhookSecret
    const isSigned = secret !== undefined && isStandardWebhook(secret, raw.headers, raw.body, now)
    return isSigned ? readMail(raw.body) : { kind: 'forged' }
  },
})

export type SmtpWay = NonNullable<ReturnType<typeof smtp.way>>
