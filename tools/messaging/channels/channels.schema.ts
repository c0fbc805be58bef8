/** Channels and what people prefer, on the wire. */
import { isIP } from 'node:net'

import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId, newName } from '#platform/names.ts'
import { isHostName } from '#platform/outbound.ts'

import { channelKind, channelKinds, tenantUserId } from '../messaging.schema.ts'

export const channelId = definitionId

// Those to come as well, so that no channel has to be renamed then.
const kindWords: ReadonlySet<string> = new Set([...channelKinds, 'telegram', 'slack', 'teams', 'webpush'])

/** send_message takes a kind or a name in one place, so no name is a kind's. */
export const channelName = newName().refine((name) => !kindWords.has(name.toLowerCase()), {
  error: (issue) => `"${String(issue.input)}" is a kind of channel; choose another name`,
})

export const vendorChannel = z.enum(['sms', 'whatsapp', 'email'])
export type VendorChannel = z.output<typeof vendorChannel>
export const provider = z.enum(['twilio', 'smtp'])
export type Provider = z.output<typeof provider>

export const settingsOf = z
  .record(z.string(), z.union([z.string().max(500), z.number(), z.boolean()]))
  .describe(
    'twilio: accountSid, from, messagingServiceSid?, apiBaseUrl?, helpText?; smtp: host, port, secure, from, replyDomain?, helpText?',
  )
export const secretsOf = z
  .record(z.string(), z.string().max(500))
  .describe('twilio: authToken; smtp: user?, password?, webhookSecret?. Never shown again')

const domain = z
  .string()
  .refine(isHostName, { error: 'A domain such as ops.example.com is needed: letters, digits and hyphens between dots' })
const host = z.string().refine((text) => isIP(text) !== 0 || isHostName(text), {
  error: 'A host name such as mail.example.com or an IP address is needed; its port is the setting port',
})

/** Strict objects of what each provider takes. */
export const providerSettings = {
  twilio: z.strictObject({
    accountSid: z.string().regex(/^AC[0-9a-zA-Z]{32}$/, 'AC and 32 letters or digits'),
    from: z.string().regex(/^[^\p{Cc}]{3,40}$/u, '3 to 40 characters on one line'),
    messagingServiceSid: z
      .string()
      .regex(/^MG[0-9a-zA-Z]{32}$/, 'MG and 32 letters or digits')
      .optional(),
    // The form of the text first: what reads addresses drops line breaks from them without a word.
    apiBaseUrl: z
      .string()
      .max(500)
      .regex(/^[^@?#\s\\\p{Cc}]*$/u, 'An address without a user, a query, a fragment or white space')
      .pipe(z.url({ protocol: /^https?$/ }))
      .optional(),
    helpText: z.string().min(1).max(300).optional(),
  }),
  smtp: z.strictObject({
    host,
    port: z.int().min(1).max(65_535),
    secure: z.boolean(),
    from: z.email(),
    replyDomain: domain.optional(),
    helpText: z.string().min(1).max(300).optional(),
  }),
} as const

export const providerSecrets = {
  twilio: z.strictObject({ authToken: z.string().min(8).max(200) }),
  smtp: z.strictObject({
    user: z.string().min(1).max(320).optional(),
    password: z.string().min(1).max(500).optional(),
    webhookSecret: z
      .string()
      .regex(/^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/, 'whsec_ and base64, as Standard Webhooks has it')
      .optional(),
  }),
} as const

export type TwilioSettings = z.output<typeof providerSettings.twilio>
export type TwilioSecrets = z.output<typeof providerSecrets.twilio>
export type SmtpSettings = z.output<typeof providerSettings.smtp>
export type SmtpSecrets = z.output<typeof providerSecrets.smtp>

/** What a channel can carry. */
export const carries = z.object({
  maxTextLength: z.int().describe('Characters, cards included'),
  choices: z.enum(['buttons', 'numbered']),
  attachments: z.boolean(),
  receipts: z.enum(['read', 'delivered', 'none']).describe('How much is learnt of a message after it was sent'),
})

export const channel = z.object({
  channelId: channelId.nullable().describe('Null: the inbox, which every tenant has'),
  internalName: z.string(),
  channel: channelKind,
  provider: z.enum(['builtIn', 'twilio', 'smtp']),
  carries,
  settings: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('For AdminIntegration alone, as are the three below'),
  secrets: z.array(z.string()).optional().describe('Names of the secrets that are set'),
  channelKey: z.string().optional(),
  webhookUrl: z.string().optional().describe('Where the vendor sends inbound messages'),
})
export type Channel = z.output<typeof channel>

export const savedChannel = channel.required({ settings: true, secrets: true, channelKey: true, webhookUrl: true })

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:MM')
export const quietHours = z.strictObject({
  start: clock,
  end: clock.describe('Earlier than start: on the next day'),
  timeZoneIana: z.string().min(1).max(64).describe('Such as Europe/Madrid'),
})
export type QuietHours = z.output<typeof quietHours>

export const contactPreferences = z.object({
  tenantUserId,
  channelOrder: z.array(channelKind).describe('First the most wanted; the inbox stands behind them all'),
  quietHours: quietHours.nullable(),
  allowsUrgent: z.boolean().describe('Urgent messages come during quiet hours too'),
  addresses: z.array(
    z.object({
      channel: vendorChannel,
      address: z.string(),
      isOptedOut: z.boolean(),
      optedOutDate: z.iso.datetime().optional(),
      source: z.enum(['person', 'vendor', 'administrator']).optional(),
    }),
  ),
})

export const exampleChannel: z.output<typeof savedChannel> = {
  channelId: 7,
  internalName: 'FieldSms',
  channel: 'sms',
  provider: 'twilio',
  carries: { maxTextLength: 1600, choices: 'numbered', attachments: true, receipts: 'delivered' },
  settings: { accountSid: 'AC00000000000000000000000000000000', from: '+15005550006' },
  secrets: ['authToken'],
  channelKey: 'k3Jp0w8yC5sQn1ZtLr7eVd2XbGhAaUoM',
  webhookUrl: 'https://fieldloop.example/api/v1/messaging/webhooks/k3Jp0w8yC5sQn1ZtLr7eVd2XbGhAaUoM',
}

export const examplePreferences: z.output<typeof contactPreferences> = {
  tenantUserId: 12,
  channelOrder: ['whatsapp', 'inbox'],
  quietHours: { start: '21:00', end: '07:00', timeZoneIana: 'Europe/Madrid' },
  allowsUrgent: true,
  addresses: [{ channel: 'whatsapp', address: '+34600000001', isOptedOut: false }],
}

component('Channel', channel)
component('SavedChannel', savedChannel)
component('QuietHours', quietHours)
component('ContactPreferences', contactPreferences)
