/** What a sound definition of a report names, by place, so that a rename keeps it working and nothing that it uses goes unnoticed. */
import {
  type Body,
  type JoinedNames,
  optionsOf,
  type Reference,
  referencesOfField,
  referencesOfFilter,
} from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { Output, Report } from '#tools/query/service.ts'

import { isObject } from './params.rules.ts'

type Place = readonly (string | number)[]

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** An entity by its name keeps to it; an id is one for ever. */
function referenceTo({ entityId }: CatalogEntity, said: unknown, at: Place): Reference {
  return typeof said === 'string' && !/^\d+$/.test(said) ? { at, entityId } : { entityId }
}

/** Names of the result that are made of those of an entity and a property: the places of both within such a name. */
function partsOf({ tables }: Report, { isAliased, made }: Output, from: number, at: Place): Reference[] {
  if (isAliased) return []
  const source = made.field?.source ?? (made.kind === 'aggregate' ? made.of : undefined) ?? tables.root
  const { entityId, internalName } = source.entity
  const called = tables.names.get(source) ?? internalName
  const begin = from + called.length + 1
  const property = made.field && 'property' in made.field ? made.field.property : undefined
  return [
    ...(called === internalName ? [{ at, within: [from, from + called.length], entityId } as const] : []),
    ...(property
      ? [{ at, within: [begin, begin + property.internalName.length], entityId, propertyId: property.propertyId } as const]
      : []),
  ]
}

function outputNamed(report: Report, name: unknown): Output | undefined {
  return typeof name === 'string' ? report.outputs.find((one) => one.name.toLowerCase() === name.toLowerCase()) : undefined
}

/** A filter of the result: its columns, and the options of those that hold them. */
function referencesOfHaving(report: Report, filter: unknown, at: Place, depth = 1): Reference[] {
  if (depth > 16) return []
  if (Array.isArray(filter)) return filter.flatMap((rule: unknown, index) => referencesOfHaving(report, rule, [...at, index], depth + 1))
  if (!isObject(filter)) return []
  const output = outputNamed(report, filter['property'])
  if (output) {
    const { of: property } = output.result
    const entityId = output.made.field?.source.entity.entityId
    const optionAt = (value: unknown, place: Place): Reference[] => {
      const optionId = property && typeof value === 'string' ? optionsOf(property).ids.get(value.toLowerCase()) : undefined
      return optionId === undefined || property === undefined || entityId === undefined
        ? []
        : [{ at: place, entityId, propertyId: property.propertyId, optionId }]
    }
    const { value } = filter
    const options = Array.isArray(value)
      ? value.flatMap((one: unknown, index) => optionAt(one, [...at, 'value', index]))
      : optionAt(value, [...at, 'value'])
    return [...partsOf(report, output, 0, [...at, 'property']), ...options]
  }
  return ['rules', 'groups'].flatMap((key) =>
    listOf(filter[key]).flatMap((one, index) => referencesOfHaving(report, one, [...at, key, index], depth + 1)),
  )
}

const isNamePart = (character: string | undefined) => character !== undefined && /\w/.test(character)

/** Columns that tokens of an expression name. */
function referencesOfExpression(report: Report, value: unknown, at: Place, depth = 1): Reference[] {
  if (depth > 24) return []
  if (typeof value === 'string')
    return report.outputs.flatMap((output) => {
      const found: Reference[] = []
      const token = `[[${output.name}`
      for (let from = value.indexOf(token); from !== -1; from = value.indexOf(token, from + 1))
        if (!isNamePart(value[from + token.length])) found.push(...partsOf(report, output, from + 2, at))
      return found
    })
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => referencesOfExpression(report, one, [...at, index], depth + 1))
  return isObject(value) ? referencesOfExpression(report, value['$expr'], [...at, '$expr'], depth + 1) : []
}

export function referencesOfReport(catalog: Catalog, report: Report, body: Body): Reference[] {
  const { root, joins, names } = report.tables
  const joined: JoinedNames = new Map(
    [...report.tables.sources].map(([name, source]) => [
      name,
      { entity: source.entity, isAlias: names.get(source) !== source.entity.internalName },
    ]),
  )
  const home = root.entity
  const ofJoins = listOf(body['joins']).flatMap((raw, index): Reference[] => {
    const join = joins[index]
    if (!isObject(raw) || !join) return []
    const from = join.from.entity
    const parent = raw['parentEntityId']
    const isNamed = typeof parent === 'string' && parent.toLowerCase() === from.internalName.toLowerCase()
    return [
      referenceTo(join.source.entity, raw['entityId'], ['joins', index, 'entityId']),
      ...(isNamed ? [{ at: ['joins', index, 'parentEntityId'], entityId: from.entityId }] : []),
      { entityId: from.entityId, otherEntityId: join.source.entity.entityId },
    ]
  })
  const ofPart = (key: string, raw: unknown, index: number): Reference[] => {
    if (!isObject(raw)) {
      const { property } = referencesOfField(catalog, home, { property: raw }, [])
      return property ? [{ at: [key, index], entityId: home.entityId, propertyId: property.propertyId }] : []
    }
    const own = referencesOfField(catalog, home, raw, [key, index], joined)
    return [
      ...own.references,
      ...(key === 'aggregates' ? referencesOfFilter(catalog, own.entity, raw['filter'], [key, index, 'filter'], 1, joined) : []),
    ]
  }
  const ofParts = ['columns', 'groupBy', 'aggregates'].flatMap((key) => listOf(body[key]).flatMap((raw, index) => ofPart(key, raw, index)))
  const ofSort = listOf(body['sort']).flatMap((raw, index): Reference[] => {
    if (!isObject(raw)) return []
    const output = raw['entity'] === undefined ? outputNamed(report, raw['property']) : undefined
    if (output) return partsOf(report, output, 0, ['sort', index, 'property'])
    return referencesOfField(catalog, home, raw, ['sort', index], joined).references
  })
  return [
    referenceTo(home, body['primaryEntityId'], ['primaryEntityId']),
    ...ofJoins,
    ...ofParts,
    ...referencesOfFilter(catalog, home, body['filters'], ['filters'], 1, joined),
    ...referencesOfHaving(report, body['having'], ['having']),
    ...ofSort,
    ...listOf(body['computed']).flatMap((raw, index) =>
      isObject(raw) ? referencesOfExpression(report, raw['$expr'], ['computed', index, '$expr']) : [],
    ),
  ]
}
