/** Messages through Twilio: sent by its own client, over our guarded connections, to the address that the channel names. */
import type { RequestClient, Twilio } from 'twilio'

import { AppError } from '#platform/errors.ts'
import { downloadPath, signedUrl } from '#tools/assets/service.ts'
import { failureOfTwilio, onTwilioWire, twilioMessage, type TwilioWay } from '#tools/messaging/providers/twilio.ts'
import { type Order, type Outcome, withoutKnown } from '#tools/messaging/service.ts'

import { callVendor, codeOf, NotConnected } from '../wire.ts'
import type { Carrier, CarrierParts } from './carrier.ts'

type TwilioOrder = Order<TwilioWay>

/**
 * Twilio's client has no setting for its address, but takes the part that makes the requests. This one sends them where the channel says, never
 * follows a redirect, and keeps to a limit.
 */
function requestClient(parts: CarrierParts, apiBaseUrl: string | undefined): RequestClient {
  const client = {
    async request(options: {
      method: string
      uri: string
      username?: string
      password?: string
      headers?: Record<string, string>
      params?: object
      data?: object
    }) {
      const wanted = new URL(options.uri)
      const url = apiBaseUrl === undefined ? wanted : new URL(wanted.pathname.slice(1), apiBaseUrl.replace(/\/*$/, '/'))
      for (const [name, value] of Object.entries(options.params ?? {})) url.searchParams.set(name, String(value))
      const form = new URLSearchParams()
      for (const [name, value] of Object.entries(options.data ?? {}))
        for (const one of Array.isArray(value) ? value : [value]) form.append(name, String(one))
      const isPost = options.method.toUpperCase() === 'POST'
      return callVendor(parts, url, {
        method: isPost ? 'POST' : 'GET',
        headers: {
          authorization: `Basic ${Buffer.from(`${options.username ?? ''}:${options.password ?? ''}`).toString('base64')}`,
          accept: 'application/json',
          ...(isPost ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        },
        ...(isPost ? { body: form.toString() } : {}),
      })
    },
  }
  // Twilio's client calls nothing else of it than `request`, whose answer has the three fields above.
  return client as unknown as RequestClient
}

async function clientFor(parts: CarrierParts, { settings, secrets }: Pick<TwilioWay, 'settings' | 'secrets'>): Promise<Twilio> {
  // Half a second and 60 MB that a process without such a channel does not pay.
  const { default: twilio } = await import('twilio')
  return twilio(settings.accountSid, secrets.authToken, { httpClient: requestClient(parts, settings.apiBaseUrl) })
}

function readFailure(error: unknown): Outcome {
  if (error instanceof AppError) return { kind: 'refused', reason: 'channelMisconfigured' }
  if (error instanceof NotConnected) return { kind: 'notSent', detail: 'not connected' }
  const status =
    typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number' ? error.status : undefined
  const vendorCode = /^\d{1,6}$/.test(codeOf(error)) ? codeOf(error) : undefined
  if (status === undefined) return { kind: 'unknown', detail: codeOf(error) || 'no answer' }
  if (status === 429) return { kind: 'notSent', detail: 'too many calls' }
  // Behind a 5xx or a 408 the message may have been taken.
  if (status >= 500 || status === 408) return { kind: 'unknown', detail: `status ${status}` }
  const reason = failureOfTwilio(vendorCode)
  if (reason !== 'optedOut' && (status === 401 || status === 403 || vendorCode === undefined))
    return { kind: 'refused', reason: 'channelMisconfigured', vendorCode: vendorCode ?? String(status) }
  return { kind: 'refused', reason, vendorCode }
}

async function send(parts: CarrierParts, order: TwilioOrder): Promise<Outcome> {
  const { via } = order
  // Signed by the product for the vendor: the message was taken, and holds whatever becomes of the key that sent it.
  const actor = { tenantUserId: order.fromUserId ?? 0, kind: 'system', credentialId: 'system' } as const
  try {
    const client = await clientFor(parts, via)
    const { sid } = await client.messages.create({
      ...twilioMessage(via, order),
      ...(order.assetKeys.length === 0
        ? {}
        : { mediaUrl: order.assetKeys.map((key) => signedUrl({ services: parts.services, actor }, downloadPath(key)).url) }),
    })
    return sid ? { kind: 'sent', providerId: sid } : { kind: 'unknown', detail: 'an answer without an id' }
  } catch (error) {
    return readFailure(error)
  }
}

const listed = 50
// Its clock and ours differ; what is older and ours is known by its id.
const skewMs = 60_000
// One of them may have been set in between by an hour or two. What was made so long before may be this message, so that it is not sent again.
const jumpMs = 3 * 3_600_000
// What a trial account puts before every text.
const trialPrefix = 'Sent from your Twilio trial account - '

const folded = (text: string) => text.replaceAll('\r\n', '\n').trim()

/**
 * Whether an earlier call of this order went through, by Twilio's list: messages to the same address with the same words, made since the claim,
 * that are no message of ours yet. `notSent` where there is none, so that it may be sent again; `neverKnown` where the list cannot tell, since
 * others of ours with the same words are in the same doubt. Throws when the list cannot be read.
 *
 * Filtered by the address alone: a filter by date leaves out what is still queued.
 */
async function lookUp(parts: CarrierParts, order: TwilioOrder, rivals: number): Promise<Outcome> {
  const { via } = order
  const client = await clientFor(parts, via)
  const messages = await client.messages.list({ to: onTwilioWire(via, order.to), limit: listed, pageSize: listed })
  const claimed = Date.parse(order.claimedAt)
  const isMadeSince = (made: Date | null, reachMs = skewMs) => made === null || made.getTime() >= claimed - reachMs
  const alike = messages.filter((one) => {
    const body = folded(one.body)
    const isSameText = body === folded(order.text) || body === trialPrefix + folded(order.text)
    return one.direction !== 'inbound' && isSameText && isMadeSince(one.dateCreated, jumpMs)
  })
  const unknown = new Set(
    await withoutKnown(
      parts.services,
      order.tenantId,
      alike.map((one) => one.sid),
    ),
  )
  const sids = alike.filter((one) => unknown.has(one.sid) && isMadeSince(one.dateCreated)).map((one) => one.sid)
  const [sid] = sids
  // A full page of newer ones hides what lies behind it.
  const isWhole = messages.length < listed || messages.some((one) => !isMadeSince(one.dateCreated, jumpMs))
  if (sid === undefined && unknown.size > 0)
    return { kind: 'neverKnown', detail: 'made before the claim, by the clocks', providerId: undefined }
  if (sid === undefined)
    return isWhole
      ? { kind: 'notSent', detail: 'not in the list' }
      : { kind: 'neverKnown', detail: 'the list is too long', providerId: undefined }
  if (sids.length > rivals) return { kind: 'sent', providerId: sids.at(-1) ?? sid }
  return { kind: 'neverKnown', detail: 'others with the same words', providerId: undefined }
}

export const twilio: Carrier<TwilioWay> = { send, lookUp }

/** One SMS of an account that is no tenant's. Throws where it was not taken. */
export async function sendByAccount(
  parts: CarrierParts,
  {
    authToken,
    ...settings
  }: { readonly accountSid: string; readonly authToken: string; readonly apiBaseUrl: string; readonly from: string },
  { to, text }: { readonly to: string; readonly text: string },
): Promise<void> {
  const client = await clientFor(parts, { settings, secrets: { authToken } })
  await client.messages.create({ to, from: settings.from, body: text })
}
