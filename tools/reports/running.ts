/** Runs reports: with their parameters, as the caller sees the records, and with what they compute of each row. */
import { type RawJson, rawJson } from '#platform/answer.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { envelopeBytes } from '#platform/paging.ts'
import { renderingOf, timeRoots } from '#platform/tokens/rendering.ts'
import { type Resolving, resolving } from '#platform/tokens/resolve.ts'
import { eachInTurns, inTurns } from '#platform/turns.ts'
import { refuseErrors } from '#platform/validation.ts'
import type { Body } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { findCaller } from '#tools/entities/service.ts'
import { flatPageOfReport, pageOfReport, partlySeen, prepareReport, readReportRows, type ReadyReport } from '#tools/query/service.ts'

import { type Computed, computedOf } from './computed.rules.ts'
import type { ReadDefinition } from './definition.rules.ts'
import { filled, isObject, readParams, userFields } from './params.rules.ts'

/** What a call says of a report beside its definition. */
export interface RunOptions {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly page?: number | undefined
  readonly pageNumber?: number | undefined
  readonly pageSize?: number | undefined
}

/** A report with its values in place, ready to be run. */
export interface RunnableReport {
  readonly ready: ReadyReport
  readonly computed: readonly Computed[]
  /** What its expressions may name beside the columns of a row. */
  readonly at: Resolving
  /** Unless a call says another. */
  readonly page: number
  readonly pageSize: number
}

const defaultPageSize = 50

/** For whom, where and when a report is run. */
async function resolvingFor(
  { tx, tenantId, actor, stamp, shownIn }: TxContext,
  params: Readonly<Record<string, unknown>>,
): Promise<Resolving> {
  const caller = mustExist(await findCaller(tx, tenantId, actor.tenantUserId), 'user')
  const rendering = renderingOf({
    locale: (shownIn ?? caller).languageCode,
    timeZone: (shownIn ?? caller).timeZoneIana,
    // A read has no stamp.
    nowMs: stamp === '' ? Date.now() : Date.parse(stamp),
  })
  const $user = Object.fromEntries(userFields.map((field) => [field, caller[field]]))
  return resolving({ $param: params, $user, ...timeRoots(rendering) }, rendering)
}

/** Puts the values of a call into a sound definition, and reads it as the caller sees what it names. Throws 400 with every finding. */
export async function prepareRun(
  context: TxContext,
  catalog: Catalog,
  { body, definition }: { readonly body: Body; readonly definition: ReadDefinition },
  options: Pick<RunOptions, 'params'>,
): Promise<RunnableReport> {
  const { values, findings } = readParams(definition.parameters, options.params ?? {})
  refuseErrors(findings, 'The report', 'run')
  const at = await resolvingFor(context, values)
  const { parameters: _parameters, computed: _computed, page: _page, pageSize: _size, ...parts } = body
  const said = filled(parts, at)
  const ready = await prepareReport(context, catalog, isObject(said) ? said : {}, { path: '$.definitionJson', what: 'The report' })
  const { computed, page = 1, pageSize = defaultPageSize } = definition
  return { ready, computed, at, page, pageSize }
}

interface Row {
  readonly combinedPivotJson: string
  readonly data: Readonly<Record<string, unknown>>
  readonly changeFlags?: Readonly<Record<string, boolean>>
}

/** A row with what is computed of it. A computed value has changed where one has that it reads. */
function withComputed(row: Row, computed: readonly Computed[], at: Resolving): Row {
  const values = computedOf(computed, row.data, at)
  // The statement wrote this text, an object.
  const pivot = JSON.parse(row.combinedPivotJson) as Record<string, unknown>
  const { changeFlags } = row
  const flags: Record<string, boolean> = { ...changeFlags }
  for (const { alias, reads } of computed) flags[alias] = [...reads].some((name) => flags[name] === true)
  return {
    ...row,
    combinedPivotJson: JSON.stringify({ ...pivot, ...values }),
    data: { ...row.data, ...values },
    ...(changeFlags ? { changeFlags: flags } : {}),
  }
}

export interface RowsOfReport {
  /** A JSON array, as text. */
  readonly rows: string
  readonly page: number
  readonly pageSize: number
  readonly totalCount: number
  /** Whether a report of several times leaves some out. */
  readonly isCut: boolean
}

const tooLarge = (bytes: number) =>
  new AppError(
    'too_large',
    `These rows are larger than an answer may be (${bytes} bytes). Ask for fewer with pageSize, or for fewer columns; export_report writes all rows into a file.`,
  )

/** A page of its rows, of at most so many bytes. Throws `too_large` and `timeout`, each with the narrower call. */
export async function runPage(
  context: TxContext,
  { ready, computed, at, ...usual }: RunnableReport,
  { page = usual.page, pageSize = usual.pageSize }: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
  bytes: number,
): Promise<RowsOfReport> {
  const { items, total, isCut } = await pageOfReport(context, ready, { page, pageSize }, bytes)
  const rows = computed.length === 0 ? `[${items}]` : await computedRows(items, { computed, at }, bytes)
  if (Buffer.byteLength(rows) > bytes) throw tooLarge(bytes)
  return { rows, page, pageSize, totalCount: total, isCut }
}

type Computing = Pick<RunnableReport, 'computed' | 'at'>

/** Their bytes are counted as they are made: what is computed of a row may be a thousand times its size. */
async function computedRows(items: string, { computed, at }: Computing, bytes: number): Promise<string> {
  if (items === '') return '[]'
  const rows: string[] = []
  let left = bytes
  // Rows as the statement made them, each on a line of its own.
  await eachInTurns(items.split(',\n'), (text) => {
    const row = JSON.stringify(withComputed(JSON.parse(text) as Row, computed, at))
    left -= Buffer.byteLength(row) + 1
    if (left < 0) throw tooLarge(bytes)
    rows.push(row)
  })
  return `[${rows.join(',')}]`
}

type FlatRow = Readonly<Record<string, unknown>>

/** A row, and how large it is as JSON. */
function flatRow(text: string, { computed, at }: Computing): { readonly row: FlatRow; readonly bytes: number } {
  // The statement wrote this text, an object.
  const stored = JSON.parse(text) as FlatRow
  if (computed.length === 0) return { row: stored, bytes: Buffer.byteLength(text) }
  const row = { ...stored, ...computedOf(computed, stored, at) }
  return { row, bytes: Buffer.byteLength(JSON.stringify(row)) }
}

function* fittingRows(texts: readonly string[], run: Computing, bytes: number): Generator<void, readonly FlatRow[]> {
  const rows: FlatRow[] = []
  let left = bytes
  for (const text of texts) {
    const made = flatRow(text, run)
    left -= made.bytes + 1
    if (left < 0) break
    rows.push(made.row)
    yield
  }
  return rows
}

export interface FlatPage {
  readonly rows: readonly FlatRow[]
  /** Whether there are more behind them. */
  readonly hasMore: boolean
  /** Columns that are null in some row where the caller does not see all of them. */
  readonly withheld: readonly string[]
}

/** Its page as the definition says, each row the values by name, as many as fit in these bytes. Throws `timeout`. */
export async function runFlatPage(
  context: TxContext,
  run: RunnableReport,
  bounds: { readonly bytes: number; readonly seconds: number },
): Promise<FlatPage> {
  const { ready, page, pageSize } = run
  const { items, total, isCut } = await flatPageOfReport(context, ready, { page, pageSize }, bounds)
  const rows = items === '' ? [] : await inTurns(fittingRows(items.split(',\n'), run, bounds.bytes))
  return {
    rows,
    hasMore: isCut || total > (page - 1) * pageSize + rows.length,
    withheld: partlySeen(ready.report).filter((name) => rows.some((row) => row[name] === null)),
  }
}

/** How many there are, whatever they hold. Throws `timeout`. */
export async function countRows(context: TxContext, { ready }: RunnableReport): Promise<number> {
  const bounds = { bytes: 0, seconds: context.services.config.limits.reportSeconds }
  return (await flatPageOfReport(context, ready, { page: 1, pageSize: 1 }, bounds)).total
}

// Of rows with what is computed of them: so much of a batch is held at a time.
const partRows = 50
const partBytes = 1024 * 1024

/** All of its rows, part by part, each the values by name that a page has in `data`. The transaction stays open meanwhile, and reads nothing else. */
export async function* readAllRows(context: TxContext, run: RunnableReport): AsyncGenerator<readonly FlatRow[]> {
  for await (const batch of readReportRows(context, run.ready)) {
    for (let from = 0; from < batch.length;) {
      const part = await inTurns(partOf(batch, from, run))
      from += part.length
      yield part
    }
  }
}

/** Rows of a batch from one on, at least that one. */
function* partOf(batch: readonly string[], from: number, run: Computing): Generator<void, readonly FlatRow[]> {
  const rows: FlatRow[] = []
  let left = partBytes
  for (const text of batch.slice(from, from + partRows)) {
    const made = flatRow(text, run)
    rows.push(made.row)
    left -= made.bytes
    if (left <= 0) break
    yield
  }
  return rows
}

/** What execute answers, as JSON text. Throws 400 for a page that is said in two ways. */
export async function answerRun(context: TxContext, run: RunnableReport, options: RunOptions): Promise<RawJson> {
  const { page, pageNumber, pageSize } = options
  if (page !== undefined && pageNumber !== undefined && page !== pageNumber)
    throw new AppError('invalid_input', 'page and pageNumber are two names of one thing and differ. Send one of them.')
  const found = await runPage(context, run, { page: page ?? pageNumber, pageSize }, context.answerBytes - envelopeBytes)
  const { rows, isCut, ...rest } = found
  const ends = isCut ? { ...rest, truncated: true } : rest
  return rawJson(`{"rows":${rows},${JSON.stringify(ends).slice(1)}`)
}
