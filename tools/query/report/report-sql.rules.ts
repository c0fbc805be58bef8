/** Compiles a report to SQL: what is joined, grouped, compared with the time before, and shown. */
import { constantSql, isoSql, type Parameters } from '../columns.rules.ts'
import { filterSql } from '../conditions.rules.ts'
import { shownSql } from '../document.rules.ts'
import { collated, fieldSql, propertyOf } from '../field.rules.ts'
import { sortSql } from '../order.rules.ts'
import { fromSql, openSource, peersSql, type Readable, rowsOf } from '../source.rules.ts'
import type { RecordField } from '../tree.types.ts'
import type { DatePart } from './report.schema.ts'
import type { Join, Made, Output, Report } from './report.types.ts'

/** The joined records that the report is about, from behind the word `from` on. */
function joinedSql(parameters: Parameters, { tables, filter }: Report): string {
  const { root, joins } = tables
  const begin = rowsOf(parameters, root)
  const from = joins.map((join) => joinSql(parameters, join))
  const where = [...begin.conditions, ...(filter ? [filterSql(parameters, filter)] : [])]
  return `${[begin.from, ...from].join(' ')} where ${where.length === 0 ? 'true' : where.join(' and ')}`
}

function joinSql(parameters: Parameters, { source, from, link, mode }: Join): string {
  const { alias } = source
  const rows = rowsOf(parameters, source)
  const word = mode === 'left' ? 'left join' : 'join'
  if (link === 'peer') {
    const pairs = `${alias}_pair`
    const both = [`${alias}.id = ${pairs}.other`, ...rows.conditions].join(' and ')
    return `${word} (${peersSql(parameters, from)} ${pairs} join ${rows.from} on ${both}) on ${pairs}.one = ${from.alias}.id`
  }
  const held = link === 'parent' ? `${alias}.id = ${from.alias}.parent_id` : `${alias}.parent_id = ${from.alias}.id`
  return `${word} ${rows.from} on ${[held, ...rows.conditions].join(' and ')}`
}

const truncated: Readonly<Partial<Record<DatePart, string>>> = {
  year: 'YYYY',
  quarter: 'YYYY-"Q"Q',
  month: 'YYYY-MM',
  week: 'IYYY-"W"IW',
  day: 'YYYY-MM-DD',
}
const extracted: Readonly<Partial<Record<DatePart, string>>> = { dayOfWeek: 'isodow', hourOfDay: 'hour', monthOfYear: 'month' }

/** A value where an empty text is none, as `isEmpty` has it. */
function valueSql(field: RecordField): string {
  const value = fieldSql(field)
  return field.dataType === 'Text' && propertyOf(field)?.isList !== true ? `nullif(${value}, '')` : value
}

function datePartSql(parameters: Parameters, field: RecordField, part: DatePart, timeZone: string): string {
  const value = fieldSql(field)
  const wall =
    field.dataType === 'DateTime'
      ? `(${value} at time zone ${parameters.add(timeZone)}::text)`
      : field.dataType === 'DateOnly'
        ? `${value}::timestamp`
        : value
  const form = truncated[part]
  return form === undefined ? `extract(${extracted[part] ?? part} from ${wall})::int` : `to_char(${wall}, '${form}')`
}

/**
 * The exact sum of decimals, which does not depend on the order of rows as that of floating numbers does. A number of at most four places is counted in
 * ten-thousandths: of 15 digits there is one decimal that reads back as the same number, and whole numbers add up several times faster than decimals.
 */
function sumSql(field: RecordField, which: string, only: string | undefined): string {
  const value = fieldSql(field)
  const where = (more?: string) => {
    const all = [...(only === undefined ? [] : [`(${only})`]), ...(more === undefined ? [] : [more])]
    return all.length === 0 ? '' : ` filter (where ${all.join(' and ')})`
  }
  if (field.dataType === 'Currency') return `sum(${which}${value})${where()}`
  const isShort = `(abs(${value}) < 1e10 and round(${value} * 10000) / 10000 = ${value})`
  const short = `sum(${which}round(${value} * 10000)::int8)${where(isShort)} * 0.0001`
  const long = `sum(${which}${value}::text::numeric)${where(`not ${isShort}`)}`
  return `coalesce(${short} + ${long}, ${short}, ${long})`
}

function aggregateSql(parameters: Parameters, made: Extract<Made, { kind: 'aggregate' }>): string {
  const { fn, field, of, isDistinct, filter } = made
  const which = isDistinct ? 'distinct ' : ''
  const condition = filter && filterSql(parameters, filter)
  const only = condition === undefined ? '' : ` filter (where ${condition})`
  if (fn === 'COUNT') return `count(${field ? `${which}${valueSql(field)}` : of ? `${which}${of.alias}.id` : '*'})${only}`
  if (!field) return 'null'
  if (fn === 'SUM') return `trim_scale(${sumSql(field, which, condition)})`
  // None has no average: there the sum is null.
  if (fn === 'AVG') return `trim_scale(${sumSql(field, which, condition)} / count(${which}${fieldSql(field)})${only})`
  return `${fn.toLowerCase()}(${which}${collated(field, valueSql(field))})${only}`
}

function outputSql(parameters: Parameters, { made }: Output, timeZone: string): string {
  switch (made.kind) {
    case 'column':
      return fieldSql(made.field)
    case 'group':
      return made.datePart === undefined ? valueSql(made.field) : datePartSql(parameters, made.field, made.datePart, timeZone)
    case 'aggregate':
      return aggregateSql(parameters, made)
  }
}

interface Ordered {
  /** Of what orders rows, as `s0, s1 …`. */
  readonly columns: readonly string[]
  readonly order: string
}

/** What tells a row from others: its groups, or the records that were joined. */
function identityOf({ outputs, isGrouped, tables }: Report): readonly string[] {
  if (!isGrouped) return [tables.root, ...tables.joins.map((join) => join.source)].map((_, index) => `i${index}`)
  return outputs.flatMap(({ made, result }) => (made.kind === 'group' ? [result.output] : []))
}

function orderedSql(parameters: Parameters, report: Report): Ordered {
  const columns = report.sort.map(({ field }, index) => `${sortSql(parameters, field)} as s${index}`)
  const terms = report.sort.map(({ field, direction }, index) => `${collated(field, `s${index}`)} ${direction} nulls last`)
  const ties = identityOf(report).map((column) => `${column} nulls last`)
  const order = [...(report.variance ? ['snap_no'] : []), ...terms, ...ties]
  return { columns, order: order.length === 0 ? '(select 1)' : order.join(', ') }
}

/** Rows before they are filtered as groups: joined ones with what orders them, or groups. */
function baseSql(parameters: Parameters, report: Report, ordered: Ordered, joined: string): string {
  const { outputs, isGrouped, tables, timeZone } = report
  const shown = outputs.map((output) => `${outputSql(parameters, output, timeZone)} as ${output.result.output}`)
  if (!isGrouped) {
    const ids = [tables.root, ...tables.joins.map((join) => join.source)].map((source, index) => `${source.alias}.id as i${index}`)
    return `select ${[...shown, ...ids, ...ordered.columns].join(', ')} from ${joined}`
  }
  const groups = outputs.flatMap(({ made }, index) => (made.kind === 'group' ? [index + 1] : []))
  return `select ${shown.join(', ')} from ${joined}${groups.length === 0 ? '' : ` group by ${groups.join(', ')}`}`
}

export const maxSnapshots = 500

/** The times that a report of several shows, numbered, one more than it may show: `snap_all (no, at)`. */
function snapshotsSql(parameters: Parameters, report: Report, times: readonly string[], readables: readonly Readable[]): string {
  const { variance } = report
  if (!variance) return ''
  const of = (text: string) => constantSql(`${parameters.add(text)}::text`, 'timestamptz')
  if (variance.cadence !== 'change') {
    const list = `jsonb_array_elements_text(${parameters.add(JSON.stringify(times))}::text::jsonb) with ordinality t(at, no)`
    return `snap_all as materialized (select no, at::timestamptz as at from ${list})`
  }
  const from = of(variance.from)
  const known = readables.filter((readable) => readable.present.size > 0)
  // A parameter that no part of the statement names is refused.
  const to = known.length > 0 ? of(variance.to) : ''
  const changes = known.map((readable) => {
    const versions = openSource(readable, { alias: 'v', rows: 'versions' })
    return `union select v.valid_from from ${fromSql(parameters, versions, `v.valid_from > ${from}`, `v.valid_from <= ${to}`)}`
  })
  const all = `select ${from} as at ${changes.join(' ')}`
  return `snap_all as materialized (select row_number() over (order by at) as no, at from (select at from (${all}) a order by at limit ${maxSnapshots + 1}) b)`
}

/** Beside each column whether it differs from the time before; a row that was not there then differs in all that it has. */
function flaggedSql(report: Report, rows: string): string {
  const flags = report.outputs.map(({ result }, index) => {
    const column = result.output
    const before = `case when lag(snap_no) over w = snap_no - 1 then lag(${column}) over w end`
    return `snap_no > 1 and ${column} is distinct from ${before} as f${index}`
  })
  const identity = identityOf(report)
  const by = identity.length === 0 ? '' : `partition by ${identity.join(', ')} `
  return `select o.*, ${flags.join(', ')} from (${rows}) o window w as (${by}order by snap_no)`
}

export interface ReportRows {
  /** Statements before the last one, each as `name as (…)`; `kept` holds the rows. */
  readonly before: readonly string[]
  readonly order: string
  /** How many rows there are, as an expression. */
  readonly total: string
}

/** The rows of a report as one source, `kept`, and their order. */
export function reportRowsSql(
  parameters: Parameters,
  report: Report,
  { times, readables }: { readonly times: readonly string[]; readonly readables: readonly Readable[] },
): ReportRows {
  const ordered = orderedSql(parameters, report)
  const snapshots = snapshotsSql(parameters, report, times, readables)
  const joined = joinedSql(parameters, report)
  let rows = baseSql(parameters, report, ordered, joined)
  if (report.variance) {
    rows = `select snap.no as snap_no, snap.at as snap_at, o.* from snap cross join lateral (${rows}) o`
    rows = flaggedSql(report, rows)
  }
  if (report.isGrouped) {
    const columns = ['o.*', ...ordered.columns].join(', ')
    rows = `select ${columns} from (${rows}) o where ${filterSql(parameters, report.having)}`
  }
  const snap = report.variance ? [snapshots, `snap as materialized (select no, at from snap_all where no <= ${maxSnapshots})`] : []
  const isListed = !report.isGrouped && !report.variance
  return {
    before: [...snap, `kept as ${isListed ? 'not materialized ' : ''}(${rows})`],
    order: ordered.order,
    // Joined rows are counted by themselves, so that what a page does not show of them is not made.
    total: isListed ? `(select count(*) from ${joined})` : '(select count(*) from kept)',
  }
}

/** At least this many bytes go into a row's JSON, without making it; undefined where no value is long. `copies` is how often a value stands in it. */
export function weightSql({ outputs }: Report, copies: 1 | 2): string | undefined {
  const terms = outputs.flatMap(({ result }) => {
    if (result.of?.isList) return [`coalesce(pg_column_size(${result.output}) / 4, 0)`]
    return result.dataType === 'Text' ? [`coalesce(octet_length(${result.output}), 0)`] : []
  })
  return terms.length === 0 ? undefined : `(${terms.join(' + ')}) * ${copies}`
}

/** A `from` item that makes each value of a row once, as JSON has it: `v0, v1 …`. */
export function rowValuesSql(parameters: Parameters, { outputs }: Report): string {
  const values = outputs.map(({ result }, index) => `${shownSql(parameters, result.output, result.dataType, result.of)} as v${index}`)
  return `lateral (select ${values.join(', ')}) v`
}

/** An object of columns `v0, v1 …` by names that an author chose: they are parameters. */
function objectSql(parameters: Parameters, names: readonly string[], column: string): string {
  return `json_object(${names.map((name, index) => `${parameters.add(name)}::text: ${column}${index}`).join(', ')} null on null`
}

/** The values of a row by name. */
export function rowDataSql(parameters: Parameters, { outputs }: Report): string {
  const names = outputs.map((one) => one.name)
  return `${objectSql(parameters, names, 'v')})`
}

/** A row as the wire shows it. */
export function rowDocumentSql(parameters: Parameters, report: Report): string {
  const { outputs, variance } = report
  const pivotNames = outputs.map((one) => one.pivotName)
  const names = outputs.map((one) => one.name)
  const parts = [
    ...(variance ? [`'snapshotDate': ${isoSql('snap_at')}`] : []),
    `'combinedPivotJson': ${objectSql(parameters, pivotNames, 'v')} returning text)`,
    `'data': ${rowDataSql(parameters, report)}`,
    ...(variance ? [`'changeFlags': ${objectSql(parameters, names, 'f')})`] : []),
  ]
  return `json_object(${parts.join(', ')})`
}
