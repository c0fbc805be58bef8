/** Request bodies, read by ourselves from the raw request: bounded in bytes and in time, and JSON never parsed but by `readJson`. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

import { AppError } from '#platform/errors.ts'
import { readJson } from '#platform/json.ts'
import type { Pace, Watched } from '#platform/pace.ts'

export interface ReadLimits {
  readonly bytes: number
  readonly pace: Pace
  readonly watched: Watched
}

/** The size that the request declares; undefined where it is sent in chunks of unknown number. */
export function declaredBytes(request: IncomingMessage): number | undefined {
  if (request.headers['transfer-encoding'] !== undefined) return undefined
  return Number(request.headers['content-length'] ?? 0)
}

/** `type/subtype` in lower case; empty where the request names none. */
export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function inMiB(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.floor(bytes / 1024 / 1024)} MiB` : `${bytes} bytes`
}

export function tooLarge(what: string, limitBytes: number): AppError {
  return new AppError('too_large', `${what} is larger than ${inMiB(limitBytes)}. Send less at a time.`)
}

/** Refuses at once what the headers already show to be too large or compressed. */
export function checkDeclared(request: IncomingMessage, what: string, limitBytes: number): void {
  if ((declaredBytes(request) ?? 0) > limitBytes) throw tooLarge(what, limitBytes)
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_type', 'The body is compressed. Send it without Content-Encoding.')
  }
}

/**
 * The whole body. Throws `too_large` beyond the bytes, `timeout` where it stalls or takes too long, `invalid_input` when the connection ends
 * first; what is left on the wire then is dropped after the answer.
 */
export function readBytes(request: IncomingMessage, limits: ReadLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const fail = (error: unknown) => {
      unwatch()
      request.off('data', onData)
      reject(error)
    }
    const unwatch = limits.pace.watch(request, limits.watched, fail)
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limits.bytes) return fail(tooLarge('The body', limits.bytes))
      chunks.push(chunk)
    }
    request.on('data', onData)
    request.on('end', () => {
      unwatch()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes))
    })
    const onGone = () => fail(new AppError('invalid_input', 'The connection ended before the body was whole.'))
    // A request that ended while its credential was looked up has said so already.
    if (request.destroyed) onGone()
    else request.on('error', onGone)
  })
}

const byteOrderMark = Buffer.from('\ufeff')

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes
}

// More of it than this is no oversight, and is left to be refused as JSON.
const blankBytes = 64 * 1024

function isBlank(bytes: Buffer): boolean {
  if (bytes.length > blankBytes) return false
  for (const byte of bytes) if (byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13) return false
  return true
}

function checkJsonType(request: IncomingMessage): void {
  if (request.headers['content-type'] === 'application/json') return
  const type = mediaType(request)
  // A body of no stated type is taken for what every operation expects; a stated type that is another one is a mistake worth telling.
  if (type !== '' && !/^(?:application|text)\/(?:json|[^/]+\+json)$/.test(type)) {
    throw new AppError('unsupported_type', 'The Content-Type of the body is not JSON. Send application/json.')
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase()
  if (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    throw new AppError('unsupported_type', 'JSON is read as UTF-8. Send the body in UTF-8, without another charset.')
  }
}

/** The JSON object that is the body; `{}` where the body is absent, empty or white space. */
export async function readJsonObject(request: IncomingMessage, limits: ReadLimits): Promise<Record<string, unknown>> {
  const declared = declaredBytes(request)
  if (declared === 0) return {}
  checkDeclared(request, 'The body', limits.bytes)
  if (declared !== undefined) checkJsonType(request)
  const bytes = await readBytes(request, limits)
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not UTF-8 text.')
  const text = withoutMark(bytes)
  if (isBlank(text)) return {}
  if (declared === undefined) checkJsonType(request)
  const { value, refusal } = await readJson(text)
  if (refusal) throw refusal
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError(
      'invalid_input',
      `The body is JSON, but ${Array.isArray(value) ? 'an array' : 'no object'}. Send an object, {} where there is nothing to say.`,
    )
  }
  return Object.fromEntries(Object.entries(value))
}
