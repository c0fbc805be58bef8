/** What vendors send: whether it is theirs, and what it says. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

import { z } from 'zod'

import type { Keyword } from '../messaging.rules.ts'
import type { FailureReason, MessageStatus } from '../messaging.schema.ts'

function isEqual(a: string, b: string): boolean {
  // Of equal length whatever was sent, so that neither the comparison nor its absence tells anything.
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** A form body; a name may come several times. */
export type Form = ReadonlyMap<string, readonly string[]>

export const maxFormFields = 1_000

/** Whether a form has more fields than any vendor sends. They are read and sorted to check the signature, so that anybody's would hold up everybody. */
export function hasTooManyFields(body: Buffer): boolean {
  let fields = 1
  for (let at = body.indexOf('&'); at !== -1 && fields <= maxFormFields; at = body.indexOf('&', at + 1)) fields++
  return fields > maxFormFields
}

export function parseForm(body: Buffer): Form {
  const form = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) {
    const values = form.get(name)
    if (values) values.push(value)
    else form.set(name, [value])
  }
  return form
}

function splitPort(url: string): { head: string; port: string; rest: string; isSecure: boolean } | undefined {
  const match = /^(https?):\/\/([^/?#]*?)(:\d+)?(?=[/?#]|$)/i.exec(url)
  if (!match) return undefined
  const [whole, scheme = '', host = '', port = ''] = match
  return { head: `${scheme}://${host}`, port, rest: url.slice(whole.length), isSecure: scheme.toLowerCase() === 'https' }
}

/**
 * Whether Twilio signed this: HMAC-SHA1 over the URL followed by the sorted names and values, in base64. Twilio signs with or without the
 * standard port, whichever the URL shows, so both are tried.
 */
export function isSignedByTwilio(authToken: string, signature: string | undefined, url: string, form: Form): boolean {
  const split = splitPort(url)
  if (!split || !signature) return false
  const values = [...form.keys()].sort().flatMap((name) => [...new Set(form.get(name))].sort().map((value) => name + value))
  const standard = split.port === '' ? (split.isSecure ? ':443' : ':80') : split.port
  return ['', standard].some((port) => {
    const text = split.head + port + split.rest + values.join('')
    return isEqual(createHmac('sha1', authToken).update(text, 'utf8').digest('base64'), signature)
  })
}

const webhookToleranceMs = 300_000

/** Whether the body carries a Standard Webhooks signature (`v1`, HMAC-SHA256) of this secret, made within five minutes of `now`. */
export function isStandardWebhook(
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: Buffer,
  now: number,
): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(now - Number(timestamp) * 1000) > webhookToleranceMs) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const right = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  // A sender names several while it changes its secret, and never many.
  return signatures.split(' ', 10).some((one) => isEqual(one, right))
}

const twilioStates: ReadonlyMap<string, MessageStatus> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['partially_delivered', 'delivered'],
  ['read', 'read'],
  ['failed', 'failed'],
  ['undelivered', 'failed'],
  ['canceled', 'failed'],
])

/** What a Twilio status means for a message; undefined for those before it left (queued, sending, …). */
export function statusOfTwilio(status: string): MessageStatus | undefined {
  return twilioStates.get(status)
}

/** Twilio's number for "this person has said STOP". */
export const twilioStopped = '21610'

/** Twilio's number for "WhatsApp takes no free text more than a day after the person's last message". */
const twilioWindowClosed = '63016'

// Wrong or unreachable numbers, by Twilio's own.
const badAddressCodes: ReadonlySet<string> = new Set([
  '21211',
  '21214',
  '21217',
  '21401',
  '21407',
  '21421',
  '21612',
  '21614',
  '30005',
  '30006',
  '63003',
  '63024',
])

/** Why Twilio did not carry a message, by its number. */
export function failureOfTwilio(code: string | undefined): FailureReason {
  if (code === twilioStopped) return 'optedOut'
  if (code === twilioWindowClosed) return 'windowClosed'
  return code !== undefined && badAddressCodes.has(code) ? 'badAddress' : 'refused'
}

export interface TwilioStatus {
  readonly kind: 'status'
  readonly sid: string
  /** In Twilio's words. */
  readonly status: string
  readonly errorCode: string | undefined
}

export interface TwilioMessage {
  readonly kind: 'message'
  readonly sid: string
  readonly from: string
  readonly to: string
  readonly text: string
  /** What the tapped button carries. */
  readonly payload: string | undefined
  readonly media: readonly { readonly url: string; readonly mimeType: string }[]
  /** What Twilio took the message for and has answered itself, by the words that its customer chose in whatever language. */
  readonly keyword: Keyword | undefined
}

const maxMedia = 10

const optOutTypes: ReadonlyMap<string, Keyword> = new Map([
  ['STOP', 'stop'],
  ['START', 'start'],
  ['HELP', 'help'],
])

/** Addresses of WhatsApp carry their channel on Twilio's wire. */
export const withoutPrefix = (address: string) => address.replace(/^whatsapp:/, '')

/**
 * A place that was shared over WhatsApp, as text: its name and address where it has them, then latitude and longitude in degrees. Undefined where the
 * form holds none. Source: Twilio, parameters of an incoming WhatsApp message (`Latitude`, `Longitude`, `Label`, `Address`).
 */
function placeOf(one: (name: string) => string | undefined): string | undefined {
  const [latitude, longitude] = [one('Latitude'), one('Longitude')]
  if (!latitude || !longitude || !Number.isFinite(Number(latitude)) || !Number.isFinite(Number(longitude))) return undefined
  return [one('Label'), one('Address'), `${latitude}, ${longitude}`].filter((part) => part).join('\n')
}

/** Undefined where the form is neither a status nor a message. */
export function readTwilio(form: Form): TwilioStatus | TwilioMessage | undefined {
  // A vendor does not send a message again because one character of it could not be kept.
  const one = (name: string) => form.get(name)?.[0]?.replaceAll('\u0000', '')
  const sid = one('MessageSid') ?? one('SmsSid')
  const status = one('MessageStatus')
  if (!sid || sid.length > 64) return undefined
  if (status !== undefined && status !== 'received' && status !== 'receiving')
    return { kind: 'status', sid, status: status.slice(0, 40), errorCode: one('ErrorCode')?.slice(0, 20) }
  const from = one('From')
  const to = one('To')
  if (!from || !to) return undefined
  const count = Math.min(Number(one('NumMedia') ?? 0) || 0, maxMedia)
  const media = Array.from({ length: count }, (_, index) => ({
    url: one(`MediaUrl${index}`) ?? '',
    mimeType: one(`MediaContentType${index}`) ?? '',
  }))
  return {
    kind: 'message',
    sid,
    from: withoutPrefix(from),
    to: withoutPrefix(to),
    text: [one('Body'), placeOf(one)].filter((part) => part).join('\n'),
    payload: one('ButtonPayload'),
    media: media.filter(({ url }) => URL.canParse(url)),
    keyword: optOutTypes.get(one('OptOutType')?.toUpperCase() ?? ''),
  }
}

/** The body of an e-mail channel's webhook. */
export const emailDelivery = z.object({
  from: z.string().min(3).max(1_000),
  to: z.union([z.string().max(1_000), z.array(z.string().max(1_000)).max(50)]),
  subject: z.string().max(2_000).optional(),
  text: z.string().max(500_000),
  messageId: z.string().min(3).max(998),
  inReplyTo: z.string().max(998).optional(),
})

/** `<Response/>`, with one message in it where there is something to answer. */
export function twiml(text: string | undefined): string {
  const escaped = text?.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${escaped === undefined ? '' : `<Message>${escaped}</Message>`}</Response>`
}
