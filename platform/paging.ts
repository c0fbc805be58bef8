/** Fields and cursors that paged lists share, and how a page ends: by its size, or where its answer would pass the limit of bytes. */
import { z } from 'zod'

import { type Listing, listing } from './answer.ts'
import { AppError } from './errors.ts'
import { finding } from './findings.ts'
import type { CallContext } from './operation.ts'

export const pageSizeMax = 1000

/** How far a list counts its rows unless the caller asks for all of them: a count visits each one. */
export const countedTo = 10_000

/** Of a sort by several texts; all that an answer's headers may take together is 16 KiB with most clients. */
const cursorMax = 12_000

/** Input fields of a list by page: `page` (or `pageNumber`) from 1, `pageSize` 50 unless told, or `cursor` from the last answer. */
export const pageInput = {
  page: z.int().min(1).optional().describe('From 1; or cursor'),
  pageNumber: z.int().min(1).optional().describe('Another name of page'),
  pageSize: z.int().min(1).max(pageSizeMax).optional().describe('50 unless told'),
  cursor: z.string().max(cursorMax).optional().describe('nextCursor of the last answer'),
  includeTotal: z.boolean().optional().describe('Counts past 10,000; false: not at all'),
} as const

interface PageInput {
  readonly page?: number | undefined
  readonly pageNumber?: number | undefined
  readonly pageSize?: number | undefined
  readonly cursor?: string | undefined
  readonly includeTotal?: boolean | undefined
}

export interface PageRequest {
  readonly pageSize: number
  /** Rows before the page; 0 with a cursor. */
  readonly offset: number
  readonly cursor: string | undefined
  /** The caller named the page by its number: it is answered whole or refused, since the next number would skip what was left out. */
  readonly isNumbered: boolean
  /** The most bytes that its rows may take as JSON. One row alone may take more. */
  readonly bytes: number
  /** How far the rows of all pages are counted; undefined: not at all. */
  readonly countTo: number | undefined
}

/** Throws AppError `invalid_input` where page and pageNumber differ or a page stands beside a cursor. */
export function pageOf(context: Pick<CallContext, 'answerBytes'>, input: PageInput): PageRequest {
  const { cursor, includeTotal, pageSize = 50 } = input
  if (input.page !== undefined && input.pageNumber !== undefined && input.page !== input.pageNumber) {
    throw new AppError('invalid_input', 'page and pageNumber are two names of one thing and differ. Send one of them.')
  }
  const named = input.page ?? input.pageNumber
  if (named !== undefined && cursor !== undefined) throw new AppError('invalid_input', 'Send either a page or a cursor, not both.')
  const page = named ?? 1
  const isCounted = page === 1 && cursor === undefined && includeTotal !== false
  return {
    pageSize,
    offset: (page - 1) * pageSize,
    cursor,
    isNumbered: named !== undefined,
    bytes: context.answerBytes,
    countTo: isCounted ? (includeTotal === true ? Infinity : countedTo) : undefined,
  }
}

/** How many rows there are in all, as an answer tells it; empty where nobody asked. */
export interface Total {
  readonly totalCount?: number
  readonly totalAtLeast?: number
}

/** `count` was made up to one more than the page asks for. */
export function totalOf(page: PageRequest, count: number): Total {
  if (page.countTo === undefined) return {}
  return count > page.countTo ? { totalAtLeast: page.countTo } : { totalCount: count }
}

/** The refusal of a numbered page whose answer would pass the limit after `fitting` rows. */
export function pageTooLarge(page: PageRequest, fitting: number): AppError {
  const fits = Math.max(1, fitting)
  const message = `The rows of this page are larger than an answer may be (${page.bytes} bytes). pageSize ${fits} fits; or leave out page and go on with nextCursor.`
  return new AppError('too_large', message, { issues: [finding('$.pageSize', message, { suggestion: String(fits) })] })
}

/** What stands around the rows of an answer that is an object: names of fields, a watermark. */
export const envelopeBytes = 512

/** As many of these as fit as a JSON array, the first one always. */
export function fitting<T>(bytes: number, rows: readonly T[]): readonly T[] {
  let left = bytes - 1
  const end = rows.findIndex((row, index) => {
    left -= Buffer.byteLength(JSON.stringify(row)) + 1
    return left < 0 && index > 0
  })
  return end === -1 ? rows : rows.slice(0, end)
}

/** Rows that a statement found for a page. */
export interface Found<R> {
  readonly rows: readonly R[]
  /** Whether there are more behind them. */
  readonly hasMore: boolean
}

/**
 * What a list answers: the rows as they are shown, no more than its bytes allow, and the cursor behind the last of them. Throws AppError `too_large`
 * where a numbered page does not fit.
 */
export function listOf<R, T>(
  page: PageRequest,
  found: Found<R>,
  how: { readonly show: (row: R) => T; readonly cursor: (row: R) => readonly unknown[]; readonly total?: Total },
): Listing<T> & { readonly items: readonly T[] } {
  const items = fitting(page.bytes, found.rows.map(how.show))
  const last = found.rows[items.length - 1]
  const hasMore = found.hasMore || items.length < found.rows.length
  if (page.isNumbered && hasMore && items.length < page.pageSize) throw pageTooLarge(page, items.length)
  return {
    ...listing(items, { nextCursor: hasMore && last !== undefined ? encodeCursor(how.cursor(last)) : undefined, ...how.total }),
    items,
  }
}

/** How rows are read that are sifted afterwards, since who may see one is not known to the statement. */
export interface Sieve<R, P, S extends R = R> {
  /** Rows behind a place, from the beginning without. */
  readonly read: (page: PageRequest, after: P | undefined) => Promise<Found<R>>
  readonly placeOf: (row: R) => P
  readonly sift: (rows: readonly R[]) => Promise<readonly S[]>
}

/** A page of what is left. Pages by number count that too, so that each number has its rows whatever was left out before it. */
export async function sifted<R, P, S extends R>(
  page: PageRequest,
  after: P | undefined,
  { read, placeOf, sift }: Sieve<R, P, S>,
): Promise<Found<S>> {
  const rows: S[] = []
  let toSkip = page.offset
  let part = { ...page, offset: 0, pageSize: page.isNumbered ? pageSizeMax : page.pageSize }
  for (let place = after; ;) {
    const found = await read(part, place)
    const kept = await sift(found.rows)
    rows.push(...kept.slice(toSkip))
    toSkip = Math.max(0, toSkip - kept.length)
    const last = found.rows.at(-1)
    // A page by cursor ends with what it found: the next one goes on behind it.
    const isEnough = page.isNumbered ? rows.length > page.pageSize : rows.length > 0
    if (isEnough || !found.hasMore || last === undefined)
      return { rows: rows.slice(0, page.pageSize), hasMore: rows.length > page.pageSize || (isEnough && found.hasMore) }
    place = placeOf(last)
    part = { ...part, pageSize: pageSizeMax }
  }
}

/** How many rows are left of a list that is sifted, no further than the page asks for. */
export async function countSifted<R, P>(page: PageRequest, { read, placeOf, sift }: Sieve<R, P>): Promise<Total> {
  if (page.countTo === undefined) return {}
  const part = { ...page, offset: 0, pageSize: countedTo, bytes: Number.MAX_SAFE_INTEGER }
  let count = 0
  for (let place: P | undefined; ;) {
    const found = await read(part, place)
    count += (await sift(found.rows)).length
    const last = found.rows.at(-1)
    if (count > page.countTo || !found.hasMore || last === undefined) return totalOf(page, count)
    place = placeOf(last)
  }
}

/** The refusal of a cursor that the list did not write. */
export function notOfThisList(): AppError {
  return new AppError('invalid_input', 'The cursor is not one of this list. Take nextCursor from its last answer, or start without one.')
}

/** An opaque cursor: base64url of JSON. It holds no secret and grants nothing; it is only not for reading. */
export function encodeCursor(value: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Throws AppError `invalid_input` for anything that `encodeCursor` did not write. */
export function decodeCursor(cursor: string, length: number): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(value) && value.length === length) return value
  } catch {
    // Falls through to the one sentence below.
  }
  throw notOfThisList()
}

/** The id in a cursor that holds nothing else. Throws AppError `invalid_input` for anything that is no id. */
export function decodeIdCursor(cursor: string): number {
  const [id] = decodeCursor(cursor, 1)
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return id
  throw notOfThisList()
}
