/** What importing a catalog document comes to: every mistake of it at once, or a plan. */
import { quoted } from '#platform/suggest.ts'
import { finding, type Finding, maxFindings } from '#platform/validation.ts'
import {
  findEndless,
  type NamedEntity,
  type NamedProperty,
  type NewEntity,
  type NewRelation,
  readEntity,
  readRelations,
} from '#tools/entities/service.ts'
import { dataTypeOf, dataTypes } from '#tools/properties/properties.schema.ts'
import { nameTaken, type NewProperty, readProperty, type References } from '#tools/properties/service.ts'

import type { CatalogDocument } from './catalog.schema.ts'

/** What the tenant has already. */
export interface Present {
  readonly references: References
  readonly properties: readonly (NamedProperty & { readonly propertyId: number; readonly isGlobal: boolean })[]
  readonly entities: readonly (NamedEntity & { readonly entityId: number })[]
}

export interface ImportOptions {
  readonly whenExists: 'refuse' | 'skip'
  readonly scope: 'tenant' | 'global'
  /** Where installed definitions come from, by kind and lower-case name. */
  readonly sources?: ReadonlyMap<string, number>
}

export interface ImportPlan {
  readonly properties: readonly NewProperty[]
  readonly entities: readonly NewEntity[]
  readonly relations: readonly NewRelation[]
  /** In the document and in the tenant already. */
  readonly skippedProperties: readonly Present['properties'][number][]
  readonly skippedEntities: readonly Present['entities'][number][]
  readonly findings: readonly Finding[]
}

export function sourceName(kind: 'property' | 'entity', internalName: string): string {
  return `${kind}:${internalName.toLowerCase()}`
}

function byName<T extends { readonly internalName: string }>(rows: readonly T[]): Map<string, T> {
  return new Map(rows.map((row) => [row.internalName.toLowerCase(), row]))
}

/**
 * Plans an import against what the tenant has, pausing after each definition. With an error among the findings nothing may be written; where there are
 * more of them than an envelope tells, the rest of the document is not looked at.
 */
export function* planImport(document: CatalogDocument, present: Present, options: ImportOptions): Generator<void, ImportPlan> {
  const findings: Finding[] = [
    ...findTwice(document.properties ?? [], 'properties', 'property'),
    ...findTwice(document.entities ?? [], 'entities', 'entity'),
  ]
  const presentProperties = byName(present.properties)
  const presentEntities = byName(present.entities)
  const skippedProperties: Present['properties'][number][] = []
  const skippedEntities: Present['entities'][number][] = []
  const properties: NewProperty[] = []
  const unread: NamedProperty[] = []
  for (const [index, given] of (document.properties ?? []).entries()) {
    yield
    if (findings.length >= maxFindings) break
    const path = `$.properties[${index}]`
    const read = readProperty(given, present.references, path)
    findings.push(...read.findings)
    if (!read.property) {
      unread.push(standIn(given))
      continue
    }
    const existing = presentProperties.get(given.internalName.toLowerCase())
    if (!existing)
      properties.push({ ...read.property, globalSourceId: options.sources?.get(sourceName('property', given.internalName)) ?? null })
    else if (options.whenExists === 'refuse') findings.push(nameTaken(path, 'property', given.internalName))
    else if (existing.dataTypeId !== read.property.dataTypeId) {
      const message = `There is a property ${quoted(existing.internalName)} already, and its type is ${dataTypeOf(existing.dataTypeId)}. Choose another name.`
      findings.push(finding(`${path}.dataType`, message, { code: 'already_exists' }))
    } else skippedProperties.push(existing)
  }
  const fresh = new Map(properties.map((property) => [property.internalName.toLowerCase(), namedProperty(property)]))
  const known: NamedProperty[] = [...present.properties, ...fresh.values(), ...unread]
  const entities: NewEntity[] = []
  const created: { readonly named: NamedEntity; readonly index: number }[] = []
  for (const [index, given] of (document.entities ?? []).entries()) {
    yield
    if (findings.length >= maxFindings) break
    const path = `$.entities[${index}]`
    const existing = presentEntities.get(given.internalName.toLowerCase())
    if (existing && options.whenExists === 'skip') {
      skippedEntities.push(existing)
      continue
    }
    if (existing) findings.push(nameTaken(path, 'entity', given.internalName))
    const read = readEntity(given, present.references, known, path)
    findings.push(...read.findings)
    entities.push({ ...read.entity, globalSourceId: options.sources?.get(sourceName('entity', given.internalName)) ?? null })
    created.push({ named: { entityId: null, internalName: given.internalName }, index })
    if (options.scope === 'global') findings.push(...findUnpublished(read.entity, present, path))
  }
  const relations = yield* readAllRelations(document, [...present.entities, ...created.map((one) => one.named)], created, findings)
  if (options.whenExists === 'skip') findings.push(...findUnrelated(document, skippedEntities, created))
  return { properties, entities, relations, skippedProperties, skippedEntities, findings }
}

/** Relationships that a skipped entity would have to one that is made: it is used as it is, so somebody has to be told. */
function findUnrelated(
  document: CatalogDocument,
  skipped: Present['entities'],
  created: readonly { readonly named: NamedEntity }[],
): Finding[] {
  const isSkipped = new Set(skipped.map((entity) => entity.internalName.toLowerCase()))
  const made = new Set(created.map(({ named }) => named.internalName.toLowerCase()))
  return (document.entities ?? []).flatMap(({ internalName, children = [], peers = [] }, index) => {
    if (!isSkipped.has(internalName.toLowerCase())) return []
    const tell = (kind: string, tool: string, others: readonly unknown[]) =>
      others.flatMap((other, at) => {
        if (!made.has(String(other).toLowerCase())) return []
        const message = `${internalName} is there already and stays as it is, without its relationship to ${String(other)}. Relate them with ${tool}.`
        return [finding(`$.entities[${index}].${kind}[${at}]`, message, { severity: 'warning' })]
      })
    return [
      ...tell(
        'children',
        'attach_child_entity',
        children.map((child) => child.childEntity),
      ),
      ...tell(
        'peers',
        'attach_peer_entity',
        peers.map((peer) => peer.peerEntity),
      ),
    ]
  })
}

/** For a property whose type is wrong: the entities that name it are not wrong for that. */
function standIn({ internalName, optionFilters = [] }: NonNullable<CatalogDocument['properties']>[number]): NamedProperty {
  const text = dataTypes.indexOf('Text') + 1
  const filters = optionFilters.map((filter) => filter.internalName)
  return { propertyId: null, internalName, dataTypeId: text, isIdentityEmail: true, isIdentityPhone: true, optionFilters: filters }
}

function namedProperty(property: NewProperty): NamedProperty {
  const { internalName, dataTypeId, isIdentityEmail, isIdentityPhone } = property
  return {
    propertyId: null,
    internalName,
    dataTypeId,
    isIdentityEmail,
    isIdentityPhone,
    optionFilters: property.optionFilters.map((filter) => filter.internalName),
  }
}

function findTwice(definitions: readonly { readonly internalName: string }[], field: string, noun: string): Finding[] {
  const seen = new Set<string>()
  return definitions.flatMap((definition, index) => {
    const name = definition.internalName.toLowerCase()
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    return [
      finding(`$.${field}[${index}].internalName`, `The document has another ${noun} ${quoted(definition.internalName)} before this one.`, {
        code: 'unprocessable',
      }),
    ]
  })
}

/** What others install must be whole: a published entity has published properties alone. */
function findUnpublished(entity: NewEntity, present: Present, path: string): Finding[] {
  const own = new Set(present.properties.filter((property) => !property.isGlobal).map((property) => property.propertyId))
  return entity.properties.flatMap(({ property }, index) =>
    property.propertyId !== null && own.has(property.propertyId)
      ? [
          finding(
            `${path}.properties[${index}].property`,
            `${property.internalName} is not published. Put it into the document too, under a name of its own.`,
            { code: 'unprocessable' },
          ),
        ]
      : [],
  )
}

/** Entities of the document whose records would each need a parent first. Those that exist already have a place to begin. */
function findEndlessOnes(
  relations: readonly NewRelation[],
  created: readonly { readonly named: NamedEntity; readonly index: number }[],
): Finding[] {
  const ids = new Map<NamedEntity, number>()
  const idOf = (entity: NamedEntity) => ids.get(entity) ?? ids.set(entity, ids.size + 1).size
  const rows = relations.map(({ kind, entity, other, isRequired }) => ({
    kind,
    entityId: idOf(entity),
    otherEntityId: idOf(other),
    isRequired,
  }))
  return created.flatMap(({ named, index }) => findEndless(rows, idOf(named), `$.entities[${index}]`))
}

function* readAllRelations(
  document: CatalogDocument,
  known: readonly NamedEntity[],
  created: readonly { readonly named: NamedEntity; readonly index: number }[],
  findings: Finding[],
): Generator<void, NewRelation[]> {
  const relations: NewRelation[] = []
  for (const { named, index } of created) {
    yield
    if (findings.length >= maxFindings) return relations
    const given = document.entities?.[index]
    if (!given) continue
    const read = readRelations(given, named, known, `$.entities[${index}]`)
    findings.push(...read.findings)
    for (const relation of read.relations) {
      const mirrored =
        relation.kind === 'peer' &&
        relations.some((one) => one.kind === 'peer' && one.entity === relation.other && one.other === relation.entity)
      if (mirrored && relation.entity !== relation.other) {
        const message = `${relation.other.internalName} names ${named.internalName} as its peer already. Say it once.`
        findings.push(finding(`$.entities[${index}].peers`, message, { code: 'unprocessable' }))
      } else relations.push(relation)
    }
  }
  findings.push(...findEndlessOnes(relations, created))
  return relations
}
