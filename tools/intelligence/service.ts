/** Analyses of attachments for other domains and for activities: queued with a save, carried out later, written back by whoever may. */
import { tell } from '#platform/event-log.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import type { AnalysisRun, Findings } from '#platform/shapes/recognition.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import {
  beginRun,
  cancelAttempt,
  diedTwice,
  failJob,
  finishJob,
  insertJobs,
  type JobRequest,
  type JobRun,
  type JobRunner,
  startJob,
} from '#tools/jobs/service.ts'

import type { AnalysisSettings } from './intelligence.schema.ts'
import * as store from './intelligence.store.ts'

export { analysisSeen } from './analysis.ts'
export { sealFindings } from './sealed-findings.ts'
export * from './targets.ts'

/** The kind of the jobs that stand for analyses. */
export const analysisJobKind = 'attachmentAnalysis'

/** An attachment that a save has put into a record. */
export interface SavedAttachment {
  readonly entityId: number
  readonly eiRecordId: number
  readonly entityPropertyId: number
  readonly assetKey: string
  /** As the property has them: `CatalogProperty.analysis`. */
  readonly settings: unknown
}

/** Of one save by a person; more of them are a mass, which nobody waits for. */
const fewAnalyses = 20

type Origin = Pick<JobRequest, 'operation' | 'requiredRoles'>

const bySave: Origin = { operation: 'save_instance', requiredRoles: 'DataImport|DataEdit' }

/**
 * Queues the analyses of saved attachments in the save's transaction; answers one for each, in order. An analysis that was queued or running for
 * the same asset, record and property is superseded.
 */
export async function queueAnalyses(
  context: TxContext,
  saves: readonly SavedAttachment[],
  origin: Origin = bySave,
): Promise<{ analysisId: number; jobId: number }[]> {
  const { tx, tenantId, stamp } = context
  const name = (save: SavedAttachment) => `${save.assetKey.toLowerCase()} ${save.eiRecordId} ${save.entityPropertyId}`
  // A list may hold one asset twice; it is one analysis.
  const distinct = [...new Map(saves.map((save) => [name(save), save])).values()]
  if (distinct.length === 0) return []
  for (const jobId of await store.listOpenJobs(tx, tenantId, distinct))
    await cancelAttempt(context, { tenantId, jobId, attempt: 1 }, 'a newer run')
  const jobIds = await insertJobs(
    context,
    distinct.map(({ assetKey, entityId, eiRecordId, entityPropertyId }) => ({
      ...origin,
      kind: analysisJobKind,
      input: { assetKey, eiRecordId, entityPropertyId },
      about: { entityId, eiRecordId, entityPropertyId },
    })),
  )
  const queued = await store.upsertAnalyses(
    tx,
    tenantId,
    stamp,
    distinct.map((save, index) => ({ ...save, jobId: jobIds[index] ?? 0 })),
  )
  const byJob = new Map(queued.map((analysis) => [analysis.jobId, analysis]))
  const byName = new Map(distinct.map((save, index) => [name(save), byJob.get(jobIds[index] ?? 0)]))
  const lane = queued.length > fewAnalyses || context.origin.kind === 'import' ? 'bulk' : 'triggers'
  await context.emitMany(
    queued.map(({ analysisId, runNo }) => ({
      kind: 'start',
      lane,
      workflow: 'attachmentRecognition',
      args: [{ tenantId, analysisId, runNo }],
      subject: `analysis:${analysisId}`,
    })),
  )
  return saves.map((save) => {
    const analysis = byName.get(name(save))
    if (!analysis) throw new Error('An analysis was queued and not answered')
    return { analysisId: analysis.analysisId, jobId: analysis.jobId }
  })
}

export interface StartedAnalysis {
  readonly assetKey: string
  readonly settings: AnalysisSettings
  /** Findings of an earlier try of this run are kept; only the end is missing. */
  readonly isFound: boolean
  /** What counts this try. */
  readonly jobRun: JobRun
}

/** Marks the run and its job as running. Undefined where nothing is left to do: it is over, superseded, was cancelled, or has ended its process twice. */
export async function startAnalysis(context: TxContext, run: AnalysisRun): Promise<StartedAnalysis | undefined> {
  const { tx, stamp } = context
  const row = await store.lockRun(tx, run)
  if (!row) return undefined
  const job = await startJob(context, attemptOf(run, row))
  if (!job) {
    await store.endRun(tx, run, { state: 'skipped', reason: 'The job was cancelled.', at: stamp })
    return undefined
  }
  const jobRun = await beginRun(context, attemptOf(run, row))
  if (!jobRun) {
    await store.endRun(tx, run, { state: 'failed', reason: diedTwice(undefined), at: stamp })
    return undefined
  }
  await store.markRunning(tx, run, stamp)
  return { assetKey: row.assetKey, settings: row.settings, isFound: row.found !== null, jobRun }
}

// A retry of the job begins a job of its own (`analysisRunner`), so this one has a single attempt.
const attemptOf = (run: AnalysisRun, row: store.AnalysisRow) => ({ tenantId: run.tenantId, jobId: row.jobId, attempt: 1 })

/** Keeps what the run has found, for `finishAnalysis`. False where the run is over by now. */
export async function keepFindings(services: Services, run: AnalysisRun, findings: Findings): Promise<boolean> {
  return inSystemTransaction(services, run.tenantId, ({ tx }) => store.keepFindings(tx, run, findings))
}

/** Results that belong into a record, while it still holds the file and nobody has edited the targets. */
export interface WriteBack {
  readonly analysisId: number
  /** Of the run's job. */
  readonly depth: number
  readonly entityId: number
  readonly eiRecordId: number
  readonly entityPropertyId: number
  readonly assetKey: string
  readonly targets: AnalysisSettings['targets']
}

/** The record that the run's results belong to: whoever writes them holds it first, so that two runs of one record follow each other. */
export async function placeOf({ tx }: TxContext, run: AnalysisRun): Promise<{ entityId: number; eiRecordId: number } | undefined> {
  return store.findPlace(tx, run)
}

/**
 * Ends the run and its job with what was found. Answers what belongs into the record, if anything; whoever writes it there in the same transaction
 * reports with `noteWritten`. Undefined too where the run was over already.
 */
export async function finishAnalysis(context: TxContext, run: AnalysisRun): Promise<WriteBack | undefined> {
  const { tx, stamp } = context
  const row = await store.lockRun(tx, run)
  if (!row || row.found === null) return undefined
  const job = await startJob(context, attemptOf(run, row))
  if (!job) {
    await store.endRun(tx, run, { state: 'skipped', reason: 'The job was cancelled.', at: stamp })
    return undefined
  }
  await store.endRun(tx, run, { state: row.found, reason: row.reason, at: stamp })
  const { analysisId, assetKey, entityId, eiRecordId, entityPropertyId } = row
  tellAnalyzed(context, row, row.found)
  if (row.found === 'failed') {
    await failJob(context, job, { code: 'unprocessable', message: row.reason ?? 'The file could not be read.' })
    return undefined
  }
  await finishJob(context, job, {
    result: { analysisId, assetKey, eiRecordId, state: row.found, ...(row.reason === null ? {} : { reason: row.reason }) },
  })
  const { targets } = row.settings
  if (row.found !== 'done' || Object.keys(targets).length === 0) return undefined
  return { analysisId, depth: job.depth, entityId, eiRecordId, entityPropertyId, assetKey, targets }
}

function tellAnalyzed(context: TxContext, row: store.AnalysisRow, state: string): void {
  const { analysisId, assetKey, entityId, eiRecordId, entityPropertyId } = row
  tell(context, 'asset.analyzed', { assetKey, analysisId, entityPropertyId, state }, { entityId, eiRecordId })
}

/** Notes what came of a write-back, in its transaction. */
export async function noteWritten(
  { tx }: TxContext,
  run: AnalysisRun,
  written: { readonly applied: readonly string[]; readonly skipped: readonly { readonly property: string; readonly reason: string }[] },
): Promise<void> {
  await store.noteWritten(tx, run, written)
}

/** Ends a run that could not be carried out. Nothing happens where it is over already. */
export async function failAnalysis(context: TxContext, run: AnalysisRun, reason: string): Promise<void> {
  const { tx, stamp } = context
  const row = await store.lockRun(tx, run)
  if (!row) return
  await store.endRun(tx, run, { state: 'failed', reason, at: stamp })
  tellAnalyzed(context, row, 'failed')
  await failJob(context, attemptOf(run, row), { code: 'unavailable', message: reason })
}

/** Queues the analysis again as its next run, with the settings that its property has now. */
export async function queueAgain(
  context: TxContext,
  row: store.AnalysisRow,
  origin: Origin,
): Promise<{ analysisId: number; jobId: number }> {
  const entity = (await cachedCatalog(context)).byIdOrName.get(String(row.entityId))
  const property = entity?.properties.find((candidate) => candidate.entityPropertyId === row.entityPropertyId)
  const { entityId, eiRecordId, entityPropertyId, assetKey } = row
  const [queued] = await queueAnalyses(
    context,
    [{ entityId, eiRecordId, entityPropertyId, assetKey, settings: property?.analysis ?? row.settings }],
    origin,
  )
  if (!queued) throw new Error('An analysis was queued and not answered')
  return queued
}

/** Lets retry_job work on a failed or cancelled analysis: the analysis is queued again, and the retried job ends with the id of the new one. */
export const analysisRunner: JobRunner = {
  async step(services, job) {
    const again = async (context: TxContext) => {
      const row = await store.findByJob(context.tx, job.tenantId, job.jobId)
      const queued = row && (await queueAgain(context, row, bySave))
      await finishJob(context, job, { result: queued ? { analysisId: queued.analysisId, jobId: queued.jobId } : {} })
    }
    await inSystemTransaction(services, job.tenantId, again, { origin: { kind: 'analysis', depth: job.depth } })
    return 'done'
  },
}
