/** Messages as notifications of browsers, to every browser of a person. One that is pushed twice is shown once, so that a push without an answer is made again. */
import { AppError } from '#platform/errors.ts'
import { webPushPayload, type WebPushWay } from '#tools/messaging/providers/web-push.ts'
import { endDevice, type Order, type Outcome } from '#tools/messaging/service.ts'

import { callVendor, NotConnected, retryAfterMs } from '../wire.ts'
import type { Carrier, CarrierParts } from './carrier.ts'

type WebPushOrder = Order<WebPushWay>
type Browser = WebPushWay['browsers'][number]

/** What came of one browser. */
interface Pushed {
  readonly kind: 'taken' | 'gone' | 'later' | 'misconfigured' | 'refused'
  /** Absent: the push service was not asked. */
  readonly status?: number
  readonly afterMs?: number | undefined
}

const keptSeconds = 3 * 86_400

async function push(parts: CarrierParts, { via, ...order }: WebPushOrder, { endpoint, p256dh, auth }: Browser): Promise<Pushed> {
  const { generateRequestDetails, getVapidHeaders } = await import('web-push')
  const { subject, publicKey, privateKey } = via.vapid
  try {
    getVapidHeaders(new URL(endpoint).origin, subject, publicKey, privateKey, 'aes128gcm')
  } catch {
    // What is wrong is ours, and no fault of the browser's.
    return { kind: 'misconfigured' }
  }
  let details: ReturnType<typeof generateRequestDetails>
  try {
    details = generateRequestDetails({ endpoint, keys: { p256dh, auth } }, webPushPayload(via, order), {
      vapidDetails: via.vapid,
      TTL: keptSeconds,
      contentEncoding: 'aes128gcm',
      urgency: 'high',
      topic: via.providerId,
    })
  } catch {
    // A key of the browser's that is none: it can never be written to.
    return { kind: 'gone' }
  }
  try {
    const answer = await callVendor(parts, new URL(endpoint), { method: 'POST', headers: details.headers, body: details.body })
    const status = answer.statusCode
    if (status >= 200 && status < 300) return { kind: 'taken', status }
    if (status === 404 || status === 410) return { kind: 'gone', status }
    if (status === 401 || status === 403) return { kind: 'misconfigured', status }
    if (status === 429 || status === 408 || status >= 500)
      return { kind: 'later', status, afterMs: retryAfterMs(answer.headers['retry-after']) }
    return { kind: 'refused', status }
  } catch (error) {
    // Our own guard holds it back: what it guards by may change, and the browser is still there.
    if (error instanceof AppError) return { kind: 'refused' }
    if (!(error instanceof NotConnected)) parts.services.log.debug({ err: error }, 'a push had no answer')
    return { kind: 'later' }
  }
}

async function send(parts: CarrierParts, order: WebPushOrder): Promise<Outcome> {
  const { via, tenantId, to } = order
  const found = await Promise.all(
    via.browsers.map(async (browser): Promise<Pushed> => {
      const pushed = await push(parts, order, browser)
      if (pushed.kind === 'gone') await endDevice(parts.services, tenantId, { channelId: via.channelId, address: to }, browser.device)
      return pushed
    }),
  )
  if (found.some(({ kind }) => kind === 'taken')) return { kind: 'sent', providerId: via.providerId }
  const late = found.find((one) => one.kind === 'later')
  if (late) return { kind: 'notSent', detail: 'the push service is busy', ...(late.afterMs === undefined ? {} : { afterMs: late.afterMs }) }
  const refusal = found.find((one) => one.kind === 'misconfigured') ?? found.find((one) => one.kind === 'refused')
  if (!refusal) return { kind: 'refused', reason: 'badAddress' }
  return {
    kind: 'refused',
    reason: refusal.kind === 'misconfigured' ? 'channelMisconfigured' : 'refused',
    ...(refusal.status === undefined ? {} : { vendorCode: String(refusal.status) }),
  }
}

export const webPush: Carrier<WebPushWay> = {
  send,
  lookUp: () => Promise.resolve({ kind: 'notSent', detail: 'a second push takes the place of the first' }),
}
