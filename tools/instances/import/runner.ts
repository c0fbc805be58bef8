/** Imports as jobs: chunks of rows, each committed together with how far the file was read. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { openAsset } from '#tools/assets/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { advanceJob, finishJob, type JobRunner, type RunningJob } from '#tools/jobs/service.ts'

import { saveRows } from '../save/save-rows.ts'
import { readWishes } from '../save/understand-rows.ts'
import {
  beginning,
  gone,
  importFrame,
  type ImportInput,
  importInput,
  importWork,
  logLine,
  planOf,
  PlanOutdated,
  position,
  type Position,
  reachedBy,
  wishOf,
} from './chunks.ts'
import { tryChunk } from './dry-run.ts'
import type { PlanEntity } from './mapping.rules.ts'
import { countTogether } from './order.rules.ts'
import type { PlannedChunk } from './planning.ts'
import { deletePreviews } from './preview.store.ts'
import { ReadingDied, readPlanned } from './reading.ts'

export const importKind = 'instanceImport'

/** A step gives way after this long, so that a cancellation or a shutdown never waits for a whole file. */
const stepMs = 20_000
/** Saves as many of the rows as go together, from the first on, and answers where the import then is. */
async function saveChunk(
  context: TxContext,
  { input, plan }: { readonly input: ImportInput; readonly plan: PlanEntity },
  before: Position,
  chunk: PlannedChunk,
): Promise<Position> {
  const frame = await importFrame(context, input, plan)
  const all = await readWishes(chunk.rows, (row, index, means) => wishOf(frame.entity, input, row, index, means))
  const wishes = all.slice(
    0,
    countTogether(
      all,
      frame.entity.parents.some((parent) => parent.entityId === input.entityId),
    ),
  )
  return reachedBy(before, chunk, await saveRows(context, frame, wishes, { movesParents: input.moveParent === true, leavesWithheld: true }))
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
  const { format, delimiter, encoding, sheet, mapping } = input
  const chunks = readPlanned(
    asset.stream,
    {
      format,
      delimiter: delimiter ?? undefined,
      encoding: encoding ?? undefined,
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
    if (input.dryRun) {
      await tryOut(services, standing, { input, plan }, chunk)
      if (Date.now() > until) return 'more'
      continue
    }
    let left = chunk.rows
    let together = left.length
    while (left.length > 0) {
      signal.throwIfAborted()
      const { job, at: before } = standing
      const save = async (context: TxContext) => {
        const reached = await saveChunk(context, { input, plan }, before, { ...chunk, rows: left.slice(0, together) })
        const log = reached.errors.slice(before.errors.length).map(logLine)
        return { at: reached, job: await advanceJob(context, job, { done: reached.rows, position: reached, log }) }
      }
      const next = await inSystemTransaction(services, tenantId, save, importWork(job, input))
      Object.assign(standing, next)
      left = left.slice(next.at.rows - before.rows)
      // Where rows go together only a few at a time, more of them need not be looked at.
      together = Math.min(left.length, Math.max(1, (next.at.rows - before.rows) * 4))
      if (Date.now() > until) return 'more'
    }
  }
  return 'read'
}

/** A dry chunk, which commits nothing but where the dry run is. */
async function tryOut(
  services: Services,
  standing: Standing,
  of: { readonly input: ImportInput; readonly plan: PlanEntity },
  chunk: PlannedChunk,
): Promise<void> {
  const { job, at: before } = standing
  const { reached, keep } = await tryChunk(services, job, of, before, chunk)
  const log = reached.errors.slice(before.errors.length).map(logLine)
  standing.job = await inSystemTransaction(services, job.tenantId, async (context) => {
    await keep(context)
    return advanceJob(context, job, { done: reached.rows, position: reached, log })
  })
  standing.at = reached
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
    await inSystemTransaction(services, job.tenantId, async (context) => {
      if (input.dryRun) await deletePreviews(context.tx, job)
      const result = input.dryRun ? { dryRun: true, ...at } : at
      await finishJob(context, job, { state: at.failed > 0 ? 'partly' : 'succeeded', total: at.rows, result })
    })
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
