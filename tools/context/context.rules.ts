/** What a context says, held against the catalog as it is today: the plan of its reading, what is wrong with it, and what it uses. */
import { pathText } from '#platform/issues.ts'
import { nearest } from '#platform/suggest.ts'
import { type Finding, finding, readDraft, unknownName } from '#platform/validation.ts'
import { type Body, type Reference, referencesOfFilter, referencesOfSort } from '#tools/definitions/service.ts'
import { type Catalog, type CatalogEntity, type CatalogProperty, propertyIndex } from '#tools/entities/catalog.types.ts'
import { systemFields } from '#tools/properties/operators.types.ts'
import type { NamedReport } from '#tools/reports/service.ts'
import { findFilterProblems, findSortProblems, unknownProperty } from '#tools/query/service.ts'

import { include as includeSchema, limitUnlessTold, maxDepth, maxIncludes } from './context.schema.ts'

export interface PlannedInclude {
  readonly name: string
  /** The names that lead to it, by dots. */
  readonly path: string
  readonly via: 'parent' | 'child' | 'peer'
  readonly entity: CatalogEntity
  readonly properties: readonly CatalogProperty[]
  readonly filter: unknown
  readonly sort: unknown
  readonly limit: number
  readonly includes: readonly PlannedInclude[]
}

export interface PlannedReport {
  readonly name: string
  readonly report: NamedReport
  /** Tokens among them stand for values of the bundle. */
  readonly params: Readonly<Record<string, unknown>>
  /** The first names of these tokens. */
  readonly roots: ReadonlySet<string>
}

/** A context, ready to be read. */
export interface Plan {
  readonly entity: CatalogEntity
  readonly includes: readonly PlannedInclude[]
  readonly reports: readonly PlannedReport[]
  /** With the user whom the record is linked to. */
  readonly hasUser: boolean
}

export interface ReadContext {
  /** Absent where there is no such entity. */
  readonly plan?: Plan
  readonly findings: readonly Finding[]
  readonly references: readonly Reference[]
}

type Place = readonly (string | number)[]

interface Reading {
  readonly catalog: Catalog
  readonly findings: Finding[]
  readonly references: Reference[]
  includes: number
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const kinds = ['parent', 'child', 'peer'] as const
const plurals = { parent: 'parents', child: 'children', peer: 'peers' } as const

function relativesOf(entity: CatalogEntity, kind: (typeof kinds)[number]): readonly number[] {
  if (kind === 'peer') return entity.peers
  return (kind === 'parent' ? entity.parents : entity.children).map((one) => one.entityId)
}

function namesOf({ catalog }: Reading, ids: readonly number[]): string[] {
  return ids.flatMap((id) => catalog.byIdOrName.get(String(id))?.internalName ?? [])
}

/** The only parent entity, where `via` says no more than parent. */
function onlyParent(of: CatalogEntity, at: Place, reading: Reading): CatalogEntity | undefined {
  const names = namesOf(reading, relativesOf(of, 'parent'))
  const [name] = names
  if (name !== undefined && names.length === 1) return reading.catalog.byIdOrName.get(name.toLowerCase())
  const message =
    name === undefined
      ? `${of.internalName} has no parent entity. list_entity_relationships shows what it has.`
      : `${of.internalName} has several parent entities. Say {parent: …}: ${names.join(', ')}.`
  reading.findings.push(finding(pathText(at), message, { suggestion: name }))
  return undefined
}

/** The related entity that `via` names, of which kind. */
function readVia(of: CatalogEntity, via: unknown, at: Place, reading: Reading): Pick<PlannedInclude, 'via' | 'entity'> | undefined {
  const related = (entity: CatalogEntity, kind: PlannedInclude['via']) => {
    reading.references.push({ entityId: of.entityId, otherEntityId: entity.entityId })
    return { via: kind, entity }
  }
  if (via === 'parent') {
    const parent = onlyParent(of, at, reading)
    return parent && related(parent, 'parent')
  }
  const said = isObject(via) ? kinds.filter((kind) => via[kind] !== undefined) : []
  const [kind] = said
  if (!isObject(via) || kind === undefined || said.length > 1) {
    reading.findings.push(finding(pathText(at), 'Expected "parent", or one of {parent}, {child} and {peer} with the name of an entity.'))
    return undefined
  }
  const place = [...at, kind]
  const entity = reading.catalog.byIdOrName.get(String(via[kind]).toLowerCase())
  const known = namesOf(reading, relativesOf(of, kind))
  if (!entity) {
    const names = known.length > 0 ? known : reading.catalog.entities.map((one) => one.internalName)
    reading.findings.push(unknownName(pathText(place), 'entity', via[kind], names, 'list_entities', 'unknown_entity'))
    return undefined
  }
  if (!relativesOf(of, kind).includes(entity.entityId)) {
    const are = known.length === 0 ? 'It has none.' : `Its ${plurals[kind]}: ${known.join(', ')}.`
    const message = `${entity.internalName} is no ${kind} of ${of.internalName}. ${are}`
    reading.findings.push(finding(pathText(place), message, { suggestion: nearest(entity.internalName, known) }))
    return undefined
  }
  reading.references.push({ at: place, entityId: entity.entityId })
  return related(entity, kind)
}

function readProperties(
  entity: CatalogEntity,
  names: readonly string[] | undefined,
  at: Place,
  reading: Reading,
): readonly CatalogProperty[] {
  if (names === undefined) return entity.properties
  const index = propertyIndex(entity.properties)
  const known = entity.properties.map((one) => one.internalName)
  const chosen = new Set<CatalogProperty>()
  names.forEach((name, n) => {
    // Its own fields every record has, whatever is chosen.
    if (systemFields.some((field) => field === name)) return
    const property = index.get(name.toLowerCase())
    if (!property) return void reading.findings.push(unknownProperty(entity.internalName, name, known, pathText([...at, n])))
    chosen.add(property)
    reading.references.push({ at: [...at, n], entityId: entity.entityId, propertyId: property.propertyId })
  })
  return entity.properties.filter((property) => chosen.has(property))
}

/** Why an include or a report cannot have its name: another has it, or something of the record beside which it stands. */
export function findNameProblem(name: string, taken: ReadonlyMap<string, string>, at: Place): Finding[] {
  const by = taken.get(name.toLowerCase())
  return by === undefined ? [] : [finding(pathText([...at, 'name']), `${name} is the name of ${by} here. Choose another.`)]
}

function readInclude(of: CatalogEntity, said: unknown, at: Place, before: readonly string[], reading: Reading): PlannedInclude | undefined {
  if (++reading.includes > maxIncludes) {
    if (reading.includes === maxIncludes + 1)
      reading.findings.push(finding(pathText(at), `A context has at most ${maxIncludes} includes in all.`))
    return undefined
  }
  if (before.length === maxDepth) {
    reading.findings.push(finding(pathText(at), `Includes stand at most ${maxDepth} deep.`))
    return undefined
  }
  const read = readDraft(includeSchema, said, pathText(at))
  if (!read.isOk) {
    reading.findings.push(...read.findings)
    return undefined
  }
  const { name, via, properties, filter, sort, limit, includes } = read.value
  const relation = readVia(of, via, [...at, 'via'], reading)
  if (!relation) return undefined
  const { entity } = relation
  if (relation.via === 'parent' && (limit !== undefined || sort !== undefined)) {
    const field = limit === undefined ? 'sort' : 'limit'
    reading.findings.push(finding(pathText([...at, field]), `A record has one parent: leave ${field} out.`))
  }
  if (filter !== undefined) reading.findings.push(...findFilterProblems(reading.catalog, entity, filter, pathText([...at, 'filter'])))
  if (sort !== undefined) reading.findings.push(...findSortProblems(reading.catalog, entity, sort, pathText([...at, 'sort'])))
  reading.references.push(
    ...referencesOfFilter(reading.catalog, entity, filter, [...at, 'filter']),
    ...referencesOfSort(reading.catalog, entity, sort, [...at, 'sort']),
  )
  const path = [...before, name]
  const own = [...entity.properties.map((one) => one.internalName), ...systemFields]
  return {
    name,
    path: path.join('.'),
    ...relation,
    properties: readProperties(entity, properties, [...at, 'properties'], reading),
    filter,
    sort,
    limit: relation.via === 'parent' ? 1 : (limit ?? limitUnlessTold),
    includes: readIncludes(
      entity,
      includes,
      [...at, 'includes'],
      path,
      new Map(own.map((one) => [one.toLowerCase(), `a value of ${entity.internalName}`])),
      reading,
    ),
  }
}

function readIncludes(
  of: CatalogEntity,
  said: readonly unknown[] | undefined,
  at: Place,
  before: readonly string[],
  reserved: ReadonlyMap<string, string>,
  reading: Reading,
): PlannedInclude[] {
  const taken = new Map(reserved)
  return (said ?? []).flatMap((one, n) => {
    const planned = readInclude(of, one, [...at, n], before, reading)
    if (!planned) return []
    reading.findings.push(...findNameProblem(planned.name, taken, [...at, n]))
    taken.set(planned.name.toLowerCase(), 'another include')
    return [planned]
  })
}

/** Reads what stands beside the name of a context, but for its reports. */
export function readContext(catalog: Catalog, { entity: slot, includes, user }: Body): ReadContext {
  const reading: Reading = { catalog, findings: [], references: [], includes: 0 }
  const { findings, references } = reading
  const isSlot = typeof slot === 'string' || typeof slot === 'number'
  const entity = isSlot ? catalog.byIdOrName.get(String(slot).toLowerCase()) : undefined
  if (!entity) {
    const names = catalog.entities.map((one) => one.internalName)
    if (slot !== undefined) findings.push(unknownName('$.entity', 'entity', slot, names, 'list_entities', 'unknown_entity'))
    return { findings, references }
  }
  references.push({ at: ['entity'], entityId: entity.entityId })
  const hasUser = user === true
  const roots = new Map([[entity.internalName.toLowerCase(), 'the entity'], ...(hasUser ? [['user', 'the linked user'] as const] : [])])
  const planned = readIncludes(entity, Array.isArray(includes) ? includes : undefined, ['includes'], [], roots, reading)
  return { plan: { entity, includes: planned, reports: [], hasUser }, findings, references }
}

/** The plan without what no token needs. */
export function planFor(plan: Plan, roots: ReadonlySet<string>): Plan {
  const reports = plan.reports.filter(({ name }) => roots.has(name))
  const needed = new Set([...roots, ...reports.flatMap((one) => [...one.roots])])
  return { ...plan, includes: plan.includes.filter(({ name }) => needed.has(name)), reports, hasUser: plan.hasUser && needed.has('user') }
}
