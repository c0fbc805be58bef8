/** Imports as jobs: chunks of rows, each committed together with how far the file was read. */
import { z } from 'zod'

import type { Issue } from '#platform/errors.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { openAsset } from '#tools/assets/service.ts'
import { advanceJob, finishJob, type JobRunner, type RunningJob } from '#tools/jobs/service.ts'

import { writeFrame } from './frame.ts'
import { type FileRow, readRows } from './import-file.ts'
import { planColumns, rowOfCells, rowOfObject } from './import.rules.ts'
import { toWish } from './save.rules.ts'
import { saveRows } from './save.ts'

export const importKind = 'instanceImport'

const chunkRows = 2_000
/** A step gives way after this long, so that a cancellation or a shutdown never waits for a whole file. */
const stepMs = 20_000
const keptErrors = 100

const importInput = z.object({
  entityId: z.int(),
  assetKey: z.string(),
  format: z.enum(['csv', 'json']),
  delimiter: z.string().nullable(),
  mapping: z.record(z.string(), z.string()),
  importMode: z.enum(['upsert', 'overwrite', 'insertOnly']),
})

const position = z.object({
  rows: z.int(),
  inserted: z.int(),
  updated: z.int(),
  skipped: z.int(),
  failed: z.int(),
  ignoredColumns: z.array(z.string()),
  errors: z.array(z.object({ row: z.int(), message: z.string(), path: z.string() })),
})
type Position = z.infer<typeof position>

const beginning: Position = { rows: 0, inserted: 0, updated: 0, skipped: 0, failed: 0, ignoredColumns: [], errors: [] }

/** Rows in chunks, the first `skip` of them left out. */
async function* chunksOf(rows: AsyncGenerator<FileRow>, skip: number): AsyncGenerator<FileRow[]> {
  let chunk: FileRow[] = []
  let seen = 0
  for await (const row of rows) {
    if (seen++ < skip) continue
    chunk.push(row)
    if (chunk.length === chunkRows) {
      yield chunk
      chunk = []
    }
  }
  if (chunk.length > 0) yield chunk
}

/** The system's context, acting for the person who started the job: history names them. */
function onBehalf(context: TxContext, job: RunningJob): TxContext {
  return { ...context, actor: { ...context.actor, tenantUserId: job.startedBy ?? 0 } }
}

async function saveChunk(
  context: TxContext,
  job: RunningJob,
  input: z.infer<typeof importInput>,
  before: Position,
  rows: readonly FileRow[],
): Promise<Position> {
  const frame = await writeFrame(onBehalf(context, job), (catalog) => {
    const entity = catalog.entities.find((known) => known.entityId === input.entityId)
    if (!entity) throw new AppError('conflict', 'The entity was deleted while the import ran.')
    return entity
  })
  const plan = planColumns(frame.entity, Object.keys(rows[0] ?? {}), input.mapping)
  const toRow = (row: FileRow) => (input.format === 'csv' ? rowOfCells(plan, row as Record<string, string>) : rowOfObject(plan, row))
  const wishes = rows.map((row, index) => toWish(frame.entity, toRow(row), { index, path: '$' }))
  const outcomes = await saveRows(onBehalf(context, job), frame, wishes, input.importMode)
  const counts = { inserted: before.inserted, updated: before.updated, skipped: before.skipped, failed: before.failed }
  const errors = [...before.errors]
  for (const outcome of outcomes) {
    counts[outcome.outcome]++
    if (outcome.outcome === 'failed' && errors.length < keptErrors) errors.push(errorOf(before.rows + outcome.index + 1, outcome.errors))
  }
  return { ...counts, rows: before.rows + rows.length, ignoredColumns: [...plan.ignored], errors }
}

function errorOf(row: number, issues: readonly Issue[]): Position['errors'][number] {
  const [first] = issues
  return { row, message: first?.message ?? 'The row could not be saved.', path: first?.path ?? '$' }
}

/** Carries out imports. A chunk that is run again starts from the committed position, and rows that were saved already are skipped by their hash. */
export const importRunner: JobRunner = {
  async step(services: Services, first: RunningJob, signal: AbortSignal) {
    const input = importInput.parse(first.input)
    let job = first
    let at = job.position === null ? beginning : position.parse(job.position)
    const asset = await openAsset(services, job.tenantId, input.assetKey)
    const until = Date.now() + stepMs
    const rows = readRows(asset.stream, input.format, input.delimiter ?? undefined)
    try {
      for await (const chunk of chunksOf(rows, at.rows)) {
        signal.throwIfAborted()
        const next = await inSystemTransaction(services, job.tenantId, async (context) => {
          const reached = await saveChunk(context, job, input, at, chunk)
          const lines = reached.errors
            .slice(at.errors.length)
            .map((error) => ({ level: 'warning' as const, message: `Row ${error.row}: ${error.message}` }))
          return { reached, job: await advanceJob(context, job, { done: reached.rows, position: reached, log: lines }) }
        })
        at = next.reached
        job = next.job
        if (Date.now() > until) return 'more'
      }
    } finally {
      asset.stream.destroy()
    }
    const { rows: read, ...result } = at
    await inSystemTransaction(services, job.tenantId, (context) =>
      finishJob(context, job, { state: at.failed > 0 ? 'partly' : 'succeeded', total: read, result: { rows: read, ...result } }),
    )
    return 'done'
  },
}
