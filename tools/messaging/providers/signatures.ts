/** Signatures of vendors' requests, compared without telling anything by the time it takes. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export function isEqual(a: string, b: string): boolean {
  // Of equal length whatever was sent, so that neither the comparison nor its absence tells anything.
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
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
