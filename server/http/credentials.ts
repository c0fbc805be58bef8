/** Who calls, and under which key: what the headers and a signed query say, not yet believed. */
import type { IncomingMessage } from 'node:http'

import type { Credential } from '#platform/call.ts'
import { AppError } from '#platform/errors.ts'
import { readIdempotencyKey } from '#platform/idempotency.ts'

import type { Target } from './url.ts'

/** The names that a signed URL adds to its query; no operation has parameters of these names. */
export const signedParameters = ['sig', 'exp', 'u'] as const

/** The bearer token, or none where the header is absent or of another form. */
export function bearerOf(request: IncomingMessage): Credential {
  const token = /^Bearer +([\x21-\x7e]{1,4096}) *$/i.exec(request.headers.authorization ?? '')?.[1]
  return token === undefined ? { kind: 'none' } : { kind: 'bearer', token }
}

/**
 * The credential of a call. A signature in the URL is the more particular statement, so it counts before a header: a changed one is refused
 * whoever else the caller may be.
 */
export function credentialOf(request: IncomingMessage, target: Target, admitsSigned: boolean): Credential {
  if (!admitsSigned) return bearerOf(request)
  const query = new URLSearchParams(target.query)
  if (!signedParameters.some((name) => query.has(name))) return bearerOf(request)
  const doubled = signedParameters.find((name) => query.getAll(name).length > 1)
  if (doubled !== undefined)
    throw new AppError(
      'invalid_input',
      `The parameter ${doubled} of the signed URL is given more than once. Use the URL as it was answered.`,
    )
  const [sig, exp, u] = signedParameters.map((name) => query.get(name) ?? '')
  // A HEAD asks for what the GET of the same URL would bring.
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
  return { kind: 'signed', method, path: target.path, sig: sig ?? '', exp: exp ?? '', u: u ?? '' }
}

/** Headers of which two would mean two different calls: a proxy may believe one of them, and we the other. */
const singleHeaders = new Set(['authorization', 'idempotency-key', 'host', 'content-type', 'content-length', 'origin'])

/** The refusal of a request in which one of them stands twice. */
export function findDoubledHeader({ rawHeaders }: IncomingMessage): AppError | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) return new AppError('invalid_input', `The header ${name} is given more than once. Send it once.`)
    seen.add(name)
  }
  return undefined
}

/** Throws `invalid_input` on a key that is none. */
export function idempotencyKeyOf(request: IncomingMessage): string | undefined {
  return readIdempotencyKey(request.headers['idempotency-key'], 'Idempotency-Key')
}
