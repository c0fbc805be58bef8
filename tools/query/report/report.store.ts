/** The statement of a report: its page, how many rows there are, and how many fit, all of one snapshot. */
import type { Tx } from '#platform/db/pool.ts'

import { createParameters, isoSql, type Parameters } from '../columns.rules.ts'
import type { Readable } from '../source.rules.ts'
import { maxSnapshots, reportRowsSql, rowDataSql, rowDocumentSql, rowValuesSql, weightSql } from './report-sql.rules.ts'
import type { Report } from './report.types.ts'

export interface ReportPage {
  readonly limit: number
  readonly offset: number
  /** The most bytes that its rows take. */
  readonly bytes: number
  /** Times to show, where the report shows several at a pace. */
  readonly times: readonly string[]
  /** Every entity in it, as its tables stand. */
  readonly readables: readonly Readable[]
  /** Rows are their values by name, and where not all fit those that do. */
  readonly isFlat: boolean
}

export interface ReportRow {
  /** Rows as JSON text, each on a line, commas between; where not all of them fit empty, or of flat ones those that do. */
  readonly items: string
  readonly fitting: number
  readonly found: number
  readonly total: number
  /** Whether there are more times than are shown. */
  readonly isCut: boolean
}

export interface CompiledReport {
  readonly text: string
  readonly parameters: Parameters
}

export function compileReport(report: Report, page: ReportPage): CompiledReport {
  const parameters = createParameters()
  const { limit, offset, bytes, isFlat } = page
  const { before, order, total } = reportRowsSql(parameters, report, page)
  const weight = weightSql(report, isFlat ? 1 : 2)
  const earlier = weight === undefined ? '0' : `sum(${weight}) over (order by ${order} rows between unbounded preceding and 1 preceding)`
  const values = rowValuesSql(parameters, report)
  const document = isFlat ? flatRowSql(parameters, report) : rowDocumentSql(parameters, report)
  const items = `string_agg(document, E',\\n' order by n)`
  const text = `with ${before.join(', ')}, chosen as (select * from kept order by ${order} limit ${limit} offset ${offset}),
    numbered as (select *, row_number() over (order by ${order}) as n, ${earlier} as earlier from chosen),
    shown as materialized (
      select n, case when coalesce(earlier, 0) < ${bytes} then (${document})::text end as document from numbered cross join ${values}
    ),
    measured as (select n, document, sum(coalesce(octet_length(document), ${bytes}) + 1) over (order by n) <= ${bytes} as fits from shown)
    select ${isFlat ? `coalesce(${items} filter (where fits), '')` : `case when bool_and(fits) then ${items} else '' end`} as items,
      count(*) filter (where fits)::int as fitting, count(*)::int as found, ${total}::bigint as total,
      ${report.variance ? `exists (select from snap_all where no > ${maxSnapshots})` : 'false'} as is_cut
    from measured`
  return { text, parameters }
}

/** The JSON text of a row's values by name; of a report of several times after the time of each, as `snapshotDate`. */
function flatRowSql(parameters: Parameters, report: Report): string {
  const data = rowDataSql(parameters, report)
  return report.variance ? `'{"snapshotDate":"' || ${isoSql('snap_at')} || '",' || substr((${data})::text, 2)` : `(${data})::text`
}

/** The statement of all its rows, each flat. */
export function compileAllRows(report: Report, page: Pick<ReportPage, 'times' | 'readables'>): CompiledReport {
  const parameters = createParameters()
  const { before, order } = reportRowsSql(parameters, report, page)
  const values = rowValuesSql(parameters, report)
  const row = flatRowSql(parameters, report)
  const text = `with ${before.join(', ')} select ${row} as data from kept cross join ${values} order by ${order}`
  return { text, parameters }
}

/** Opens all rows, as they are now. `fetchReportRows` then takes them, in the same transaction. */
export async function openReportRows(tx: Tx, { text, parameters }: CompiledReport): Promise<void> {
  await tx.unsafe(`declare report_rows no scroll cursor for ${text}`, [...parameters.list] as never[], { prepare: false }).execute()
}

export async function fetchReportRows(tx: Tx, count: number): Promise<string[]> {
  const rows = await tx.unsafe<{ data: string }[]>(`fetch ${count} from report_rows`)
  return rows.map((row) => row.data)
}

/** How PostgreSQL would carry it out, without doing so. */
export async function explainStatement(tx: Tx, { text, parameters }: CompiledReport): Promise<unknown> {
  const [row] = await tx
    .unsafe<{ 'QUERY PLAN': unknown }[]>(`explain (format json) ${text}`, [...parameters.list] as never[], { prepare: false })
    .execute()
  return row?.['QUERY PLAN']
}

/** Runs it, for at most so long. */
export async function runReport(tx: Tx, { text, parameters }: CompiledReport, seconds: number): Promise<ReportRow> {
  tx.unsafe(`set local statement_timeout = ${seconds * 1000}`)
    .execute()
    .catch(() => {})
  // Every report has a shape of its own: none is prepared. Compiled values are texts, whose types stand in the statement.
  const [row] = await tx.unsafe<ReportRow[]>(text, [...parameters.list] as never[], { prepare: false }).execute()
  if (!row) throw new Error('A report answered no row')
  return row
}
