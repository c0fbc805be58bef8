/** Watermarks: opaque tokens of a place in the order of changes, or a time. */
import { AppError } from '#platform/errors.ts'

import { readTime } from './times.rules.ts'

export type Watermark =
  | { readonly kind: 'beginning' }
  | { readonly kind: 'time'; readonly since: string }
  | {
      readonly kind: 'token'
      readonly epochUuid: string
      readonly entityId: number
      readonly wipeNo: number
      /** The watermark that this drain began with; what was created after it is "added". Undefined: the beginning. */
      readonly since: string | undefined
      /** Instead of `since`: the time that this drain began with. */
      readonly sinceTime?: string | undefined
      readonly changeNo: string
      readonly id: string
      /** Of the access rules that the reader was bound by; undefined: by none. */
      readonly fingerprint?: string | undefined
    }

type Token = Extract<Watermark, { kind: 'token' }>

/** The token of a place, base64url of JSON. */
export function encodeWatermark(token: Omit<Token, 'kind'>): string {
  return Buffer.from(
    JSON.stringify([
      'w1',
      token.epochUuid,
      token.entityId,
      token.wipeNo,
      token.since ?? token.sinceTime ?? null,
      token.changeNo,
      token.id,
      ...(token.fingerprint === undefined ? [] : [token.fingerprint]),
    ]),
  ).toString('base64url')
}

/** Whether it is the text of a number that PostgreSQL's bigint holds: tokens are not signed, so anything may come. */
function isBigint(part: unknown): boolean {
  return typeof part === 'string' && /^\d{1,19}$/.test(part) && BigInt(part) < 2n ** 63n
}

/** Throws AppError `invalid_input` for what is neither a token nor a time. */
export function parseWatermark(text: string | undefined): Watermark {
  if (text === undefined || text === '') return { kind: 'beginning' }
  const since = readTime(text, 'begin')
  if (since) return { kind: 'time', since }
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (Array.isArray(parts) && parts[0] === 'w1' && (parts.length === 7 || parts.length === 8)) {
      const [, epochUuid, entityId, wipeNo, first, changeNo, id, fingerprint] = parts
      const began = typeof first === 'string' ? readTime(first, 'begin') : undefined
      if (isBigint(changeNo) && isBigint(id) && (first === null || began !== undefined || isBigint(first))) {
        return {
          kind: 'token',
          epochUuid: String(epochUuid),
          entityId: Number(entityId),
          wipeNo: Number(wipeNo),
          since: first === null || began !== undefined ? undefined : String(first),
          sinceTime: began,
          changeNo: String(changeNo),
          id: String(id),
          fingerprint: fingerprint === undefined ? undefined : String(fingerprint),
        }
      }
    }
  } catch {
    // Falls through to the one sentence below.
  }
  throw new AppError(
    'invalid_input',
    'The watermark is neither one of this list nor an ISO 8601 time. Take it from the last answer, or leave it out to begin anew.',
  )
}
