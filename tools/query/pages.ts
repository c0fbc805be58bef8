/** Pages of records, as every list of them answers. */
import { createHash } from 'node:crypto'

import { type Listing, listing, rawJson } from '#platform/answer.ts'
import { inRecords, lastInRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { verdictOf } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { decodeCursor, encodeCursor, notOfThisList, pageOf, type PageRequest, pageTooLarge, totalOf } from '#platform/paging.ts'

import { showing } from './document.rules.ts'
import { callerOf, type ReadFrame } from './frame.ts'
import { countRows, type DocumentRows, listDocuments, type PageQuery } from './read.store.ts'
import { parseReaching } from './reach.ts'
import { type Narrowing, shownOf } from './records.ts'
import { type Opening, openSource, type Source } from './source.rules.ts'
import type { QueryNode, SortKey } from './tree.types.ts'
import { noteUse } from './uses.ts'
import { isPosition } from './values.rules.ts'

export interface ListRequest extends Narrowing {
  readonly page?: number | undefined
  readonly pageNumber?: number | undefined
  readonly pageSize?: number | undefined
  readonly cursor?: string | undefined
  readonly filterRules?: unknown
  readonly filters?: unknown
  readonly sort?: unknown
  readonly includeTotal?: boolean | undefined
}

/** Parses filter and sort. Throws 400 with every finding. */
export async function queryOf(
  context: TxContext,
  { catalog }: ReadFrame,
  source: Source,
  input: Pick<ListRequest, 'filterRules' | 'filters' | 'sort'>,
): Promise<{ filter: QueryNode | undefined; sort: readonly SortKey[] }> {
  if (input.filterRules !== undefined && input.filters !== undefined)
    throw new AppError('invalid_input', 'filterRules and filters are two names of one thing. Send one of them.')
  const parsed = await parseReaching(catalog, source, input, callerOf(context, catalog))
  if (parsed.issues.length > 0) {
    const { code, first } = verdictOf(parsed.issues)
    throw new AppError(code, `The query is not valid: ${first?.message ?? ''}`, { issues: parsed.issues })
  }
  return parsed
}

/** Filters that hold together, each as a list takes it. Throws 400 with every finding of the first that is wrong. */
export async function conjunctionOf(
  context: TxContext,
  frame: ReadFrame,
  source: Source,
  said: readonly unknown[],
): Promise<QueryNode | undefined> {
  const filters: QueryNode[] = []
  for (const one of said) {
    const { filter } = await queryOf(context, frame, source, { filterRules: one })
    if (filter) filters.push(filter)
  }
  return filters.length > 1 ? { kind: 'group', logic: 'AND', nodes: filters } : filters[0]
}

/** A cursor belongs to one query: the same entity, filter and sort. */
function queryMark(frame: ReadFrame, input: unknown): string {
  return createHash('sha1')
    .update(JSON.stringify([frame.entity.entityId, input]))
    .digest('base64url')
    .slice(0, 10)
}

/** Which of an entity's records a list is about, beside its filter. */
export interface Listed extends Pick<Opening, 'rows' | 'asOf'>, Pick<PageQuery, 'modifiedSince' | 'parentId'> {
  /** Filters that all of them fulfil besides, as they stand in a stored definition. */
  readonly within?: readonly unknown[]
  /** Says of each the link to the record of this id, of which they are peers. */
  readonly linkedTo?: number
}

/** A page of records, as the list operations answer it. */
export async function listRecords(context: TxContext, frame: ReadFrame, input: ListRequest, listed: Listed = {}): Promise<Listing<never>> {
  const page = pageOf(context, input)
  const statement = showing(frame, shownOf(context, frame, input), listed)
  const { filter: asked, sort } = await queryOf(context, frame, statement.source, input)
  const within = await conjunctionOf(context, frame, statement.source, listed.within ?? [])
  const filter: QueryNode | undefined = within && asked ? { kind: 'group', logic: 'AND', nodes: [within, asked] } : (within ?? asked)
  if (!frame.hasTable) return listing<never>(rawJson('[]'), totalOf(page, 0))
  const mark = queryMark(frame, [input.filterRules ?? input.filters ?? null, input.sort ?? null, listed])
  let after: readonly unknown[] | undefined
  if (page.cursor !== undefined) {
    const [given, ...position] = decodeCursor(page.cursor, sort.length + 2)
    if (given !== mark)
      throw new AppError(
        'invalid_input',
        'The cursor belongs to another filter or sort. Repeat the call that gave it, or start without one.',
      )
    if (!isPosition(sort, position)) throw notOfThisList()
    after = position
  }
  const { modifiedSince, parentId, linkedTo } = listed
  const beganAt = performance.now()
  const rows = await lastInRecords(context, () =>
    listDocuments(context.tx, statement, page, { filter, sort, after, modifiedSince, parentId, linkedTo }),
  )
  noteUse(context, statement.source, { filter, sort }, performance.now() - beganAt)
  return listingOf(page, rows, (position) => [mark, ...position])
}

/**
 * A page of the records of several entities, one entity after the other: it ends with its entity, and its cursor leads to the next that has any. The
 * filter and the sort are those of each, so that they name what all of them have.
 */
export async function listInTurn(
  context: TxContext,
  frames: readonly ReadFrame[],
  input: ListRequest,
  listed: Listed,
): Promise<Listing<never>> {
  const { cursor, ...asked } = input
  const page = pageOf(context, input)
  if (page.isNumbered)
    throw new AppError('invalid_input', 'Records of several entities are paged by cursor: leave out page, or name one entity.')
  const [from, inner] = cursor === undefined ? [0, null] : decodeCursor(cursor, 2)
  if (typeof from !== 'number' || !(from in frames) || (inner !== null && typeof inner !== 'string')) throw notOfThisList()
  const countTo = page.countTo === undefined ? 1 : page.countTo === Infinity ? undefined : page.countTo + 1
  const counts = new Map<number, number>()
  for (const [index, frame] of frames.entries())
    if (index >= from) counts.set(index, await countListed(context, frame, asked, listed, countTo))
  const having = [...counts.keys()].filter((index) => (counts.get(index) ?? 0) > 0)
  const start = inner === null ? (having[0] ?? from) : from
  const frame = frames[start]
  if (!frame) throw notOfThisList()
  const { items, nextCursor } = await listRecords(
    context,
    frame,
    { ...asked, includeTotal: false, ...(inner === null ? {} : { cursor: inner }) },
    listed,
  )
  const following = having.find((index) => index > start)
  const next = nextCursor === undefined ? following !== undefined && [following, null] : [start, nextCursor]
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return listing(items, { ...(next ? { nextCursor: encodeCursor(next) } : {}), ...totalOf(page, total) })
}

async function countListed(
  context: TxContext,
  frame: ReadFrame,
  input: ListRequest,
  listed: Listed,
  limit: number | undefined,
): Promise<number> {
  const source = openSource(frame, listed)
  const { filter } = await queryOf(context, frame, source, input)
  if (!frame.hasTable) return 0
  const { modifiedSince, parentId } = listed
  return inRecords(context.tx, context.tenantId, () => countRows(context.tx, source, { filter, modifiedSince, parentId }, limit))
}

/** How many live records a filter selects, counted up to `limit`. */
export async function countRecords(
  context: TxContext,
  frame: ReadFrame,
  input: Pick<ListRequest, 'filterRules' | 'filters'>,
  limit: number | undefined,
): Promise<number> {
  const source = openSource(frame)
  const { filter } = await queryOf(context, frame, source, input)
  if (!frame.hasTable) return 0
  const beganAt = performance.now()
  const count = await inRecords(context.tx, context.tenantId, () => countRows(context.tx, source, { filter }, limit))
  noteUse(context, source, { filter }, performance.now() - beganAt)
  return count
}

/** A page as its list answers it. Throws 413 where a numbered page does not fit. */
function listingOf(
  page: PageRequest,
  rows: DocumentRows & { readonly total: number | null },
  cursor: (position: readonly unknown[]) => readonly unknown[],
): Listing<never> {
  const hasMore = rows.found > rows.fitting
  if (page.isNumbered && hasMore && rows.fitting < page.pageSize) throw pageTooLarge(page, rows.fitting)
  return listing<never>(rawJson(rows.items), {
    nextCursor: hasMore && rows.position ? encodeCursor(cursor(rows.position)) : undefined,
    ...totalOf(page, rows.total ?? 0),
  })
}
