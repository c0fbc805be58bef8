/** Channels and what people prefer, on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId, newName } from '#platform/names.ts'

import { channelKind, channelKinds, tenantUserId, vendorKinds } from '../messaging.schema.ts'
import { providerNames, providers } from '../providers/index.ts'
import type { SetupField } from '../providers/provider.ts'

export const channelId = definitionId

const kindWords: ReadonlySet<string> = new Set(channelKinds.map((kind) => kind.toLowerCase()))

/** send_message takes a kind or a name in one place, so no name is a kind's. */
export const channelName = newName().refine((name) => !kindWords.has(name.toLowerCase()), {
  error: (issue) => `"${String(issue.input)}" is a kind of channel; choose another name`,
})

export const vendorChannel = z.enum(vendorKinds)
export type VendorChannel = z.output<typeof vendorChannel>
export const provider = z.enum(providerNames)

const fieldsOf = (fields: readonly SetupField[]) => fields.map(({ name, isRequired }) => (isRequired ? name : `${name}?`)).join(', ')
const each = (tell: (one: (typeof providers)[number]) => string) => providers.map((one) => `${one.name}: ${tell(one)}`).join('; ')

export const whoCarries = each((one) => one.carries.join(', '))
export const settingsOf = z
  .record(z.string(), z.union([z.string().max(500), z.number(), z.boolean()]))
  .describe(`${each(({ settingFields }) => fieldsOf(settingFields))}. All: messagesPerSecond? of send_message_bulk`)
export const secretsOf = z
  .record(z.string(), z.string().max(500))
  .describe(`${each(({ secretFields }) => fieldsOf(secretFields))}. Never shown again`)

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
  provider: z.enum(['builtIn', ...providerNames]),
  carries,
  settings: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('For AdminIntegration alone, as are the three below'),
  secrets: z.array(z.string()).optional().describe('Names of the secrets that are set'),
  channelKey: z.string().optional(),
  webhookUrl: z.string().optional().describe('Where the vendor sends inbound messages'),
  pageUrl: z.string().optional().describe('Without a vendor: the page that shows what arrives'),
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

export const notifications = z.object({
  channelOrder: z.array(channelKind).describe('First the most wanted; the inbox stands behind them all'),
  quietHours: quietHours.nullable(),
  allowsUrgent: z.boolean().describe('Urgent messages come during quiet hours too'),
})
export type Notifications = z.output<typeof notifications>

export const changedNotifications = z.strictObject({
  channelOrder: z.array(channelKind).max(8).optional().describe('The preferred channel first'),
  quietHours: quietHours.nullable().optional().describe('When nothing is sent; null: never'),
  allowsUrgent: z.boolean().optional().describe('Whether urgent messages come all the same'),
})

export const contactPreferences = z.object({
  tenantUserId,
  ...notifications.shape,
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

/** As a browser's PushSubscription writes itself as JSON. */
export const subscription = z
  .object({
    endpoint: z.url({ protocol: /^https?$/ }).max(1_000),
    keys: z.object({
      p256dh: z.string().regex(/^[\w-]{87}=?$/, '65 bytes in base64url'),
      auth: z.string().regex(/^[\w-]{22}(==)?$/, '16 bytes in base64url'),
    }),
    expirationTime: z.number().nullable().optional(),
  })
  .describe("Of webPush: the browser's PushSubscription")

export const channelAddress = z.object({
  channelId,
  channel: vendorChannel,
  internalName: z.string(),
  state: z.enum(['pending', 'linked', 'removed']),
  code: z.string().optional().describe('To be written from the account, once'),
  url: z.string().optional().describe("Opens the vendor's app with the code"),
  expiresAt: z.iso.datetime().optional(),
  publicKey: z.string().optional().describe('applicationServerKey of pushManager.subscribe'),
  address: z.string().optional(),
})

export const exampleChannelAddress: z.output<typeof channelAddress> = {
  channelId: 9,
  channel: 'telegram',
  internalName: 'FieldBot',
  state: 'pending',
  code: 'link-k3jp2w7yc5sqn4zt',
  url: 'https://t.me/FieldloopBot?start=link-k3jp2w7yc5sqn4zt',
  expiresAt: '2026-11-21T10:30:00.000Z',
}

const [example] = providers.flatMap((one) => (one.example ? [{ provider: one.name, ...one.example }] : []))
if (!example) throw new Error('No provider has an example')
const { title: exampleTitle, secrets: exampleSecrets, ...shownExample } = example

/** How the first of the providers is set up. */
export const exampleSetup = { title: exampleTitle, input: { ...shownExample, secrets: exampleSecrets } }

export const exampleChannel: z.output<typeof savedChannel> = {
  channelId: 7,
  ...shownExample,
  carries: { maxTextLength: 1600, choices: 'numbered', attachments: true, receipts: 'delivered' },
  secrets: Object.keys(exampleSecrets),
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
component('ChannelAddress', channelAddress)
