/** Twilio: SMS and WhatsApp. What its settings are, what a call to it says, and what its webhook means; `activities/messaging/providers/twilio.ts` calls it. */
import { createHmac } from 'node:crypto'

import { z } from 'zod'

import { finding } from '#platform/findings.ts'

import type { VendorChannel } from '../channels/channels.schema.ts'
import { asPhone } from '../conversations/addresses.ts'
import type { Keyword } from '../messaging.rules.ts'
import type { FailureReason, MessageStatus } from '../messaging.schema.ts'
import { defineProvider, type Reading, type VendorRequest } from './provider.ts'
import { apiBaseUrl, helpText } from './settings.schema.ts'
import { isEqual } from './signatures.ts'

const settings = z.strictObject({
  accountSid: z.string().regex(/^AC[0-9a-zA-Z]{32}$/, 'AC and 32 letters or digits'),
  from: z.string().regex(/^[^\p{Cc}]{3,40}$/u, '3 to 40 characters on one line'),
  messagingServiceSid: z
    .string()
    .regex(/^MG[0-9a-zA-Z]{32}$/, 'MG and 32 letters or digits')
    .optional(),
  apiBaseUrl,
  helpText,
})
const secrets = z.strictObject({ authToken: z.string().min(8).max(200) })

/** A phone number with its country; by SMS also a short code, or a name, which has a letter: a number without its country is neither. */
function isSender(channel: VendorChannel, from: string): boolean {
  return asPhone(from) !== undefined || (channel === 'sms' && /^(?:\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{3,11})$/.test(from))
}

/** A form body; a name may come several times. */
type Form = ReadonlyMap<string, readonly string[]>

const maxFormFields = 1_000

/** Whether a form has more fields than any vendor sends. They are read and sorted to check the signature, so that anybody's would hold up everybody. */
function hasTooManyFields(body: Buffer): boolean {
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

/** What a status of Twilio's means for a message; those before it left (queued, sending, …) are none here. */
const twilioStates: ReadonlyMap<string, MessageStatus> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['partially_delivered', 'delivered'],
  ['read', 'read'],
  ['failed', 'failed'],
  ['undelivered', 'failed'],
  ['canceled', 'failed'],
])

/** Twilio's number for "this person has said STOP". */
const twilioStopped = '21610'

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

const maxMedia = 10

const optOutTypes: ReadonlyMap<string, Keyword> = new Map([
  ['STOP', 'stop'],
  ['START', 'start'],
  ['HELP', 'help'],
])

/**
 * A place that was shared over WhatsApp, as text: its name and address where it has them, then latitude and longitude in degrees. Undefined where the
 * form holds none. Source: Twilio, parameters of an incoming WhatsApp message (`Latitude`, `Longitude`, `Label`, `Address`).
 */
function placeOf(one: (name: string) => string | undefined): string | undefined {
  const [latitude, longitude] = [one('Latitude'), one('Longitude')]
  if (!latitude || !longitude || !Number.isFinite(Number(latitude)) || !Number.isFinite(Number(longitude))) return undefined
  return [one('Label'), one('Address'), `${latitude}, ${longitude}`].filter((part) => part).join('\n')
}

/** Addresses of WhatsApp carry their channel on Twilio's wire. */
const addressOf = (onWire: string) => {
  const address = onWire.replace(/^whatsapp:/, '')
  return asPhone(address) ?? address.slice(0, 64)
}

function readForm(form: Form, messageId: number | undefined): Reading {
  const unreadable: Reading = { kind: 'unreadable', message: 'The form is neither a message nor a status of a message.' }
  // A vendor does not send a message again because one character of it could not be kept.
  const one = (name: string) => form.get(name)?.[0]?.replaceAll('\u0000', '')
  const sid = one('MessageSid') ?? one('SmsSid')
  const given = one('MessageStatus')
  if (!sid || sid.length > 64) return unreadable
  if (given !== undefined && given !== 'received' && given !== 'receiving') {
    const status = twilioStates.get(given) ?? 'sent'
    const vendorCode = one('ErrorCode')?.slice(0, 20)
    return {
      kind: 'status',
      // A message goes through each status once: sid and status make a delivery.
      receiptKey: `status:${sid}:${given.slice(0, 40)}`,
      providerId: sid,
      messageId,
      status,
      reason: status === 'failed' ? failureOfTwilio(vendorCode) : undefined,
      vendorCode,
    }
  }
  const from = one('From')
  const to = one('To')
  if (!from || !to) return unreadable
  const count = Math.min(Number(one('NumMedia') ?? 0) || 0, maxMedia)
  const media = Array.from({ length: count }, (_, index) => ({
    url: one(`MediaUrl${index}`) ?? '',
    mimeType: one(`MediaContentType${index}`) ?? '',
  }))
  return {
    kind: 'message',
    receiptKey: `in:${sid}`,
    providerId: sid,
    from: addressOf(from),
    to: addressOf(to),
    text: [one('Body'), placeOf(one)].filter((part) => part).join('\n'),
    payload: one('ButtonPayload'),
    media: media.filter(({ url }) => URL.canParse(url)),
    keyword: optOutTypes.get(one('OptOutType')?.toUpperCase() ?? ''),
  }
}

function read(authToken: string | undefined, { raw, url, messageId }: VendorRequest): Reading {
  if (hasTooManyFields(raw.body)) {
    const most = maxFormFields.toLocaleString('en-US')
    return { kind: 'unreadable', message: `The form has more fields than a vendor sends: at most ${most} fields are read.` }
  }
  const form = parseForm(raw.body)
  const isSigned = authToken !== undefined && isSignedByTwilio(authToken, raw.headers['x-twilio-signature'], url, form)
  return isSigned ? readForm(form, messageId) : { kind: 'forged' }
}

/** `<Response/>`, with one message in it where there is something to answer. */
function twiml(text: string | undefined): string {
  const escaped = text?.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${escaped === undefined ? '' : `<Message>${escaped}</Message>`}</Response>`
}

export const twilio = defineProvider({
  name: 'twilio',
  carries: ['sms', 'whatsapp'],
  settings,
  secrets,
  example: {
    title: 'SMS through Twilio',
    channel: 'sms',
    internalName: 'FieldSms',
    settings: { accountSid: 'AC00000000000000000000000000000000', from: '+15005550006' },
    secrets: { authToken: 'from-the-console' },
  },
  findIssues(channel, { from }) {
    if (isSender(channel, from)) return []
    const message =
      channel === 'sms' ? 'Neither a phone number with its country nor a sender name or short code.' : 'No phone number with its country.'
    return [finding('$.from', message)]
  },
  goesTo({ apiBaseUrl: base }) {
    if (base === undefined) return undefined
    const { hostname, origin } = new URL(base)
    return { host: hostname, origin }
  },
  way: (setup, { channel, callbackUrl }) => ({ ...setup, channel, statusCallback: callbackUrl }),
  read: (setup, request) => read(setup?.secrets.authToken, request),
  answer: (text) => ({ body: twiml(text), mimeType: 'text/xml; charset=utf-8' }),
  filesAt: ({ settings: { accountSid, apiBaseUrl: base }, secrets: { authToken } }) => ({
    origin: new URL(base ?? 'https://api.twilio.com').origin,
    authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
  }),
})

export type TwilioWay = NonNullable<ReturnType<typeof twilio.way>>

/** How an address stands on Twilio's wire. */
export const onTwilioWire = ({ channel }: Pick<TwilioWay, 'channel'>, address: string) =>
  channel === 'whatsapp' ? `whatsapp:${address}` : address

/** What a call that sends says, beside its files. */
export function twilioMessage(via: TwilioWay, order: { readonly to: string; readonly text: string }) {
  const { messagingServiceSid, from } = via.settings
  return {
    to: onTwilioWire(via, order.to),
    body: order.text,
    statusCallback: via.statusCallback,
    ...(messagingServiceSid === undefined ? { from: onTwilioWire(via, from) } : { messagingServiceSid }),
  }
}
