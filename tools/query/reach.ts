/** Parses queries that reach other entities, whose tables are looked at when the query turns out to name them. */
import type { CatalogEntity } from '#tools/entities/catalog.schema.ts'

import { type ParsedQuery, parseQuery, type QueryInput, type Reach } from './parse.rules.ts'
import type { Readable, Source } from './source.rules.ts'

/** `look` opens an entity as whoever asks sees it. */
export async function parseReaching(
  catalog: Reach['catalog'],
  source: Source,
  input: QueryInput,
  look: (entity: CatalogEntity) => Promise<Readable>,
): Promise<ParsedQuery & Reach> {
  const tables = new Map<number, Readable>()
  for (;;) {
    const parsed = parseQuery(source, { catalog, tables }, input)
    if (parsed.issues.length > 0 || parsed.missing.length === 0) return { ...parsed, catalog, tables }
    for (const entity of parsed.missing) tables.set(entity.entityId, await look(entity))
  }
}
