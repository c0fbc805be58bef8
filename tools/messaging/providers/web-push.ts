/** Web push: notifications of browsers, signed by VAPID. What its settings are, what a push says, and what its webhook means; `activities/messaging/providers/web-push.ts` pushes. */
import { createHash, createHmac } from 'node:crypto'

import { z } from 'zod'

import { choiceKey, messageText } from '../messaging.schema.ts'
import { defineProvider, type Reading, type VendorRequest } from './provider.ts'
import { isEqual } from './signatures.ts'
import { objectOf } from './vendor-json.ts'

const settings = z.strictObject({
  publicKey: z.string().regex(/^B[\w-]{86}$/, 'The public VAPID key: 65 bytes in base64url'),
  subject: z
    .string()
    .max(300)
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s]+)$/, 'mailto: with an address, or an https address, where push services reach you')
    .refine((said) => URL.canParse(said), 'An address that can be read'),
})
const secrets = z.strictObject({ privateKey: z.string().regex(/^[\w-]{43}$/, 'The private VAPID key: 32 bytes in base64url') })
type Secrets = z.output<typeof secrets>

const subscription = z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string() })

const idOf = (messageId: number) => `push-${messageId}`

const signatureOf = ({ privateKey }: Secrets, part: string) => createHmac('sha256', privateKey).update(`answer ${part}`).digest('base64url')

/** What a browser shows with an answer: that it got the message, and for whom. */
function writeToken(of: Secrets, messageId: number, address: string): string {
  const part = `${messageId}.${address}`
  return `${part}.${signatureOf(of, part)}`
}

function readToken(of: Secrets, token: string): { messageId: number; address: string } | undefined {
  const [, part = '', id, address = '', signature = ''] = /^((\d{1,15})\.(user-\d{1,10}))\.([\w-]{43})$/.exec(token) ?? []
  return id !== undefined && isEqual(signature, signatureOf(of, part)) ? { messageId: Number(id), address } : undefined
}

const answered = z.object({ token: z.string().max(200), choice: choiceKey.optional(), text: messageText.optional() })

const help = 'Send {token, choice or text} as JSON: token and action of the push that is answered.'

function read(setup: { readonly secrets: Secrets } | undefined, { raw }: VendorRequest): Reading {
  const parsed = answered.safeParse(objectOf(raw.body))
  const named = setup && parsed.success ? readToken(setup.secrets, parsed.data.token) : undefined
  if (!parsed.success || !named) return { kind: 'forged' }
  const { choice, text } = parsed.data
  const said = text ?? choice
  if (said === undefined) return { kind: 'unreadable', message: help }
  const id = `answer-${named.messageId}-${createHash('sha256').update(said).digest('hex').slice(0, 32)}`
  return {
    kind: 'message',
    // A tap that is told twice is one.
    receiptKey: id,
    providerId: id,
    from: named.address,
    to: null,
    text: said,
    payload: choice,
    inReplyTo: [idOf(named.messageId)],
  }
}

export const webPush = defineProvider({
  name: 'webPush',
  carries: ['webPush'],
  settings,
  secrets,
  needsDevices: true,
  invite: ({ publicKey }) => ({ publicKey }),
  way: ({ settings: { publicKey, subject }, secrets: own }, { messageId, channelId, to, callbackUrl, devices }) => ({
    channelId,
    vapid: { subject, publicKey, privateKey: own.privateKey },
    providerId: idOf(messageId),
    // The browser answers to the channel's webhook; the token says which message.
    reply: { url: callbackUrl.replace(/\?.*$/, ''), token: writeToken(own, messageId, to) },
    browsers: devices.flatMap(({ device, details }) => {
      const given = subscription.safeParse(details)
      return given.success ? [{ device, ...given.data }] : []
    }),
  }),
  read,
})

export type WebPushWay = NonNullable<ReturnType<typeof webPush.way>>

/** What a push says: the service worker of the page that subscribed shows it, and answers with an action as choice. */
export function webPushPayload(
  { reply, providerId }: WebPushWay,
  {
    messageId,
    conversationId,
    text,
    card,
  }: {
    readonly messageId: number
    readonly conversationId: number
    readonly text: string
    readonly card: {
      readonly title?: string | undefined
      readonly choices?: readonly { readonly label: string }[] | undefined
      readonly link?: { readonly url: string } | undefined
    } | null
  },
): string {
  const title = card?.title
  return JSON.stringify({
    messageId,
    conversationId,
    title: title ?? '',
    body: title !== undefined && text.startsWith(title) ? text.slice(title.length).trimStart() : text,
    // A second push with the same tag takes the place of the first: what is pushed twice is shown once.
    tag: providerId,
    actions: (card?.choices ?? []).map(({ label }, index) => ({ action: `#${index + 1}`, title: label })),
    ...(card?.link === undefined ? {} : { url: card.link.url }),
    reply,
  })
}
