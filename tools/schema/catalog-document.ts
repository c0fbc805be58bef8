/** Catalog documents in and out: importing a planned one, and writing what a tenant has as one. */
import { hasOrphans } from '#platform/db/record-values.ts'
import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Tx } from '#platform/db/pool.ts'
import { envelope, finding, type Finding } from '#platform/validation.ts'
import {
  insertEntities,
  insertRelations,
  listAttached,
  listEntityDisplays,
  listEntityRows,
  listRelations,
  type NamedEntity,
  type NamedProperty,
  type NewRelation,
} from '#tools/entities/service.ts'
import {
  insertProperties,
  listOptionDisplays,
  listAllOptionFilters,
  listOptionRows,
  listPropertyDisplays,
  listKnownProperties,
  listPropertyRows,
  loadReferences,
  type References,
} from '#tools/properties/service.ts'

import type { ImportPlan, Present } from './catalog.rules.ts'
import type { CatalogDocument, ImportResult } from './catalog.schema.ts'
import { type PortableSource, toPortable } from './portable.rules.ts'
import { insertCategories, listCategories } from './schema.store.ts'

/** What an import is held against. */
export async function loadPresent(context: TxContext): Promise<Present> {
  const { tx, tenantId } = context
  const [references, properties, filters, entities] = await Promise.all([
    loadReferences(tx, tenantId),
    listKnownProperties(tx, tenantId),
    listAllOptionFilters(tx, tenantId),
    listEntityRows(tx, tenantId),
  ])
  const filtersOf = Map.groupBy(filters, (filter) => filter.propertyId)
  return {
    references,
    properties: properties.map((property) => ({
      ...property,
      optionFilters: (filtersOf.get(property.propertyId) ?? []).map((filter) => filter.internalName),
    })),
    entities,
  }
}

/** The names of categories that a document brings and the tenant lacks. */
export function missingCategories(document: CatalogDocument, references: References): string[] {
  const known = new Set(references.categories.map((category) => category.internalName.toLowerCase()))
  const wanted = new Map((document.categories ?? []).map((category) => [category.internalName.toLowerCase(), category.internalName]))
  return [...wanted].filter(([name]) => !known.has(name)).map(([, internalName]) => internalName)
}

/** The same references with the document's categories, under ids that nothing has: for a check that writes nothing. */
export function withCategories(references: References, names: readonly string[]): References {
  return {
    ...references,
    categories: [...references.categories, ...names.map((internalName, index) => ({ categoryId: -1 - index, internalName }))],
  }
}

export async function createCategories(context: TxContext, names: readonly string[]): Promise<void> {
  if (names.length > 0) await insertCategories(context.tx, context.tenantId, names)
}

/** Existing entities that an import relates, and whose writers it therefore has to keep out. */
export function entitiesToLock(document: CatalogDocument, present: Present): number[] {
  const ids = new Map(
    present.entities.flatMap((entity) => [
      [entity.internalName.toLowerCase(), entity.entityId] as const,
      [String(entity.entityId), entity.entityId] as const,
    ]),
  )
  const named = (document.entities ?? []).flatMap((entity) => [
    ...(entity.children ?? []).map((child) => child.childEntity),
    ...(entity.peers ?? []).map((peer) => peer.peerEntity),
  ])
  return named.flatMap((slot) => ids.get(String(slot).toLowerCase()) ?? [])
}

/** Writes a plan without errors. To be called inside changeDefinitions. */
export async function writePlan(context: TxContext, plan: ImportPlan, scope: 'tenant' | 'global'): Promise<ImportResult> {
  const { tx, tenantId } = context
  const propertyIds = await insertProperties(context, plan.properties, scope)
  const idOf = (property: NamedProperty) =>
    property.propertyId ?? mustExist(propertyIds.get(property.internalName.toLowerCase()), 'property')
  const filterIds = new Map(
    (await listAllOptionFilters(tx, tenantId)).map((filter) => [
      `${filter.propertyId}:${filter.internalName}`,
      filter.propertyOptionFilterId,
    ]),
  )
  const filterIdOf = (propertyId: number, name: string) => filterIds.get(`${propertyId}:${name}`) ?? null
  const entityIds = await insertEntities(context, plan.entities, { idOf, filterIdOf }, scope)
  await writeRelations(
    context,
    plan.relations,
    (entity) => entity.entityId ?? mustExist(entityIds.get(entity.internalName.toLowerCase()), 'entity'),
  )
  const created = (internalName: string, ids: ReadonlyMap<string, number>) => mustExist(ids.get(internalName.toLowerCase()), 'definition')
  return {
    created: plan.properties.length + plan.entities.length,
    skipped: plan.skippedProperties.length + plan.skippedEntities.length,
    properties: [
      ...plan.properties.map(({ internalName }) => ({
        propertyId: created(internalName, propertyIds),
        internalName,
        outcome: 'created' as const,
      })),
      ...plan.skippedProperties.map(({ propertyId, internalName }) => ({ propertyId, internalName, outcome: 'skipped' as const })),
    ],
    entities: [
      ...plan.entities.map(({ internalName }) => ({
        entityId: created(internalName, entityIds),
        internalName,
        outcome: 'created' as const,
      })),
      ...plan.skippedEntities.map(({ entityId, internalName }) => ({ entityId, internalName, outcome: 'skipped' as const })),
    ],
    issues: envelope(plan.findings).issues,
  }
}

async function writeRelations(context: TxContext, relations: readonly NewRelation[], idOf: (entity: NamedEntity) => number): Promise<void> {
  const rows = relations.map((relation) => ({
    kind: relation.kind,
    entityId: idOf(relation.entity),
    otherEntityId: idOf(relation.other),
    isRequired: relation.isRequired,
    isList: relation.isList,
  }))
  await insertRelations(context, rows)
}

/** Child entities that exist, with records which would lack a parent: one that every parent entity requires. */
export async function findOrphanProblems({ tx, tenantId }: TxContext, relations: readonly NewRelation[]): Promise<Finding[]> {
  const required = relations.filter((one) => one.kind === 'child' && one.isRequired && one.other.entityId !== null)
  if (required.length === 0) return []
  const present = await listRelations(tx, tenantId)
  const mayLack = new Set([
    ...present.filter((one) => one.kind === 'child' && !one.isRequired).map((one) => one.otherEntityId),
    ...relations.filter((one) => one.kind === 'child' && !one.isRequired).map((one) => one.other.entityId),
  ])
  const findings: Finding[] = []
  for (const { other, path } of required) {
    if (other.entityId === null || mayLack.has(other.entityId) || !(await hasOrphans(tx, tenantId, other.entityId))) continue
    const message = `Some records of ${other.internalName} have no parent. Leave isRequired out, save them with a parent, then require it.`
    findings.push(finding(path, message, { code: 'conflict' }))
  }
  return findings
}

/**
 * Everything that a tenant has as a document, with the ids it came from; of another tenant what it has published, since row level security shows no
 * more. Categories that the reader does not see are left out.
 */
export async function loadPortable(tx: Tx, tenantId: number, references: References): Promise<PortableSource> {
  const [properties, displays, options, optionDisplays, filters, entities, entityDisplays, attached, relations] = await Promise.all([
    listPropertyRows(tx, tenantId),
    listPropertyDisplays(tx, tenantId),
    listOptionRows(tx, tenantId),
    listOptionDisplays(tx, tenantId),
    listAllOptionFilters(tx, tenantId),
    listEntityRows(tx, tenantId),
    listEntityDisplays(tx, tenantId),
    listAttached(tx, tenantId),
    listRelations(tx, tenantId),
  ])
  return toPortable({ references, properties, displays, options, optionDisplays, filters, entities, entityDisplays, attached, relations })
}

/** What an import takes: these definitions, with the categories of the tenant's own that they name. */
export async function documentOf(tx: Tx, tenantId: number, part: Pick<PortableSource, 'properties' | 'entities'>) {
  const properties = part.properties.map(({ definition }) => definition)
  const entities = part.entities.map(({ definition }) => definition)
  const used = new Set([...properties, ...entities].flatMap((definition) => definition.category ?? []))
  const categories = (await listCategories(tx, tenantId)).filter((category) => category.isOwn && used.has(category.internalName))
  return {
    ...(categories.length > 0 ? { categories: categories.map(({ internalName }) => ({ internalName })) } : {}),
    properties,
    entities,
  }
}

/** Everything that a tenant defines, as the document that an import takes. */
export async function wholeDocument({ tx, tenantId }: TxContext) {
  return documentOf(tx, tenantId, await loadPortable(tx, tenantId, await loadReferences(tx, tenantId)))
}
