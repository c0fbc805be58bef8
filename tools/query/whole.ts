/**
 * Everything that an entity has, whoever sees it: for who takes a whole tenant along. It is read page by page, each in a transaction of its own, so that
 * no snapshot is held for as long as all of it takes.
 */
import { hasRecordSchema, inRecords } from '#platform/db/records.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'

import { unbound } from './sight.ts'
import { fetchWhole, findBound, type LinkPlace, listLinks, openRecords, openVersions, type VersionPlace } from './whole.store.ts'

/** The records that live, or their earlier versions and what is deleted. */
type WholePart = 'records' | 'history'

export interface WholePage<Place> {
  /** JSON texts of one line each. */
  readonly lines: readonly string[]
  /** Behind the last of them; undefined: nothing follows. */
  readonly next: Place | undefined
}

const pageBytes = 1024 * 1024
// Those that belong to a later page are written as JSON in vain.
const batch = 64
const recordsAtOnce = 500
const linksAtOnce = 5_000
/** No version comes behind it. */
const lastVersion = 2_147_483_647

interface Taken {
  readonly lines: readonly string[]
  readonly last: VersionPlace | undefined
  /** Nothing is left of what was opened. */
  readonly isAll: boolean
}

/** Rows of what is open until a page is full. */
async function take(tx: Tx): Promise<Taken> {
  const lines: string[] = []
  let last: VersionPlace | undefined
  for (;;) {
    const rows = await fetchWhole(tx, batch)
    for (const { id, version, line } of rows) {
      if (line === null) return { lines, last, isAll: false }
      lines.push(line)
      last = { id, version }
    }
    if (rows.length < batch) return { lines, last, isAll: true }
  }
}

/** A page of an entity from behind a place on; from the beginning without one. */
export async function readWhole(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  part: WholePart,
  after: VersionPlace = { id: 0, version: 0 },
): Promise<WholePage<VersionPlace>> {
  const { tx, tenantId } = context
  const readable = await unbound(context, catalog, entity)
  if (readable.present.size === 0) return { lines: [], next: undefined }
  return inRecords(tx, tenantId, async () => {
    const upTo = part === 'history' ? await findBound(tx, readable, after.id, recordsAtOnce) : undefined
    if (part === 'records') await openRecords(tx, readable, after.id, pageBytes)
    else if (upTo === undefined) return { lines: [], next: undefined }
    else await openVersions(tx, readable, after, upTo, pageBytes)
    const { lines, last, isAll } = await take(tx)
    if (!isAll && last) return { lines, next: last }
    // Behind the last record of the range there may be others; where it is the one that the page began with, there are none.
    if (upTo === undefined || (upTo === after.id && after.version === lastVersion)) return { lines, next: undefined }
    return { lines, next: { id: upTo, version: lastVersion } }
  })
}

/** A page of the links of peers, from behind one on. */
export async function readWholeLinks({ tx, tenantId }: TxContext, after: LinkPlace | undefined): Promise<WholePage<LinkPlace>> {
  if (!(await hasRecordSchema(tx, tenantId))) return { lines: [], next: undefined }
  const rows = await inRecords(tx, tenantId, () => listLinks(tx, tenantId, after, linksAtOnce))
  return { lines: rows.map(({ line }) => line), next: rows.length < linksAtOnce ? undefined : rows.at(-1)?.place }
}
