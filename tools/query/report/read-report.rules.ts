/** Reads a whole report: from the JSON of a definition to what is joined, shown, filtered and ordered, checked against the catalog. */
import { type Finding, finding } from '#platform/findings.ts'
import { quoted } from '#platform/suggest.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'

import { propertyOf } from '../field.rules.ts'
import { type Clock, isTimeWord, meaningOf } from '../moments.rules.ts'
import { parseFilter } from '../parse.rules.ts'
import {
  clockMissing,
  findField,
  isObject,
  lowered,
  newParser,
  type Parser,
  type Reach,
  refuseOtherKeys,
  refuseWithheld,
  say,
  unknownOutput,
  wordOf,
} from '../parser.rules.ts'
import { isWithheld } from '../source.rules.ts'
import { readTime } from '../times.rules.ts'
import type { SortKey } from '../tree.types.ts'
import { readTables } from './joins.rules.ts'
import { fieldOf, readOutputs } from './outputs.rules.ts'
import { cadences } from './report.schema.ts'
import type { Output, Report, Tables, Variance } from './report.types.ts'

/** The parts of a report as a definition has them, tokens resolved. */
export interface ReportSaid {
  readonly primaryEntityId?: unknown
  readonly joinMode?: unknown
  readonly joins?: unknown
  readonly columns?: unknown
  readonly aggregates?: unknown
  readonly groupBy?: unknown
  readonly filters?: unknown
  /** Another name of filters, of a call on one entity. */
  readonly filterRules?: unknown
  readonly having?: unknown
  readonly sort?: unknown
  readonly asOfDate?: unknown
  readonly variance?: unknown
}

export interface ReadReport {
  /** Undefined where its first entity is not known. With any issue it must not run. */
  readonly report: Report | undefined
  readonly issues: readonly Finding[]
  readonly missing: readonly CatalogEntity[]
  readonly isClockMissing: boolean
}

const clockOf = (parser: Parser): Clock => parser.clock ?? clockMissing(parser)

/** A time that a definition names: ISO 8601, a day for its beginning or its end, or a word. */
function readMoment(parser: Parser, said: unknown, ofDay: 'begin' | 'end', path: string): string | undefined {
  const exact = typeof said === 'string' ? readTime(said, ofDay) : undefined
  if (exact !== undefined) return exact
  const meant = typeof said === 'string' && isTimeWord(said) ? meaningOf(said, 'DateTime', clockOf(parser)) : undefined
  if (meant !== undefined) return typeof meant === 'string' ? meant : meant[ofDay]
  return say(parser, path, `Expected an ISO 8601 time, a day such as 2026-03-01 or a word such as today, got ${quoted(said)}.`)
}

function readVariance(parser: Parser, said: unknown, path: string): Variance | undefined {
  if (said === undefined || said === null) return undefined
  if (!isObject(said)) return say(parser, path, `Expected {dateFrom, dateTo, cadence}, got ${quoted(said)}.`)
  refuseOtherKeys(parser, said, ['dateFrom', 'dateTo', 'cadence'], path)
  const cadence = wordOf(parser, said['cadence'] ?? undefined, cadences, `${path}.cadence`)
  const from = readMoment(parser, said['dateFrom'], 'begin', `${path}.dateFrom`)
  const now = new Date(clockOf(parser).nowMs).toISOString()
  const end = said['dateTo'] === undefined || said['dateTo'] === null ? now : readMoment(parser, said['dateTo'], 'end', `${path}.dateTo`)
  if (cadence === undefined || from === undefined || end === undefined) return undefined
  // What will be is not known yet.
  const to = !parser.seen.isClockMissing && end > now ? now : end
  if (!parser.seen.isClockMissing && from > to)
    return say(parser, `${path}.dateFrom`, 'dateFrom is later than dateTo, or than now. Exchange them.')
  return { from, to, cadence }
}

/** Columns of a result by their names, in lower case. */
function byName(outputs: readonly Output[]): ReadonlyMap<string, Output> {
  return new Map([
    ...outputs.map((one) => [one.pivotName.toLowerCase(), one] as const),
    // An alias comes before a name that another column has by itself.
    ...outputs.map((one) => [one.name.toLowerCase(), one] as const),
  ])
}

/** By what rows are ordered: columns of the result by their names, or fields of what is joined. */
function readSort(parser: Parser, tables: Tables, outputs: readonly Output[], isGrouped: boolean, said: unknown, path: string): SortKey[] {
  if (said === undefined || said === null) return []
  if (!Array.isArray(said) || said.length > 8) {
    say(parser, path, 'Expected an array of at most 8 {property, entity, direction}.')
    return []
  }
  const named = byName(outputs)
  return said.flatMap((raw: unknown, index): SortKey[] => {
    const place = `${path}[${index}]`
    if (!isObject(raw)) return say(parser, place, 'Expected {property, entity, direction}.') ?? []
    refuseOtherKeys(parser, raw, ['property', 'entity', 'direction'], place)
    const direction = wordOf(parser, raw['direction'] ?? undefined, ['asc', 'desc'], `${place}.direction`)
    const output = raw['entity'] === undefined ? named.get(lowered(raw['property'])) : undefined
    const field = output ? (isGrouped ? output.result : output.made.field) : undefined
    const found = field ?? (isGrouped ? groupNamed(parser, tables, outputs, raw, place) : fieldOf(parser, tables, raw, place))
    if (!found || !direction || !refuseWithheld(parser, found, `${place}.property`)) return []
    const list = 'output' in found ? undefined : propertyOf(found)
    if (list?.isList) return say(parser, `${place}.property`, `${list.internalName} is a list; sort by a property with one value.`) ?? []
    return [{ field: found, direction }]
  })
}

/** The group of a report that a sort names by its property. */
function groupNamed(parser: Parser, tables: Tables, outputs: readonly Output[], raw: Record<string, unknown>, path: string) {
  const source = raw['entity'] === undefined ? tables.root : tables.sources.get(lowered(raw['entity']))
  const field = source && findField(source, raw['property'])
  const group = outputs.find(({ made }) => {
    if (made.kind !== 'group' || !field || made.field.source !== source) return false
    return 'property' in field
      ? 'property' in made.field && made.field.property === field.property
      : 'system' in made.field && made.field.system === field.system
  })
  if (group) return group.result
  const names = new Map(outputs.map((one) => [one.name, one.result]))
  parser.issues.push(unknownOutput(names, raw['property'], `${path}.property`))
  return undefined
}

/** Where nothing is said: every property that the caller may see, and whose they are. */
function everything({ root }: Tables): { readonly property: string | number }[] {
  const shown = root.entity.properties.filter((property) => !isWithheld(root, property))
  return [{ property: 'externalKey' }, ...shown.map((property) => ({ property: property.propertyId }))]
}

const given = (said: unknown) => said !== undefined && said !== null && !(Array.isArray(said) && said.length === 0)

/** Reads a report; `path` is where it stands in what the findings are about. */
export function readReport(reach: Reach, said: ReportSaid, path: string): ReadReport {
  const parser = newParser(reach)
  const variance = readVariance(parser, said.variance, `${path}.variance`)
  const asOf = given(said.asOfDate) ? readMoment(parser, said.asOfDate, 'end', `${path}.asOfDate`) : undefined
  if (given(said.asOfDate) && given(said.variance))
    say(parser, `${path}.asOfDate`, 'A report shows one time, asOfDate, or several, variance. Leave one of them out.')
  const opening = variance ? { at: 'snap.at' } : { asOf }
  const tables = readTables(parser, { primary: said.primaryEntityId, joins: said.joins, joinMode: said.joinMode }, opening, path)
  const report = tables && readParts(parser, tables, said, variance, path)
  return { report, issues: parser.issues, missing: [...parser.missing], isClockMissing: parser.seen.isClockMissing }
}

function readParts(whole: Parser, tables: Tables, said: ReportSaid, variance: Variance | undefined, path: string): Report {
  const parser: Parser = { ...whole, joined: { sources: tables.sources } }
  const { columns, groupBy, aggregates } = said
  const isBare = !given(columns) && !given(groupBy) && !given(aggregates)
  const { outputs, isGrouped } = readOutputs(parser, tables, { columns: isBare ? everything(tables) : columns, groupBy, aggregates }, path)
  const [filterName, filters] = said.filterRules === undefined ? ['filters', said.filters] : ['filterRules', said.filterRules]
  const filter = parseFilter(parser, tables.root, filters, `${path}.${filterName}`)
  const fields = new Map([...byName(outputs)].map(([name, { result }]) => [name, result]))
  if (given(said.having) && !isGrouped)
    parser.issues.push(
      finding(`${path}.having`, 'having is asked of groups, and this report has none: use filters.', { suggestion: 'filters' }),
    )
  const having = isGrouped
    ? parseFilter({ ...whole, joined: { sources: tables.sources, outputs: fields } }, tables.root, said.having, `${path}.having`)
    : undefined
  const sort = readSort(parser, tables, outputs, isGrouped, said.sort, `${path}.sort`)
  const needsZone = variance !== undefined || outputs.some(({ made }) => made.kind === 'group' && made.datePart !== undefined)
  const groups = outputs.filter(({ made }) => made.kind === 'group')
  return {
    tables,
    outputs,
    isGrouped,
    filter,
    having,
    sort: sort.length > 0 || !isGrouped ? sort : groups.map(({ result }) => ({ field: result, direction: 'asc' })),
    timeZone: needsZone ? clockOf(whole).timeZone : 'UTC',
    variance,
  }
}
