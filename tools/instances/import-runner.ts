/** Imports as jobs: chunks of rows, each committed together with how far the file was read. */
import { z } from 'zod'

import type { Issue } from '#platform/errors.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { PatternMatcher } from '#platform/patterns.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { openAsset } from '#tools/assets/service.ts'
import type { CatalogEntity } from '#tools/entities/catalog.schema.ts'
import { advanceJob, finishJob, type JobRunner, type RunningJob } from '#tools/jobs/service.ts'

import { writeFrame } from './frame.ts'
import { readRows } from './import-file.ts'
import { type ColumnPlan, countTogether, type FileRow, planColumns, saveRowOf } from './import.rules.ts'
import { type SaveWish, toWish } from './save.rules.ts'
import { saveRows } from './save.ts'
import { readWishes } from './wishes.ts'

export const importKind = 'instanceImport'

const chunkRows = 2_000
/** A step gives way after this long, so that a cancellation or a shutdown never waits for a whole file. */
const stepMs = 20_000
const keptErrors = 100
const keptColumns = 100

const importInput = z.object({
  entityId: z.int(),
  assetKey: z.string(),
  format: z.enum(['csv', 'json', 'xlsx']),
  delimiter: z.string().nullable(),
  sheet: z.string().nullable().optional(),
  mapping: z.record(z.string(), z.string()),
  importMode: z.enum(['upsert', 'overwrite', 'insertOnly']),
  moveParent: z.boolean().optional(),
})

const position = z.object({
  rows: z.int(),
  inserted: z.int(),
  updated: z.int(),
  skipped: z.int(),
  failed: z.int(),
  moved: z.int().optional(),
  ignoredColumns: z.array(z.string()),
  errors: z.array(z.object({ row: z.int(), path: z.string(), message: z.string(), suggestion: z.string().optional() })),
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

/** Saves as many of the rows as go together, from the first on, and answers where the import then is. */
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
  const isJson = input.format === 'json'
  // Rows of JSON leave out what they do not have; those of cells all have the columns of the first.
  const headers = isJson ? [...new Set(rows.flatMap((row) => Object.keys(row.values)))] : Object.keys(rows[0]?.values ?? {})
  const plan = planColumns(frame.entity, headers, input.mapping, !isJson || before.rows === 0)
  const all = await readWishes(rows, (row, index, patterns) => wishOf(frame.entity, plan, input, row, index, patterns))
  const wishes = all.slice(
    0,
    countTogether(
      all,
      frame.entity.parents.some((parent) => parent.entityId === input.entityId),
    ),
  )
  const outcomes = await saveRows(onBehalf(context, job), frame, wishes, { movesParents: input.moveParent === true })
  const counts = { inserted: before.inserted, updated: before.updated, skipped: before.skipped, failed: before.failed }
  const errors = [...before.errors]
  for (const outcome of outcomes) {
    counts[outcome.outcome]++
    if (outcome.outcome === 'failed') errors.push(...outcome.errors.map((issue) => errorOf(before.rows + outcome.index + 1, issue)))
  }
  const ignoredColumns = [...new Set([...before.ignoredColumns, ...plan.ignored])].slice(0, keptColumns)
  const moved = (before.moved ?? 0) + outcomes.filter((one) => one.outcome === 'updated' && one.moved).length
  return {
    ...counts,
    ...(moved > 0 ? { moved } : {}),
    rows: before.rows + wishes.length,
    ignoredColumns,
    errors: errors.slice(0, keptErrors),
  }
}

function wishOf(
  entity: CatalogEntity,
  plan: ColumnPlan,
  input: z.infer<typeof importInput>,
  row: FileRow,
  index: number,
  patterns: PatternMatcher,
): SaveWish {
  const wish = toWish(entity, saveRowOf(plan, input.format, row), { index, path: '$', modeOfCall: input.importMode, patterns })
  return row.problem === undefined ? wish : { ...wish, issues: [{ path: '$', severity: 'error', message: row.problem }] }
}

function errorOf(row: number, { path, message, suggestion }: Issue): Position['errors'][number] {
  return { row, path, message, ...(suggestion === undefined ? {} : { suggestion }) }
}

/** Carries out imports. A chunk that is run again starts from the committed position, and rows that were saved already are skipped by their hash. */
export const importRunner: JobRunner = {
  async step(services: Services, first: RunningJob, signal: AbortSignal) {
    const input = importInput.parse(first.input)
    let job = first
    let at = job.position === null ? beginning : position.parse(job.position)
    const asset = await openAsset(services, job.tenantId, input.assetKey)
    const until = Date.now() + stepMs
    const { format, delimiter, sheet } = input
    const rows = readRows(asset.stream, { format, delimiter: delimiter ?? undefined, sheet: sheet ?? undefined })
    try {
      for await (const chunk of chunksOf(rows, at.rows)) {
        let left: readonly FileRow[] = chunk
        let together = left.length
        while (left.length > 0) {
          signal.throwIfAborted()
          const before = at
          const next = await inSystemTransaction(services, job.tenantId, async (context) => {
            const reached = await saveChunk(context, job, input, before, left.slice(0, together))
            const lines = reached.errors
              .slice(before.errors.length)
              .map((error) => ({ level: 'warning' as const, message: `Row ${error.row}: ${error.message}` }))
            return { reached, job: await advanceJob(context, job, { done: reached.rows, position: reached, log: lines }) }
          })
          at = next.reached
          job = next.job
          left = left.slice(at.rows - before.rows)
          // Where rows go together only a few at a time, more of them need not be looked at.
          together = Math.min(left.length, Math.max(1, (at.rows - before.rows) * 4))
          if (Date.now() > until) return 'more'
        }
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
