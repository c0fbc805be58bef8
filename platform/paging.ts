/** Fields and cursors that paged lists share. */
import { z } from 'zod'

import { AppError } from './errors.ts'

export const pageSizeMax = 1000

/** Of a sort by several texts; all that an answer's headers may take together is 16 KiB with most clients. */
const cursorMax = 12_000

/** Input fields of a list by page: `page` (or `pageNumber`) from 1, `pageSize` 50 unless told, or `cursor` from the last answer. */
export const pageInput = {
  page: z.int().min(1).optional().describe('From 1; not together with cursor'),
  pageNumber: z.int().min(1).optional().describe('Another name of page'),
  pageSize: z.int().min(1).max(pageSizeMax).optional().describe('50 unless told'),
  cursor: z.string().max(cursorMax).optional().describe('nextCursor of the last answer'),
} as const

export interface PageRequest {
  readonly page: number
  readonly pageSize: number
  readonly cursor: string | undefined
}

/** Throws AppError `invalid_input` where page and pageNumber differ or a page stands beside a cursor. */
export function pageOf(input: {
  page?: number | undefined
  pageNumber?: number | undefined
  pageSize?: number | undefined
  cursor?: string | undefined
}): PageRequest {
  if (input.page !== undefined && input.pageNumber !== undefined && input.page !== input.pageNumber) {
    throw new AppError('invalid_input', 'page and pageNumber are two names of one thing and differ. Send one of them.')
  }
  const page = input.page ?? input.pageNumber
  if (page !== undefined && input.cursor !== undefined) throw new AppError('invalid_input', 'Send either a page or a cursor, not both.')
  return { page: page ?? 1, pageSize: input.pageSize ?? 50, cursor: input.cursor }
}

/** Whether the answer tells how many there are in all: on the first page, unless the caller does without. */
export function countsTotal(input: Parameters<typeof pageOf>[0] & { includeTotal?: boolean | undefined }): boolean {
  const { page, cursor } = pageOf(input)
  return page === 1 && cursor === undefined && input.includeTotal !== false
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
