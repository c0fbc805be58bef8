/** The activities of recognition: reading files with the engine, and ending analyses. */
import { setInterval } from 'node:timers'

import { ApplicationFailure, Context } from '@temporalio/activity'

import { AppError, errorCatalogue } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'
import {
  type AnalysisActivities,
  type AnalysisRun,
  type Findings,
  recognitionFailures,
  type RecognitionActivities,
  type RecognitionWish,
} from '#platform/shapes/recognition.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { assetForRecognition } from '#tools/assets/service.ts'
import {
  failAnalysis,
  finishAnalysis,
  keepFindings,
  noteWritten,
  placeOf,
  sealFindings,
  startAnalysis,
} from '#tools/intelligence/service.ts'
import { carryOut, JobStopped } from '#tools/jobs/service.ts'
import { applyAnalysis, holdRecord, keepOutOfRecord } from '#tools/instances/service.ts'

import type { Recognizer } from './recognition/types.ts'

const heartbeatMs = 2_000

/**
 * Reading a file twice is harmless: it changes nothing, and its findings are kept by (analysis, run), which a run that is over refuses. A retry
 * that finds them kept already does not read again.
 */
export function createRecognitionActivities({
  services,
  recognizer,
}: {
  readonly services: Services
  readonly recognizer: Recognizer
}): RecognitionActivities {
  return {
    recognizeAttachment: (run) =>
      beating(services, async (signal) => {
        const started = await inSystemTransaction(services, run.tenantId, (context) => startAnalysis(context, run))
        if (!started) return 'over'
        return carryOut(services, started.jobRun, signal, async (until) => {
          if (started.isFound) return 'found'
          const findings = await read(services, recognizer, run.tenantId, started.assetKey, started.settings, until)
          return (await keepFindings(services, run, findings)) ? 'found' : 'over'
        }).catch(async (error: unknown) => {
          if (!(error instanceof JobStopped)) throw error
          // Its job was cancelled meanwhile, which ends the run.
          await inSystemTransaction(services, run.tenantId, (context) => startAnalysis(context, run))
          return 'over' as const
        })
      }),
    recognizeNow: ({ tenantId, assetKey, ...wish }) =>
      beating(services, async (signal) =>
        sealFindings(services, tenantId, assetKey, await read(services, recognizer, tenantId, assetKey, wish, signal)),
      ),
  }
}

/**
 * Ending a run twice is harmless: it ends under its row's lock, together with its job and the write into the record, and a run that is over is left
 * as it is.
 */
export function createAnalysisActivities({ services }: { readonly services: Services }): AnalysisActivities {
  return {
    async saveRecognition(run) {
      try {
        await inSystemTransaction(services, run.tenantId, async (context) => {
          const place = await placeOf(context, run)
          if (!place) return
          await holdRecord(context, place)
          const back = await finishAnalysis(context, run)
          if (back) await noteWritten(context, run, await applyAnalysis(context, back))
        })
      } catch (error) {
        if (!isLasting(error)) throw error
        await finishWithout(services, run, error)
      }
    },
    async failRecognition(run, reason) {
      await inSystemTransaction(services, run.tenantId, (context) => failAnalysis(context, run, reason))
    },
  }
}

/** The results stand although the record cannot take them. */
async function finishWithout(services: Services, run: AnalysisRun, error: AppError): Promise<void> {
  await inSystemTransaction(services, run.tenantId, async (context) => {
    const back = await finishAnalysis(context, run)
    if (back) await noteWritten(context, run, await keepOutOfRecord(context, back, error.message))
  })
}

async function read(
  services: Services,
  recognizer: Recognizer,
  tenantId: number,
  assetKey: string,
  wish: RecognitionWish,
  signal: AbortSignal,
): Promise<Findings> {
  const asset = await assetForRecognition(services, tenantId, assetKey).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  })
  if (!asset) return { state: 'skipped', reason: 'The asset was deleted before it was read.', durationMs: 0 }
  try {
    const { filePath, mimeType, originalFileName: fileName } = asset
    const { ocr, classify, languages, minScore } = wish
    return await recognizer.recognize({ filePath, mimeType, fileName, ocr, classify, languages, minScore }, { signal })
  } finally {
    await asset.release()
  }
}

function isLasting(error: unknown): error is AppError {
  return error instanceof AppError && error.code !== 'internal' && !errorCatalogue[error.code].retryable
}

/** Tells Temporal every two seconds that the work goes on, and what its failure means for another try. */
async function beating<T>(services: Services, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current()
  const beat = setInterval(() => context.heartbeat(), heartbeatMs)
  try {
    return await work(context.cancellationSignal)
  } catch (error) {
    context.cancellationSignal.throwIfAborted()
    services.log.warn({ err: error }, 'a file could not be recognised')
    if (isLasting(error)) throw ApplicationFailure.create({ message: error.message, type: recognitionFailures.lasting, nonRetryable: true })
    if (error instanceof AppError && errorCatalogue[error.code].retryable) {
      throw ApplicationFailure.create({ message: error.message, type: recognitionFailures.away, nonRetryable: true })
    }
    throw error
  } finally {
    clearInterval(beat)
  }
}
