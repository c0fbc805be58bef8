/** Rows as a file among the assets: records of a query, or what was made of records. */
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { type AssetOwner, fillPending, openPending } from '#tools/assets/service.ts'
import { countRowsOf, type ReadFrame, readRows, type RowsRequest, typeOfColumn } from '#tools/query/service.ts'

import type { Format } from './exports.schema.ts'
import { type FileColumn, fileOf, mimeTypes } from './files.ts'

/** Of one file: a sheet has little more room. */
const maxRows = 1_000_000

/** Rows that a file may be made of. */
export interface FileContent {
  readonly columns: readonly FileColumn[]
  /** Names the sheet. */
  readonly name: string
  /** How many rows there are, counted up to `limit`. */
  count(context: TxContext, limit: number): Promise<number>
  /** Batches of them, each the JSON text of an object by column, as they are in the transaction. */
  batches(context: TxContext): AsyncIterable<readonly string[]>
}

export interface ExportPlan {
  readonly content: FileContent
}

/** Records of a query as the rows of a file. */
export function recordsAsContent(frame: ReadFrame, query: RowsRequest): FileContent {
  return {
    columns: query.columns.map((column) => ({ name: column.name, dataType: typeOfColumn(column) })),
    name: frame.entity.internalName,
    count: (context, limit) => countRowsOf(context, frame, query, limit),
    batches: (context) => readRows(context, frame, query),
  }
}

export interface ExportRequest {
  /** Whose the file is. */
  readonly owner: AssetOwner
  /** Without its extension. */
  readonly name: string
  readonly format: Format
  readonly isSensitive: boolean
  /** Runs in a transaction that only reads; once. */
  read(work: (context: TxContext) => Promise<void>): Promise<void>
  plan(context: TxContext): Promise<ExportPlan>
  /** How many rows are written so far. */
  readonly onRows?: (rows: number) => void
  /** In the transaction that shows the file. */
  readonly onStored?: (context: TxContext, done: Exported) => Promise<void>
}

export interface Exported {
  readonly assetKey: string
  readonly rows: number
}

async function* counted(batches: AsyncIterable<readonly string[]>, count: (rows: number) => void): AsyncGenerator<readonly string[]> {
  let rows = 0
  for await (const batch of batches) {
    rows += batch.length
    if (rows > maxRows)
      throw new AppError('too_large', `A file takes at most ${maxRows.toLocaleString('en-US')} rows. Narrow it by a filter.`)
    count(rows)
    yield batch
  }
}

/** What a file is called beside its entity or view: when it was asked for. */
export function fileNameOf(name: string, stamp: string): string {
  return `${name}-${stamp.slice(0, 16).replaceAll(/[^\d]/g, '')}`
}

/** Whether a value that the product keeps from prying eyes stands in the file. */
export function isSensitiveExport({ columns }: RowsRequest): boolean {
  return columns.some((column) => 'property' in column && column.property.isSensitive)
}

/** Writes rows into a new file, its owner's alone, while they are read. Throws what the reading or the storing throws; then there is no file. */
export async function writeExport(request: ExportRequest): Promise<Exported> {
  const { owner, format, isSensitive } = request
  const file = { fileName: `${request.name}.${format}`, mimeType: mimeTypes[format], isSensitive, isPrivate: true }
  const pending = await owner.transact((context) => openPending(context, owner.tenantUserId, file))
  const bytes = new PassThrough()
  let rows = 0
  let isBegun = false
  const reading = request.read(async (context) => {
    // What has gone into the file cannot be taken back: a transaction that is run again would write it twice.
    if (isBegun) throw new AppError('unavailable', 'The records changed while they were read. Try again.', { retryAfterSeconds: 1 })
    isBegun = true
    const { content } = await request.plan(context)
    const batches = counted(content.batches(context), (found) => {
      rows = found
      request.onRows?.(found)
    })
    await pipeline(fileOf(format, { ...content, batches }), bytes, owner.signal ? { signal: owner.signal } : {})
  })
  const done = () => ({ assetKey: pending.assetKey, rows })
  const storing = fillPending(
    owner,
    { ...pending, declaredType: file.mimeType },
    { stream: bytes },
    { onStored: async (context) => request.onStored?.(context, done()) },
  )
  // The one that fails makes the other one fail: only the first tells why.
  const failures: unknown[] = []
  await Promise.all([
    reading.catch((error: unknown) => {
      failures.push(error)
      bytes.destroy(error instanceof Error ? error : undefined)
    }),
    storing.catch((error: unknown) => {
      failures.push(error)
      bytes.destroy()
    }),
  ])
  if (failures.length > 0) throw failures[0]
  return done()
}
