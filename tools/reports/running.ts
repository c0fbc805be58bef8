/** Runs reports: with their parameters, as the caller sees the records, and with what they compute of each row. */
import { type RawJson, rawJson } from '#platform/answer.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { jsonPieces } from '#platform/json-text.ts'
import type { TxContext } from '#platform/operation.ts'
import { envelopeBytes } from '#platform/paging.ts'
import { renderingOf, timeRoots } from '#platform/tokens/rendering.ts'
import { type Resolving, resolving } from '#platform/tokens/resolve.ts'
import { mapInTurns } from '#platform/turns.ts'
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

/** A page of its rows, of at most so many bytes. Throws `too_large` and `timeout`, each with the narrower call. */
export async function runPage(
  context: TxContext,
  { ready, computed, at, ...usual }: RunnableReport,
  { page = usual.page, pageSize = usual.pageSize }: { readonly page?: number | undefined; readonly pageSize?: number | undefined },
  bytes: number,
): Promise<RowsOfReport> {
  const { items, total, isCut } = await pageOfReport(context, ready, { page, pageSize }, bytes)
  const rows = computed.length === 0 ? `[${items}]` : await computedRows(items, computed, at)
  if (Buffer.byteLength(rows) > bytes)
    throw new AppError(
      'too_large',
      `These rows are larger than an answer may be (${bytes} bytes). Ask for fewer with pageSize, or for fewer columns; export_report writes all rows into a file.`,
    )
  return { rows, page, pageSize, totalCount: total, isCut }
}

async function computedRows(items: string, computed: readonly Computed[], at: Resolving): Promise<string> {
  if (items === '') return '[]'
  // Rows as the statement made them, each on a line of its own.
  const rows = await mapInTurns(items.split(',\n'), (row) => withComputed(JSON.parse(row) as Row, computed, at))
  return (await jsonPieces(rows)).join('')
}

type FlatRow = Readonly<Record<string, unknown>>

function flatRow(text: string, { computed, at }: Pick<RunnableReport, 'computed' | 'at'>): FlatRow {
  // The statement wrote this text, an object.
  const row = JSON.parse(text) as FlatRow
  return computed.length === 0 ? row : { ...row, ...computedOf(computed, row, at) }
}

export interface FlatPage {
  readonly rows: readonly FlatRow[]
  /** Whether there are more behind them. */
  readonly hasMore: boolean
  /** Columns that are null in some row where the caller does not see all of them. */
  readonly withheld: readonly string[]
}

/** Its page as the definition says, each row the values by name, as many as fit in these bytes before they are computed. Throws `timeout`. */
export async function runFlatPage(
  context: TxContext,
  run: RunnableReport,
  bounds: { readonly bytes: number; readonly seconds: number },
): Promise<FlatPage> {
  const { ready, page, pageSize } = run
  const { items, total, isCut } = await flatPageOfReport(context, ready, { page, pageSize }, bounds)
  const rows = items === '' ? [] : await mapInTurns(items.split(',\n'), (text) => flatRow(text, run))
  return {
    rows,
    hasMore: isCut || total > (page - 1) * pageSize + rows.length,
    withheld: partlySeen(ready.report).filter((name) => rows.some((row) => row[name] === null)),
  }
}

/** All of its rows, batch by batch, each the values by name that a page has in `data`. The transaction stays open meanwhile, and reads nothing else. */
export async function* readAllRows(context: TxContext, run: RunnableReport): AsyncGenerator<readonly FlatRow[]> {
  for await (const batch of readReportRows(context, run.ready)) yield await mapInTurns(batch, (text) => flatRow(text, run))
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
