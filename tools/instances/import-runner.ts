/** Imports as jobs: chunks of rows, each committed together with how far the file was read. */
import { z } from 'zod'

import type { Issue } from '#platform/errors.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { openAsset } from '#tools/assets/service.ts'
import type { CatalogEntity } from '#tools/entities/catalog.schema.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { advanceJob, finishJob, type JobRunner, type NewLogLine, type RunningJob } from '#tools/jobs/service.ts'

import { writeFrame } from './frame.ts'
import { countTogether } from './import-order.rules.ts'
import { type PlannedChunk, type PlannedRow } from './import-planning.ts'
import { ReadingDied, readPlanned } from './import-reading.ts'
import type { PlanEntity } from './import.rules.ts'
import { type SaveWish, toWish } from './save.rules.ts'
import { saveRows } from './save.ts'
import { readWishes, type RowMeans } from './wishes.ts'

export const importKind = 'instanceImport'

/** A step gives way after this long, so that a cancellation or a shutdown never waits for a whole file. */
const stepMs = 20_000
const keptErrors = 100
const keptColumns = 100
const keptCharacters = 500

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
  errors: z.array(
    z.object({ row: z.int(), line: z.int().optional(), path: z.string(), message: z.string(), suggestion: z.string().optional() }),
  ),
})
type Position = z.infer<typeof position>
type ImportInput = z.infer<typeof importInput>

const beginning: Position = { rows: 0, inserted: 0, updated: 0, skipped: 0, failed: 0, ignoredColumns: [], errors: [] }

/** The system's context, acting for the person who started the job: history names them. */
function onBehalf(context: TxContext, job: RunningJob): TxContext {
  return { ...context, actor: { ...context.actor, tenantUserId: job.startedBy ?? 0 } }
}

/** As much of the entity as its columns are matched with. */
function planOf({ internalName, properties }: CatalogEntity): PlanEntity {
  return {
    internalName,
    properties: properties.map(({ propertyId, entityPropertyId, internalName: name, dataType, isList }) => ({
      propertyId,
      entityPropertyId,
      internalName: name,
      dataType,
      isList,
    })),
  }
}

/** Thrown where the entity is no longer what the rows were planned for. */
class PlanOutdated extends Error {
  override readonly name = 'PlanOutdated'
}

const gone = () => new AppError('conflict', 'The entity was deleted while the import ran.')

/** Saves as many of the rows as go together, from the first on, and answers where the import then is. */
async function saveChunk(
  context: TxContext,
  job: RunningJob,
  { input, plan }: { readonly input: ImportInput; readonly plan: PlanEntity },
  before: Position,
  chunk: PlannedChunk,
): Promise<Position> {
  const frame = await writeFrame(onBehalf(context, job), (catalog) => {
    const entity = catalog.entities.find((known) => known.entityId === input.entityId)
    if (!entity) throw gone()
    return entity
  })
  if (JSON.stringify(planOf(frame.entity)) !== JSON.stringify(plan)) throw new PlanOutdated('A property changed while the import ran')
  const all = await readWishes(chunk.rows, (row, index, means) => wishOf(frame.entity, input, row, index, means))
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
    const row = chunk.rows[outcome.index]
    if (row && outcome.outcome === 'failed') errors.push(...outcome.errors.map((issue) => errorOf(row, issue)))
  }
  const ignoredColumns = [...new Set([...before.ignoredColumns, ...chunk.ignored])].slice(0, keptColumns)
  const moved = (before.moved ?? 0) + outcomes.filter((one) => one.outcome === 'updated' && one.moved).length
  return {
    ...counts,
    ...(moved > 0 ? { moved } : {}),
    rows: before.rows + wishes.length,
    ignoredColumns,
    errors: errors.slice(0, keptErrors),
  }
}

function wishOf(entity: CatalogEntity, input: ImportInput, row: PlannedRow, index: number, means: RowMeans): SaveWish {
  const wish = toWish(entity, row.save, { index, path: '$', modeOfCall: input.importMode, ...means })
  return row.problem === undefined ? wish : { ...wish, issues: [{ path: '$', severity: 'error', message: row.problem }] }
}

// What is quoted of the file is cut anywhere, and the database takes no half of a surrogate pair.
const keepable = (text: string) => text.slice(0, keptCharacters).toWellFormed()

function errorOf({ row, line }: PlannedRow, { path, message, suggestion }: Issue): Position['errors'][number] {
  return {
    row,
    ...(line === undefined ? {} : { line }),
    path,
    message: keepable(message),
    ...(suggestion === undefined ? {} : { suggestion: keepable(suggestion) }),
  }
}

function logLine({ row, line, message }: Position['errors'][number]): NewLogLine {
  return { level: 'warning', message: `Row ${row}${line === undefined ? '' : ` (line ${line})`}: ${message}` }
}

/** Where an import is, and its job as the next chunk commits it. */
interface Standing {
  job: RunningJob
  at: Position
}

/** Reads and saves on from where the import stands. */
async function runOn(services: Services, standing: Standing, input: ImportInput, signal: AbortSignal): Promise<'more' | 'read'> {
  const { tenantId } = standing.job
  const plan = await inSystemTransaction(services, tenantId, async (context) => {
    const entity = (await cachedCatalog(context)).entities.find((known) => known.entityId === input.entityId)
    if (!entity) throw gone()
    return planOf(entity)
  })
  const asset = await openAsset(services, tenantId, input.assetKey)
  const { format, delimiter, sheet, mapping } = input
  const chunks = readPlanned(
    asset.stream,
    {
      format,
      delimiter: delimiter ?? undefined,
      sheet: sheet ?? undefined,
      maxColumns: services.config.limits.importColumns,
      entity: plan,
      mapping,
      skip: standing.at.rows,
    },
    signal,
  )
  // From the first chunk on: what was saved before is read over, and takes its time in each step.
  let until: number | undefined
  for await (const chunk of chunks) {
    until ??= Date.now() + stepMs
    let left = chunk.rows
    let together = left.length
    while (left.length > 0) {
      signal.throwIfAborted()
      const { job, at: before } = standing
      const next = await inSystemTransaction(services, tenantId, async (context) => {
        const reached = await saveChunk(context, job, { input, plan }, before, { ...chunk, rows: left.slice(0, together) })
        const log = reached.errors.slice(before.errors.length).map(logLine)
        return { at: reached, job: await advanceJob(context, job, { done: reached.rows, position: reached, log }) }
      })
      Object.assign(standing, next)
      left = left.slice(next.at.rows - before.rows)
      // Where rows go together only a few at a time, more of them need not be looked at.
      together = Math.min(left.length, Math.max(1, (next.at.rows - before.rows) * 4))
      if (Date.now() > until) return 'more'
    }
  }
  return 'read'
}

/** Carries out imports. A chunk that is run again starts from the committed position, and rows that were saved already are skipped by their hash. */
export const importRunner: JobRunner = {
  async step(services: Services, first: RunningJob, signal: AbortSignal) {
    const input = importInput.parse(first.input)
    const standing: Standing = { job: first, at: first.position === null ? beginning : position.parse(first.position) }
    try {
      if ((await readTwice(services, standing, input, signal)) === 'more') return 'more'
    } catch (error) {
      if (error instanceof PlanOutdated) return 'more'
      throw error
    }
    const { job, at } = standing
    await inSystemTransaction(services, job.tenantId, (context) =>
      finishJob(context, job, { state: at.failed > 0 ? 'partly' : 'succeeded', total: at.rows, result: at }),
    )
    return 'done'
  },
  placeOf: (done) => `row ${done + 1}`,
}

/** An operator, or a system short of memory, may have ended the process that reads; only the second one proves that the file does. */
async function readTwice(services: Services, standing: Standing, input: ImportInput, signal: AbortSignal): Promise<'more' | 'read'> {
  try {
    return await runOn(services, standing, input, signal)
  } catch (error) {
    if (!(error instanceof ReadingDied)) throw error
    services.log.warn({ err: error, jobId: standing.job.jobId }, 'a process that reads a file ended in the middle of it')
  }
  try {
    return await runOn(services, standing, input, signal)
  } catch (error) {
    if (!(error instanceof ReadingDied)) throw error
    throw new AppError(
      'unprocessable',
      `The process that reads the file ended twice after row ${standing.at.rows}. Split the file, or save it as CSV.`,
      { cause: error },
    )
  }
}
