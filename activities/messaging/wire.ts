/** Calls to vendors, over our guarded connections: no redirect is followed, and none holds us longer, or fills more memory, than its limit. */
import { type Dispatcher, request } from 'undici'

import { AppError } from '#platform/errors.ts'
import { assertEncrypted } from '#platform/outbound.ts'

import type { CarrierParts } from './providers/carrier.ts'

/** The call was never made, or its connection never stood: nothing can have been sent. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected'
}

const beforeConnecting: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

export const codeOf = (error: unknown) => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '')

// A page of a vendor's list is some hundred kilobytes. The address is a tenant's to choose, and must not be able to fill our memory.
const maxAnswerBytes = 4 * 1024 * 1024

async function textWithin(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new Error('The answer is larger than any of the vendor')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export interface VendorAnswer {
  readonly statusCode: number
  readonly headers: Dispatcher.ResponseData['headers']
  readonly body: string
}

/** Throws NotConnected, AppError `unprocessable` for an address that may not be called, or what the connection threw. */
export async function callVendor(
  { services, dispatcher, callMs }: CarrierParts,
  url: URL,
  call: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>,
): Promise<VendorAnswer> {
  try {
    await assertEncrypted(services.config, url)
    const answer = await request(url, { dispatcher, ...call, signal: AbortSignal.timeout(callMs) })
    return { statusCode: answer.statusCode, headers: answer.headers, body: await textWithin(answer.body) }
  } catch (cause) {
    if (cause instanceof AppError || !beforeConnecting.has(codeOf(cause))) throw cause
    throw new NotConnected('The vendor could not be reached', { cause })
  }
}

/** An object in JSON; undefined for anything else. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

const longestMs = 3_600_000

/** For how long a vendor asks to be left alone, an hour at most; undefined where it does not say. */
export function retryAfterMs(seconds: unknown): number | undefined {
  const told = typeof seconds === 'string' && seconds.trim() !== '' ? Number(seconds) : seconds
  return typeof told === 'number' && Number.isFinite(told) && told >= 0 ? Math.min(Math.max(told * 1_000, 1_000), longestMs) : undefined
}

/** For clients of vendors that take the part that makes their calls. */
export function guardedFetch(parts: CarrierParts): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const headers = Object.fromEntries(new Headers(init?.headers))
    const method = init?.method === undefined || init.method === 'GET' ? 'GET' : 'POST'
    const { body = null } = init ?? {}
    if (body !== null && typeof body !== 'string') throw new TypeError('A client of a vendor sends text alone')
    const answer = await callVendor(parts, url, { method, headers, body })
    const told = Object.entries(answer.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))
    return new Response(answer.body === '' ? null : answer.body, { status: answer.statusCode, headers: Object.fromEntries(told) })
  }
}
