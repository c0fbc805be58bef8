/** What a view says: its columns, filters, sort and size of a page, held against the entity as it is today. */
import { misnamed } from '#platform/field-synonyms.ts'
import { pathText } from '#platform/issues.ts'
import { pageSizeMax } from '#platform/paging.ts'
import { quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'
import type { Body, Definition, Reference } from '#tools/definitions/service.ts'
import { referencesOfField, referencesOfFilter, referencesOfSort } from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { findFilterProblems, findForeign, findSortProblems, readColumn, type ShownColumn } from '#tools/query/service.ts'

const maxColumns = 300

/** A view as a list of records runs it. */
export interface ViewQuery {
  /** Undefined: every property. */
  readonly columns: readonly ShownColumn[] | undefined
  /** Each as a list takes it; a record fulfils all of them. */
  readonly filters: readonly unknown[]
  readonly sort: unknown
  readonly pageSize: number | undefined
}

export interface ReadView {
  readonly query: ViewQuery
  readonly findings: readonly Finding[]
}

type Place = readonly (string | number)[]

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const given = (value: unknown) => value !== undefined && value !== null

function findOtherKeys(said: Record<string, unknown>, allowed: readonly string[], at: Place): Finding[] {
  return Object.keys(said)
    .filter((key) => !allowed.includes(key))
    .slice(0, 20)
    .map((key) => {
      const { said: sentence, suggestion } = misnamed(quoted(key), key, allowed)
      return finding(pathText([...at, key]), `${sentence} Allowed: ${allowed.join(', ')}.`, { suggestion })
    })
}

/** The two kinds of filter of a view, each with its place. What is a filter itself stands for the second. */
function filtersOf(
  said: unknown,
  at: Place,
): { readonly parts: readonly { filter: unknown; at: Place }[]; readonly findings: readonly Finding[] } {
  if (!given(said)) return { parts: [], findings: [] }
  const isFilter = Array.isArray(said) || (isObject(said) && ['logic', 'rules', 'groups', 'has', 'via'].some((key) => key in said))
  if (isFilter || !isObject(said)) return { parts: [{ filter: said, at }], findings: [] }
  const findings = findOtherKeys(said, ['externalKeyFilter', 'propertyFilters'], at)
  const { externalKeyFilter, propertyFilters } = said
  const byProperty = given(propertyFilters) ? [{ filter: propertyFilters, at: [...at, 'propertyFilters'] }] : []
  if (!given(externalKeyFilter) || externalKeyFilter === '') return { parts: byProperty, findings }
  const place = [...at, 'externalKeyFilter']
  if (typeof externalKeyFilter !== 'string' && !isObject(externalKeyFilter)) {
    const wrong = finding(
      pathText(place),
      `Expected a text that the external key contains, or {op, value}, got ${quoted(externalKeyFilter)}.`,
    )
    return { parts: byProperty, findings: [...findings, wrong] }
  }
  const rule = typeof externalKeyFilter === 'string' ? { value: externalKeyFilter } : externalKeyFilter
  const unknown = findOtherKeys(rule, ['op', 'value'], place)
  return {
    parts: [{ filter: [{ property: 'externalKey', op: 'contains', ...rule }], at: place }, ...byProperty],
    findings: [...findings, ...unknown],
  }
}

function readColumns(
  entity: CatalogEntity,
  said: unknown,
  at: Place,
): { columns: readonly ShownColumn[] | undefined; findings: readonly Finding[] } {
  if (!given(said)) return { columns: undefined, findings: [] }
  if (!Array.isArray(said))
    return { columns: undefined, findings: [finding(pathText(at), `Expected an array of names of properties, got ${quoted(said)}.`)] }
  if (said.length > maxColumns)
    return { columns: undefined, findings: [finding(pathText(at), `At most ${maxColumns} columns, got ${said.length}.`)] }
  const findings: Finding[] = []
  const columns = new Map<string, ShownColumn>()
  said.forEach((one: unknown, index) => {
    const place = [...at, index]
    const name = isObject(one) ? one['property'] : one
    if (isObject(one)) {
      findings.push(
        ...findOtherKeys(one, ['property', 'entity'], place),
        ...findForeign(entity, one['entity'], pathText([...place, 'entity'])),
      )
    }
    const read = readColumn(entity, name, pathText(isObject(one) ? [...place, 'property'] : place))
    if ('problem' in read) return void findings.push(read.problem)
    if (columns.has(read.column.name)) {
      const message = `${read.column.name} stands among the columns already, and is shown once.`
      findings.push(finding(pathText(place), message, { severity: 'warning' }))
    }
    columns.set(read.column.name, read.column)
  })
  return { columns: columns.size === 0 ? undefined : [...columns.values()], findings }
}

function readPageSize(said: unknown, at: Place): { pageSize: number | undefined; findings: readonly Finding[] } {
  if (!given(said)) return { pageSize: undefined, findings: [] }
  if (typeof said === 'number' && Number.isInteger(said) && said >= 1 && said <= pageSizeMax) return { pageSize: said, findings: [] }
  return {
    pageSize: undefined,
    findings: [finding(pathText(at), `Expected a whole number from 1 to ${pageSizeMax}, got ${quoted(said)}.`)],
  }
}

/** Reads a viewJson; `at` is where it stands in what the findings are about. */
export function readView(catalog: Catalog, entity: CatalogEntity, body: Body, at: Place = ['viewJson']): ReadView {
  const { columns, findings: wrongColumns } = readColumns(entity, body['columns'], [...at, 'columns'])
  const { parts, findings: wrongFilters } = filtersOf(body['filters'], [...at, 'filters'])
  const { pageSize, findings: wrongSize } = readPageSize(body['pageSize'], [...at, 'pageSize'])
  // The rule of an external key has one value, which stands where the whole rule was said.
  const problems = parts.flatMap((part) =>
    findFilterProblems(catalog, entity, part.filter, pathText(part.at)).map((one) =>
      part.at.at(-1) === 'externalKeyFilter' ? { ...one, path: one.path.replace('externalKeyFilter[0]', 'externalKeyFilter') } : one,
    ),
  )
  return {
    query: { columns, filters: parts.map((part) => part.filter), sort: body['sort'] ?? undefined, pageSize },
    findings: [
      ...findOtherKeys(body, ['columns', 'filters', 'sort', 'pageSize'], at),
      ...wrongColumns,
      ...wrongFilters,
      ...problems,
      ...findSortProblems(catalog, entity, body['sort'], pathText([...at, 'sort'])),
      ...wrongSize,
    ],
  }
}

/** What a sound viewJson names, by place. */
export function referencesOfView(catalog: Catalog, entity: CatalogEntity, body: Body): Reference[] {
  const { columns } = body
  const ofColumns = (Array.isArray(columns) ? columns : []).flatMap((one: unknown, index): Reference[] => {
    if (isObject(one)) return referencesOfField(catalog, entity, one, ['columns', index]).references
    const { property } = referencesOfField(catalog, entity, { property: one }, [])
    return property ? [{ at: ['columns', index], entityId: entity.entityId, propertyId: property.propertyId }] : []
  })
  // An external key names nothing.
  const { parts } = filtersOf(body['filters'], ['filters'])
  const ofFilters = parts
    .filter((part) => part.at.at(-1) !== 'externalKeyFilter')
    .flatMap((part) => referencesOfFilter(catalog, entity, part.filter, part.at))
  return [{ entityId: entity.entityId }, ...ofColumns, ...ofFilters, ...referencesOfSort(catalog, entity, body['sort'], ['sort'])]
}

/** What is wrong with a stored view today: what it names and is gone, and what the entity no longer allows. */
export function findViewProblems(
  catalog: Catalog,
  entity: CatalogEntity,
  { body, gone }: Pick<Definition, 'body' | 'gone'>,
): { query: ViewQuery; findings: Finding[] } {
  const { query, findings } = readView(catalog, entity, body)
  const lost = gone.map((one) => ({ ...one, path: `$.viewJson${one.path.slice(1)}` }))
  const told = new Set(lost.map((one) => one.path))
  return { query, findings: [...lost, ...findings.filter((one) => !told.has(one.path))] }
}
