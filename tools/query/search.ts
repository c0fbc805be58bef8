/** A search in all texts of records, one entity after the other, within a time. */
import { inRecords, recordEstimates } from '#platform/db/records.ts'
import { sqlState } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { finding, type Finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import type { IdOrName } from '#platform/names.ts'
import type { StagedContext } from '#platform/operation.ts'
import { unknownName } from '#platform/validation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { tablesOf } from './frame.ts'
import { excerptOf, termsOf } from './search.rules.ts'
import { findHolding, foldTerms, rankedRecords } from './search.store.ts'

/** Of one search in all. What it does not come to is named. */
const searchMs = 8_000

interface SearchHit {
  readonly entity: string
  readonly eiRecordId: number
  readonly externalKey: string
  readonly title: string
  readonly excerpt: string
  readonly score: number
}

interface SearchResult {
  /** The best ones first. */
  readonly hits: SearchHit[]
  /** Entities for which the time did not suffice. */
  readonly notSearched: string[]
  /** Entities in which more was found than was ranked. */
  readonly truncated: string[]
}

interface Plan {
  readonly terms: readonly string[]
  readonly entities: readonly CatalogEntity[]
}

/** Throws 400 with every name that there is not. */
function entitiesNamed(catalog: Catalog, named: readonly IdOrName[]): CatalogEntity[] {
  const issues: Finding[] = []
  const found = named.flatMap((one, index) => {
    const entity = catalog.byIdOrName.get(String(one).toLowerCase())
    if (!entity && issues.length < maxIssues) {
      const names = catalog.entities.map(({ internalName }) => internalName)
      issues.push(unknownName(`$.entities[${index}]`, 'entity', one, names, 'list_entities', 'unknown_entity'))
    }
    return entity ?? []
  })
  if (issues[0]) throw new AppError('unknown_entity', issues[0].message, { issues })
  return [...new Set(found)]
}

/** The entities that have records, the small ones first, so that one large entity does not take the time of all others. */
async function planOf(context: StagedContext, query: string, named: readonly IdOrName[] | undefined): Promise<Plan> {
  const said = termsOf(query)
  return context.inTransaction(
    async (inner) => {
      const { tx, tenantId } = inner
      const catalog = await cachedCatalog(inner)
      const wanted = named === undefined ? catalog.entities : entitiesNamed(catalog, named)
      const sizes = await recordEstimates(tx, tenantId)
      const terms = await foldTerms(tx, said)
      if (terms.length === 0) {
        const message = 'Say at least one word to look for.'
        throw new AppError('invalid_input', message, { issues: [finding('$.query', message)] })
      }
      const sizeOf = ({ entityId }: CatalogEntity) => sizes.get(entityId) ?? 0
      const filled = wanted.filter(({ entityId }) => sizes.has(entityId))
      return { terms, entities: filled.toSorted((a, b) => sizeOf(a) - sizeOf(b)) }
    },
    { readOnly: true },
  )
}

/** What of one entity the caller sees and the terms are in; undefined where the time does not suffice. */
async function findIn(context: StagedContext, entityId: number, terms: readonly string[], limit: number, untilMs: number) {
  const leftMs = Math.floor(untilMs - performance.now())
  if (leftMs <= 0) return undefined
  const find = context.inTransaction(
    async (inner) => {
      const { tx, tenantId } = inner
      const catalog = await cachedCatalog(inner)
      const entity = catalog.byIdOrName.get(String(entityId))
      // Nothing sensitive is read, so that no trace of it is left.
      const readable = entity && (await tablesOf(inner, catalog, entity))
      if (!readable || readable.present.size === 0) return []
      return inRecords(tx, tenantId, () => findHolding(tx, readable, { terms, limit, withinMs: leftMs }))
    },
    { readOnly: true },
  )
  return find.catch((error: unknown) => {
    if (isTimeout(error)) return undefined
    throw error
  })
}

function isTimeout(error: unknown): boolean {
  if (sqlState(error) === '57014') return true
  return error instanceof AppError && error.cause !== undefined && sqlState(error.cause) === '57014'
}

/** The records that hold all words of a query, of these entities or of all, as the caller sees them. Throws 400. */
export async function searchEntities(
  context: StagedContext,
  request: { readonly query: string; readonly entities?: readonly IdOrName[] | undefined; readonly limit: number },
): Promise<SearchResult> {
  const untilMs = performance.now() + searchMs
  const { terms, entities } = await planOf(context, request.query, request.entities)
  let hits: SearchHit[] = []
  const notSearched: string[] = []
  const truncated: string[] = []
  for (const [index, { entityId, internalName }] of entities.entries()) {
    context.signal.throwIfAborted()
    context.tellProgress?.({ done: index, total: entities.length, note: internalName })
    const found = await findIn(context, entityId, terms, request.limit, untilMs)
    if (found === undefined) notSearched.push(internalName)
    else if ((found[0]?.found ?? 0) > rankedRecords) truncated.push(internalName)
    const own = (found ?? []).map(({ eiRecordId, externalKey, title, score, ...part }) => ({
      entity: internalName,
      eiRecordId,
      externalKey,
      title: title || externalKey || `${internalName} ${eiRecordId}`,
      excerpt: excerptOf({ ...part, text: part.excerpt }),
      score,
    }))
    if (own.length > 0)
      hits = [...hits, ...own].toSorted((a, b) => b.score - a.score || b.eiRecordId - a.eiRecordId).slice(0, request.limit)
  }
  return { hits, notSearched, truncated }
}
