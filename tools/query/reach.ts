/** Parses queries that reach other entities, whose tables are looked at when the query turns out to name them. */
import type { TxContext } from '#platform/operation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { findCaller } from '#tools/entities/service.ts'

import type { Clock } from './moments.rules.ts'
import { type ParsedQuery, parseQuery, type QueryInput } from './parse.rules.ts'
import type { Reach } from './parser.rules.ts'
import type { Readable, Source } from './source.rules.ts'

/** Who asks a query. */
export interface Asker {
  /** Opens an entity as they see it. */
  readonly look: (entity: CatalogEntity) => Promise<Readable>
  readonly clock: () => Promise<Clock>
}

/** The time of a call, in the zone of the user who calls, or of whom it is for. */
export async function clockOf({ tx, tenantId, actor, stamp, shownIn }: TxContext): Promise<Clock> {
  const caller = shownIn ?? (await findCaller(tx, tenantId, actor.tenantUserId))
  // A read has no stamp.
  return { nowMs: stamp === '' ? Date.now() : Date.parse(stamp), timeZone: caller?.timeZoneIana ?? 'UTC' }
}

export async function parseReaching(
  catalog: Reach['catalog'],
  source: Source,
  input: QueryInput,
  asker: Asker,
): Promise<ParsedQuery & Reach> {
  const tables = new Map<number, Readable>()
  let clock: Clock | undefined
  for (;;) {
    const parsed = parseQuery(source, { catalog, tables, clock }, input)
    if (parsed.issues.length > 0 || (parsed.missing.length === 0 && !parsed.isClockMissing)) return { ...parsed, catalog, tables, clock }
    for (const entity of parsed.missing) tables.set(entity.entityId, await asker.look(entity))
    if (parsed.isClockMissing) clock = await asker.clock()
  }
}
