/** Queries that stand in stored definitions: what is wrong with one today, and what its columns are. */
import { type Finding, finding } from '#platform/validation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'

import type { ShownColumn } from './document.rules.ts'
import type { Clock } from './moments.rules.ts'
import { parseQuery } from './parse.rules.ts'
import { findField, unknownField } from './parser.rules.ts'
import { findTokenIssues, tokensOfFilter } from './rule-filters.rules.ts'
import { readReport, type ReportSaid } from './report/read-report.rules.ts'
import type { Report } from './report/report.types.ts'
import { openSource, type Readable, type Source } from './source.rules.ts'
import type { QueryNode } from './tree.types.ts'

/** Nothing is read: what a query may name is a matter of the entity alone. */
function sourceOf(entity: CatalogEntity): Source {
  return openSource({ catalog: { tenantId: 0 }, entity, present: new Set(), sight: undefined })
}

const noTables: ReadonlyMap<number, Readable> = new Map()

/** What is wrong with a filter, under the path where it stands; `hasTokens` says that its values may be tokens of the caller. */
export function findFilterProblems(
  catalog: Catalog,
  entity: CatalogEntity,
  filter: unknown,
  path: string,
  { hasTokens = false }: { readonly hasTokens?: boolean } = {},
): Finding[] {
  const { issues } = parseQuery(sourceOf(entity), { catalog, tables: noTables }, { filters: filter })
  const found = issues.map((issue) => ({ ...issue, path: `${path}${issue.path.slice('$.filters'.length)}` }))
  if (!hasTokens) return found
  // What a token will stand for is not known here; whether its text would do says nothing.
  const places = new Set(tokensOfFilter(filter, path).map((token) => token.path))
  return [...found.filter((issue) => !places.has(issue.path)), ...findTokenIssues(catalog, filter, path)]
}

/** A stored condition, to ask of records in hand; undefined where it is not sound today. */
export function readCondition(
  catalog: Catalog,
  entity: CatalogEntity,
  filter: unknown,
  clock: Clock,
): { readonly node: QueryNode | undefined } | undefined {
  const { filter: node, issues } = parseQuery(sourceOf(entity), { catalog, tables: noTables, clock }, { filters: filter })
  return issues.length > 0 ? undefined : { node }
}

/** What is wrong with a sort, under the path where it stands. */
export function findSortProblems(catalog: Catalog, entity: CatalogEntity, sort: unknown, path: string): Finding[] {
  const { issues } = parseQuery(sourceOf(entity), { catalog, tables: noTables }, { sort })
  return issues.map((issue) => ({ ...issue, path: `${path}${issue.path.slice('$.sort'.length)}` }))
}

/** What is wrong with a report as far as the catalog tells, and as much of it as can be read; values are not looked at where `isUnknown` says so. */
export function readStoredReport(
  catalog: Catalog,
  said: ReportSaid,
  path: string,
  isUnknown: (path: string) => boolean,
): { readonly report: Report | undefined; readonly findings: readonly Finding[] } {
  const { report, issues } = readReport({ catalog, tables: noTables }, said, path)
  return { report, findings: issues.filter((issue) => !isUnknown(issue.path)) }
}

/** The column of a name: a property by internalName or id, or a field that every record has. */
export function readColumn(
  entity: CatalogEntity,
  name: unknown,
  path: string,
): { readonly column: ShownColumn } | { readonly problem: Finding } {
  const field = findField(sourceOf(entity), name)
  if (!field) return { problem: unknownField(entity, name, path) }
  return {
    column:
      'property' in field ? { name: field.property.internalName, property: field.property } : { name: field.system, system: field.system },
  }
}

/** The finding that something belongs to another entity than the one that is read. */
export function findForeign(entity: CatalogEntity, said: unknown, path: string): Finding[] {
  const names = [entity.internalName.toLowerCase(), String(entity.entityId)]
  if (said === undefined || ((typeof said === 'string' || typeof said === 'number') && names.includes(String(said).toLowerCase())))
    return []
  return [finding(path, `Expected ${entity.internalName}: a view shows properties of its own entity.`, { suggestion: entity.internalName })]
}
