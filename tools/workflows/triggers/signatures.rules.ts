/** Whether a delivery is signed by whom a trigger expects. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

import { valueAt } from '../definition/definition.types.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** Seconds that the time of a delivery may lie beside ours. */
const toleranceSeconds = 300
const maxSignatures = 20

const digest = (text: string | Buffer) => createHash('sha256').update(text).digest()
/** Of texts of any length, in a time that tells nothing of them. */
const isEqual = (a: string | Buffer, b: string | Buffer) => timingSafeEqual(digest(a), digest(b))

export const headerOf = (headers: Headers, name: unknown) => (typeof name === 'string' ? headers[name.toLowerCase()] : undefined)

function isStandard(headers: Headers, body: Buffer, secret: string, nowMs: number): boolean {
  const [id, timestamp, said] = [headers['webhook-id'], headers['webhook-timestamp'], headers['webhook-signature']]
  if (id === undefined || timestamp === undefined || said === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return said
    .split(' ')
    .slice(0, maxSignatures)
    .some((one) => isEqual(one, `v1,${wanted}`))
}

function isHmac(config: unknown, headers: Headers, body: Buffer, secret: string): boolean {
  const said = headerOf(headers, valueAt(config, 'header'))
  const prefix = valueAt(config, 'prefix')
  const before = typeof prefix === 'string' ? prefix : ''
  if (said === undefined || !said.startsWith(before)) return false
  const algorithm = valueAt(config, 'algorithm') === 'sha1' ? 'sha1' : 'sha256'
  const encoding = valueAt(config, 'encoding') === 'base64' ? 'base64' : 'hex'
  const wanted = createHmac(algorithm, secret).update(body).digest(encoding)
  const given = said.slice(before.length)
  return isEqual(encoding === 'hex' ? given.toLowerCase() : given, wanted)
}

export function isSigned(
  config: unknown,
  { headers, body }: { readonly headers: Headers; readonly body: Buffer },
  secret: string,
  nowMs: number,
): boolean {
  switch (valueAt(config, 'scheme')) {
    case 'standardWebhooks':
      return isStandard(headers, body, secret, nowMs)
    case 'header':
      return isEqual(headerOf(headers, valueAt(config, 'name')) ?? '', secret)
    case 'hmac':
      return isHmac(config, headers, body, secret)
    default:
      return false
  }
}

/** What tells a delivery from its replay; undefined: each counts. */
export function deliveryName(config: unknown, headers: Headers): string | undefined {
  // Signed by the standard's scheme, so that nobody sends it again under another.
  const own = valueAt(config, 'scheme') === 'standardWebhooks' ? headers['webhook-id'] : headerOf(headers, valueAt(config, 'idHeader'))
  const name = own ?? headers['webhook-id'] ?? headers['idempotency-key']
  return name === undefined || name === '' ? undefined : name
}

/** Of the headers what no run is to hold: credentials, and what signs. */
export function headersShown(config: unknown, headers: Headers): Readonly<Record<string, string>> {
  const names = [valueAt(config, 'name'), valueAt(config, 'header')].flatMap((name) => (typeof name === 'string' ? name.toLowerCase() : []))
  const hidden = new Set([...names, 'authorization', 'cookie', 'proxy-authorization', 'webhook-signature'])
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || hidden.has(name) ? [] : [[name, value] as const])),
  )
}
