/** Messages through a bot of Telegram. It has no list of what it sent, so that a call without an answer stays unknown. */
import { setTimeout as wait } from 'node:timers/promises'

import { FormData } from 'undici'

import { AppError } from '#platform/errors.ts'
import {
  failureOfTelegram,
  telegramButtons,
  telegramLimits,
  telegramMessageId,
  type TelegramWay,
} from '#tools/messaging/providers/telegram.ts'
import type { Order, Outcome } from '#tools/messaging/service.ts'

import { type OutgoingFile, readFiles } from '../attachments.ts'
import { callVendor, codeOf, NotConnected, objectIn, retryAfterMs } from '../wire.ts'
import type { Carrier, CarrierParts } from './carrier.ts'

type TelegramOrder = Order<TelegramWay>

interface Call {
  readonly method: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly files: readonly { readonly field: string; readonly file: OutgoingFile }[]
}

const isPhoto = ({ mimeType, bytes }: OutgoingFile) =>
  /^image\/(?:jpeg|png|webp)$/.test(mimeType) && bytes.length <= telegramLimits.photoBytes

/** Files of one kind in albums of ten; an album of one is a plain message. */
function albums(chatId: string, files: readonly OutgoingFile[], more: object): Call[] {
  const [photos, documents] = [files.filter(isPhoto), files.filter((one) => !isPhoto(one))]
  return [photos, documents].flatMap((alike) => {
    const chunks = Array.from({ length: Math.ceil(alike.length / telegramLimits.inAlbum) }, (_, n) =>
      alike.slice(n * telegramLimits.inAlbum, (n + 1) * telegramLimits.inAlbum),
    )
    const kind = alike === photos ? 'photo' : 'document'
    return chunks.map((chunk): Call => {
      const [only] = chunk
      if (only && chunk.length === 1) {
        const method = kind === 'photo' ? 'sendPhoto' : 'sendDocument'
        return { method, fields: { chat_id: chatId, ...more }, files: [{ field: kind, file: only }] }
      }
      const media = chunk.map((_, n) => ({ type: kind, media: `attach://file${n}` }))
      return { method: 'sendMediaGroup', fields: { chat_id: chatId, media }, files: chunk.map((file, n) => ({ field: `file${n}`, file })) }
    })
  })
}

/** The calls that make a message: one where Telegram can carry it in one, else its files and then its words with their buttons. */
function callsOf({ to, text, card }: TelegramOrder, files: readonly OutgoingFile[]): Call[] {
  const buttons = telegramButtons(card?.choices ?? [])
  const markup = buttons === undefined ? {} : { reply_markup: buttons }
  if (files.length === 1 && text.length <= telegramLimits.captionLength)
    return albums(to, files, { ...(text === '' ? {} : { caption: text }), ...markup })
  const words: Call = {
    method: 'sendMessage',
    // A link is for whoever taps it, and not for a preview that opens it before.
    fields: { chat_id: to, text, link_preview_options: { is_disabled: true }, ...markup },
    files: [],
  }
  return [...albums(to, files, {}), ...(text === '' ? [] : [words])]
}

function bodyOf({ fields, files }: Call) {
  if (files.length === 0) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  for (const { field, file } of files) form.append(field, new Blob([new Uint8Array(file.bytes)], { type: file.mimeType }), file.fileName)
  return { body: form }
}

/** The number of the message that an answer tells of, the first of an album. */
function messageIdIn(result: unknown): number | undefined {
  const one: unknown = Array.isArray(result) ? result[0] : result
  return typeof one === 'object' && one !== null && 'message_id' in one && typeof one.message_id === 'number' ? one.message_id : undefined
}

async function carryOut(parts: CarrierParts, { via, to }: TelegramOrder, call: Call): Promise<Outcome> {
  try {
    const { statusCode, body } = await callVendor(parts, new URL(call.method, via.apiUrl), { method: 'POST', ...bodyOf(call) })
    const answer = objectIn(body)
    const messageId = answer?.['ok'] === true ? messageIdIn(answer['result']) : undefined
    if (messageId !== undefined) return { kind: 'sent', providerId: telegramMessageId(via.botToken, to, messageId) }
    const code = typeof answer?.['error_code'] === 'number' ? answer['error_code'] : statusCode
    if (code === 429) {
      const parameters = answer?.['parameters']
      const told = typeof parameters === 'object' && parameters !== null && 'retry_after' in parameters ? parameters.retry_after : undefined
      const afterMs = retryAfterMs(told)
      return { kind: 'notSent', detail: 'too many calls', ...(afterMs === undefined ? {} : { afterMs }) }
    }
    // Behind a success without an id, a 5xx or a 408 the message may have been taken.
    if (code < 400 || code >= 500 || code === 408) return { kind: 'unknown', detail: `status ${code}` }
    const description = typeof answer?.['description'] === 'string' ? answer['description'] : ''
    const reason = answer === undefined ? 'channelMisconfigured' : failureOfTelegram(code, description)
    return { kind: 'refused', reason, vendorCode: String(code) }
  } catch (error) {
    if (error instanceof AppError) return { kind: 'refused', reason: 'channelMisconfigured' }
    if (error instanceof NotConnected) return { kind: 'notSent', detail: 'not connected' }
    return { kind: 'unknown', detail: codeOf(error) || 'no answer' }
  }
}

const tries = 3
const longestPauseMs = 10_000

/** What comes after a part that is there already: what would be tried again as a whole would bring that part twice, so it is tried again here, and not for long. */
async function carryOutRest(parts: CarrierParts, order: TelegramOrder, call: Call): Promise<Outcome> {
  for (let n = 1; ; n++) {
    const outcome = await carryOut(parts, order, call)
    if (outcome.kind === 'sent') return outcome
    const pauseMs = outcome.kind === 'notSent' ? (outcome.afterMs ?? 1_000) : undefined
    if (n === tries || pauseMs === undefined || pauseMs > longestPauseMs)
      return { kind: 'neverKnown', detail: 'a part of it went out', providerId: undefined }
    await wait(pauseMs)
  }
}

async function send(parts: CarrierParts, order: TelegramOrder): Promise<Outcome> {
  let files: OutgoingFile[]
  try {
    files = await readFiles(parts.services, order.tenantId, order.assetKeys)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return { kind: 'refused', reason: 'assetGone' }
    throw error
  }
  const [first, ...rest] = callsOf(order, files)
  if (!first) return { kind: 'refused', reason: 'refused' }
  let outcome = await carryOut(parts, order, first)
  for (const call of rest) {
    if (outcome.kind !== 'sent') return outcome
    outcome = await carryOutRest(parts, order, call)
  }
  return outcome
}

export const telegram: Carrier<TelegramWay> = {
  send,
  lookUp: () => Promise.resolve({ kind: 'neverKnown', detail: 'Telegram keeps no list', providerId: undefined }),
}
