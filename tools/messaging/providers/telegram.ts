/** A bot of Telegram. What its settings are, what its calls say, and what its webhook means; `activities/messaging/providers/telegram.ts` calls it. */
import { z } from 'zod'

import type { Card, FailureReason } from '../messaging.schema.ts'
import { defineProvider, type FilesAccess, type Reading, type VendorRequest } from './provider.ts'
import { apiBaseUrl, helpText } from './settings.schema.ts'
import { isEqual } from './signatures.ts'
import { objectOf } from './vendor-json.ts'

const settings = z.strictObject({
  botUserName: z.string().regex(/^[A-Za-z][A-Za-z0-9_]{3,31}$/, 'The name of the bot without @, 4 to 32 letters, digits and _'),
  apiBaseUrl,
  helpText,
})
const secrets = z.strictObject({
  botToken: z.string().regex(/^\d{3,20}:[\w-]{30,64}$/, 'Digits, a colon and 35 letters or digits, as BotFather tells it'),
  webhookSecret: z.string().regex(/^[\w-]{16,256}$/, 'The secret_token of setWebhook: 16 to 256 letters, digits, _ and -'),
})

const chat = z.object({ id: z.int(), type: z.string() })
const file = z.object({ file_id: z.string().min(1).max(300), mime_type: z.string().max(200).optional() })
const location = z.object({ latitude: z.number(), longitude: z.number() })

const said = z.object({
  message_id: z.int(),
  chat,
  text: z.string().optional(),
  caption: z.string().optional(),
  reply_to_message: z.object({ message_id: z.int() }).optional(),
  photo: z.array(file).min(1).max(20).optional(),
  document: file.optional(),
  video: file.optional(),
  audio: file.optional(),
  voice: file.optional(),
  video_note: file.optional(),
  location: location.optional(),
  venue: z.object({ title: z.string(), address: z.string() }).optional(),
  contact: z.object({ phone_number: z.string(), first_name: z.string() }).optional(),
  sticker: z.object({ emoji: z.string().optional() }).optional(),
})
type Said = z.output<typeof said>

const keyboard = z.object({ inline_keyboard: z.array(z.array(z.object({ text: z.string(), callback_data: z.string().optional() }))) })

const update = z.object({
  update_id: z.int(),
  message: said.optional(),
  callback_query: z
    .object({
      id: z.string(),
      from: z.object({ id: z.int() }),
      data: z.string().max(64).optional(),
      message: z.object({ message_id: z.int(), chat, reply_markup: keyboard.optional().catch(undefined) }).optional(),
    })
    .optional(),
  my_chat_member: z.object({ chat, new_chat_member: z.object({ status: z.string() }) }).optional(),
})

/** Telegram counts messages in each chat, and a chat with a person has the same number for every bot. */
export const telegramMessageId = (botToken: string, chatId: string | number, messageId: number) =>
  `${botToken.slice(0, botToken.indexOf(':'))}/${chatId}/${messageId}`

const filePrefix = 'telegram-file:'

function mediaOf(one: Said) {
  // Of a photo there are several sizes, the largest last.
  const photo = one.photo?.at(-1)
  const others = [one.document, one.video, one.audio, one.voice, one.video_note]
  return [photo && { ...photo, mime_type: 'image/jpeg' }, ...others].flatMap((given) =>
    given ? [{ url: `${filePrefix}${encodeURIComponent(given.file_id)}`, mimeType: given.mime_type ?? '' }] : [],
  )
}

function textOf(one: Said): string {
  const place = one.location && [one.venue?.title, one.venue?.address, `${one.location.latitude}, ${one.location.longitude}`]
  const parts = [
    one.text ?? one.caption,
    one.sticker?.emoji,
    ...(place ?? []),
    one.contact && `${one.contact.first_name} ${one.contact.phone_number}`,
  ]
  return parts.filter((part) => part).join('\n')
}

const asJson = (value: object) => ({ body: JSON.stringify(value), mimeType: 'application/json; charset=utf-8' })

function readUpdate(botToken: string, body: Buffer): Reading {
  const parsed = update.safeParse(objectOf(body))
  if (!parsed.success) return { kind: 'ignored' }
  const { update_id: updateId, message, callback_query: tap, my_chat_member: membership } = parsed.data
  const receiptKey = `update:${updateId}`
  if (membership?.chat.type === 'private' && membership.new_chat_member.status === 'kicked')
    return { kind: 'stopped', receiptKey, address: String(membership.chat.id) }
  if (tap?.data !== undefined && tap.message?.chat.type === 'private') {
    const { data, message: under } = tap
    const label = under.reply_markup?.inline_keyboard.flat().find((button) => button.callback_data === data)?.text
    return {
      kind: 'message',
      receiptKey,
      providerId: `tap/${telegramMessageId(botToken, under.chat.id, under.message_id)}/${tap.id.slice(0, 64)}`,
      from: String(tap.from.id),
      to: null,
      text: label ?? data,
      payload: data,
      inReplyTo: [telegramMessageId(botToken, under.chat.id, under.message_id)],
      // Without it the button shows for a minute that it waits.
      answer: asJson({ method: 'answerCallbackQuery', callback_query_id: tap.id }),
    }
  }
  if (message?.chat.type !== 'private') return { kind: 'ignored' }
  const [text, media] = [textOf(message), mediaOf(message)]
  if (text === '' && media.length === 0) return { kind: 'ignored' }
  const idOf = (messageId: number) => telegramMessageId(botToken, message.chat.id, messageId)
  return {
    kind: 'message',
    receiptKey,
    providerId: idOf(message.message_id),
    from: String(message.chat.id),
    to: null,
    text,
    media,
    inReplyTo: message.reply_to_message ? [idOf(message.reply_to_message.message_id)] : [],
  }
}

function read(setup: { readonly secrets: z.output<typeof secrets> } | undefined, { raw }: VendorRequest): Reading {
  const token = raw.headers['x-telegram-bot-api-secret-token']
  if (setup === undefined || token === undefined || !isEqual(token, setup.secrets.webhookSecret)) return { kind: 'forged' }
  return readUpdate(setup.secrets.botToken, raw.body)
}

const baseOf = (given: string | undefined) => (given ?? 'https://api.telegram.org').replace(/\/+$/, '')

/** Telegram tells where a file lies when it is asked for it. */
function filesAt(setup: { readonly settings: z.output<typeof settings>; readonly secrets: z.output<typeof secrets> }): FilesAccess {
  const base = baseOf(setup.settings.apiBaseUrl)
  const { botToken } = setup.secrets
  const answer = z.object({ result: z.object({ file_path: z.string().regex(/^(?!.*\.\.)[\w./-]{1,300}$/) }) })
  return {
    origin: new URL(base).origin,
    locate: (named) =>
      named.startsWith(filePrefix)
        ? {
            ask: `${base}/bot${botToken}/getFile?file_id=${named.slice(filePrefix.length)}`,
            read(told) {
              const found = answer.safeParse(told)
              return found.success ? `${base}/file/bot${botToken}/${found.data.result.file_path}` : undefined
            },
          }
        : undefined,
  }
}

export const telegram = defineProvider({
  name: 'telegram',
  carries: ['telegram'],
  settings,
  secrets,
  goesTo({ apiBaseUrl: base }) {
    if (base === undefined) return undefined
    const { hostname, origin } = new URL(base)
    return { host: hostname, origin }
  },
  stayingSecrets: ['webhookSecret'],
  invite: ({ botUserName }, code) => ({ url: `https://t.me/${botUserName}?start=${code}` }),
  way: ({ settings: { apiBaseUrl: base }, secrets: { botToken } }) => ({ apiUrl: `${baseOf(base)}/bot${botToken}/`, botToken }),
  read,
  filesAt,
})

export type TelegramWay = NonNullable<ReturnType<typeof telegram.way>>

// Telegram takes 64 bytes with a button; a longer key is told by its number.
const maxDataBytes = 64

/** Buttons below a message, one in a line. */
export function telegramButtons(choices: NonNullable<Card['choices']>) {
  const rows = choices.map(({ key, label }, index) => [
    { text: label, callback_data: Buffer.byteLength(key) <= maxDataBytes ? key : `#${index + 1}` },
  ])
  return rows.length === 0 ? undefined : { inline_keyboard: rows }
}

export const telegramLimits = { captionLength: 1_024, photoBytes: 10 * 1024 * 1024, inAlbum: 10 } as const

/** Why Telegram did not carry a message, by the number and the words of its answer. */
export function failureOfTelegram(code: number, description: string): FailureReason {
  if (code === 401 || code === 404) return 'channelMisconfigured'
  if (/blocked by the user/i.test(description)) return 'optedOut'
  return code === 403 || /chat not found|user is deactivated|PEER_ID_INVALID/i.test(description) ? 'badAddress' : 'refused'
}
