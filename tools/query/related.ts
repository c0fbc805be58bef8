/** Records related to others, read for all of them at once: as many statements as relationships, however many rows. */
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { verdictOf } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'

import { showing } from './document.rules.ts'
import { callerOf, type ReadFrame } from './frame.ts'
import { parseReaching } from './reach.ts'
import { listRelated, type RelatedBy } from './related.store.ts'

/** A record with its own fields beside its values, as tokens name them. */
export type FlatRecord = Readonly<Record<string, unknown>>

export interface RelatedRequest {
  readonly by: RelatedBy
  readonly of: readonly number[]
  readonly properties: readonly CatalogProperty[]
  readonly filter?: unknown
  readonly sort?: unknown
  readonly each: number
  readonly limit: number
  readonly bytes: number
  /** ISO 8601: as they were then. */
  readonly asOf?: string | undefined
}

export interface Related {
  /** By the id that they are related to, in their order. */
  readonly records: ReadonlyMap<number, readonly FlatRecord[]>
  readonly count: number
  /** Whether there are more than are here. */
  readonly isCut: boolean
  /** Properties that are null in some of them because the caller may not see them. */
  readonly withheld: ReadonlySet<string>
}

/** A document flat, and the names of what is withheld in it. */
export function flatRecord({ data, ...fields }: Readonly<Record<string, unknown>>): { record: FlatRecord; withheld: readonly string[] } {
  const { rowHash: _hash, withheld = [], ...own } = fields
  // A document's data is an object and what is withheld a list of names: the statement made them.
  return { record: { ...own, ...(data as Readonly<Record<string, unknown>>) }, withheld: withheld as readonly string[] }
}

/** Reads them. The filter and the sort were checked with the definition that holds them; 400 where the caller may not ask by what they name. */
export async function readRelated(context: TxContext, frame: ReadFrame, request: RelatedRequest): Promise<Related> {
  const { tx, tenantId } = context
  const { by, of, properties, each, limit, bytes, asOf } = request
  const statement = showing(frame, { properties, withDataJson: false }, { asOf })
  const said = { filters: request.filter, sort: request.sort }
  const { filter, sort, issues } = await parseReaching(frame.catalog, statement.source, said, callerOf(context, frame.catalog))
  if (issues.length > 0) {
    const { code, first } = verdictOf(issues)
    throw new AppError(code, `The records of ${frame.entity.internalName} cannot be read as the definition says: ${first?.message ?? ''}`)
  }
  const withheld = new Set<string>()
  if (!frame.hasTable || of.length === 0) return { records: new Map(), count: 0, isCut: false, withheld }
  const { rows, hasMore } = await inRecords(tx, tenantId, () => listRelated(tx, statement, { by, of, filter, sort, each, limit, bytes }))
  const records = new Map<number, FlatRecord[]>()
  let [count, isCut] = [0, hasMore]
  for (const { of: id, document } of rows) {
    if (document === null || count === limit) {
      isCut = true
      continue
    }
    count++
    const { record, withheld: names } = flatRecord(document)
    for (const name of names) withheld.add(name)
    const own = records.get(id)
    if (own) own.push(record)
    else records.set(id, [record])
  }
  return { records, count, isCut, withheld }
}
