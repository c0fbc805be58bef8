/** Reads a report for a caller, and runs it: as they see what it joins, at their time. */
import { inRecords } from '#platform/db/records.ts'
import { sqlState } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { verdictOf } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'

import { propertyOf } from '../field.rules.ts'
import { callerOf } from '../frame.ts'
import { beginningsBetween, type Clock } from '../moments.rules.ts'
import { showingRules } from '../sight.rules.ts'
import type { Readable } from '../source.rules.ts'
import { readReport, type ReadReport, type ReportSaid } from './read-report.rules.ts'
import {
  compileAllRows,
  compileReport,
  type CompiledReport,
  fetchReportRows,
  openReportRows,
  type ReportRow,
  runReport,
} from './report.store.ts'
import { maxSnapshots } from './report-sql.rules.ts'
import type { Report } from './report.types.ts'

/** A report that can be run. */
export interface ReadyReport {
  readonly report: Report
  /** Every entity in it, as its tables stand and as the caller sees it. */
  readonly readables: readonly Readable[]
}

interface Asked {
  /** Where the report stands in what findings are about. */
  readonly path: string
  /** Begins the sentence of a refusal: "The report". */
  readonly what: string
  /** Tables that were looked at already. */
  readonly known?: readonly Readable[]
}

/** Reads a report against the tables that it names, as the caller sees them. */
async function readWithTables(
  context: TxContext,
  catalog: Catalog,
  said: ReportSaid,
  { path, known = [] }: Pick<Asked, 'path' | 'known'>,
): Promise<ReadReport & { readables: Readable[] }> {
  const asker = callerOf(context, catalog)
  const tables = new Map(known.map((readable) => [readable.entity.entityId, readable]))
  let clock: Clock | undefined
  for (;;) {
    const read = readReport({ catalog, tables, clock }, said, path)
    if (read.missing.length === 0 && !read.isClockMissing) return { ...read, readables: [...tables.values()] }
    for (const entity of read.missing) tables.set(entity.entityId, await asker.look(entity))
    if (read.isClockMissing) clock = await asker.clock()
  }
}

/** Columns that tell sensitive values, as they are or in a sum: the sum of one record is its value. */
export function sensitiveOf({ outputs }: Report): string[] {
  return outputs.flatMap(({ made, pivotName }) => {
    const isCount = made.kind === 'aggregate' && made.fn === 'COUNT'
    return made.field && !isCount && propertyOf(made.field)?.isSensitive ? [pivotName] : []
  })
}

/** Notes which sensitive values are read. */
function auditOf(context: TxContext, report: Report): void {
  const sensitive = sensitiveOf(report)
  if (sensitive.length > 0) context.audit({ sensitive })
}

/** Throws 400 with every finding. */
export async function prepareReport(context: TxContext, catalog: Catalog, said: ReportSaid, asked: Asked): Promise<ReadyReport> {
  const { report, issues, readables } = await readWithTables(context, catalog, said, asked)
  const { code, first } = verdictOf(issues)
  if (first || !report) throw new AppError(code, `${asked.what} is not valid: ${first?.message ?? ''}`, { issues })
  auditOf(context, report)
  return { report, readables }
}

export interface PageOfReport {
  readonly page: number
  readonly pageSize: number
}

/** The times that it shows, where it shows several at a pace. */
function timesOf({ variance, timeZone }: Report): readonly string[] {
  if (!variance || variance.cadence === 'change') return []
  return beginningsBetween(variance.from, variance.to, variance.cadence, timeZone, maxSnapshots + 1)
}

/** The statement of a page of it. */
export function statementOf({ report, readables }: ReadyReport, { page, pageSize }: PageOfReport, bytes: number): CompiledReport {
  return compileReport(report, { limit: pageSize, offset: (page - 1) * pageSize, bytes, times: timesOf(report), readables, isFlat: false })
}

/** As who may read the tenant's records: one that is made with the first table, and until then nothing of a report stands in any. */
export function asReader<T>({ tx, tenantId }: TxContext, readables: readonly Readable[], work: () => Promise<T>): Promise<T> {
  return readables.some(({ present }) => present.size > 0) ? inRecords(tx, tenantId, work) : work()
}

const batchBytes = 1024 * 1024
const batchAtMost = 2_000
// Of rows whose size nobody knows yet.
const firstBatch = 100
/** What a batch of the longest rows may take: the next rows may be larger than the last ones told. */
const mostHeldBytes = 16 * batchBytes
/** What a text may take as JSON. */
const longBytes = 4 * 32_768

/**
 * Batches of all its rows, each the JSON text of an object by name. The transaction stays open meanwhile, and reads nothing else; about a megabyte is
 * held at a time.
 */
export async function* readReportRows(context: TxContext, { report, readables }: ReadyReport): AsyncGenerator<readonly string[]> {
  const { tx } = context
  await asReader(context, readables, () => openReportRows(tx, compileAllRows(report, { times: timesOf(report), readables })))
  const long = report.outputs.filter(({ result }) => result.dataType === 'Text' || result.of?.isList === true).length
  const most = Math.max(1, Math.min(batchAtMost, Math.floor(mostHeldBytes / Math.max(1, long * longBytes))))
  for (let size = Math.min(firstBatch, most); ;) {
    const rows = await fetchReportRows(tx, size)
    if (rows.length > 0) yield rows
    if (rows.length < size) return
    const bytes = rows.reduce((sum, row) => sum + row.length, 1)
    size = Math.max(1, Math.min(most, Math.floor((batchBytes * rows.length) / bytes)))
  }
}

/** Throws `timeout` where it takes longer. */
async function runWithin(
  context: TxContext,
  readables: readonly Readable[],
  statement: CompiledReport,
  seconds: number,
): Promise<ReportRow> {
  try {
    return await asReader(context, readables, () => runReport(context.tx, statement, seconds))
  } catch (error) {
    if (sqlState(error) !== '57014') throw error
    throw new AppError(
      'timeout',
      `This took longer than ${seconds} seconds. Narrow it: a filter that leaves fewer records, fewer joins, a shorter range of time; export_report writes large results.`,
      { cause: error, retryAfterSeconds: 1 },
    )
  }
}

/** A page of its rows. Throws `too_large` where they are larger than an answer may be, and `timeout` where it takes too long. */
export async function pageOfReport(context: TxContext, ready: ReadyReport, page: PageOfReport, bytes: number): Promise<ReportRow> {
  const row = await runWithin(context, ready.readables, statementOf(ready, page, bytes), context.services.config.limits.reportSeconds)
  if (row.fitting === row.found) return row
  throw new AppError(
    'too_large',
    `These rows are larger than an answer may be (${bytes} bytes). pageSize ${Math.max(1, row.fitting)} fits${row.fitting === 0 ? ' not even: name fewer columns' : ', or fewer columns'}; export_report writes all rows into a file.`,
  )
}

/** Of a page of its rows those that fit, each the JSON text of its values by name. Throws `timeout` where it takes longer than this. */
export async function flatPageOfReport(
  context: TxContext,
  { report, readables }: ReadyReport,
  { page, pageSize }: PageOfReport,
  { bytes, seconds }: { readonly bytes: number; readonly seconds: number },
): Promise<ReportRow> {
  const part = { limit: pageSize, offset: (page - 1) * pageSize, bytes, times: timesOf(report), readables, isFlat: true }
  return runWithin(context, readables, compileReport(report, part), seconds)
}

/** Columns with a value of a record that the caller does not see in every row, by their names. */
export function partlySeen({ outputs }: Report): string[] {
  return outputs.flatMap(({ made, name }) => {
    if (made.kind === 'aggregate' || !('property' in made.field)) return []
    const { source, property } = made.field
    return source.sight !== undefined && showingRules(source.sight, property) !== 'everywhere' ? [name] : []
  })
}
