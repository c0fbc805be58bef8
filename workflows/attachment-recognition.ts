/** Recognises one attachment that a save has put into a record: reads it, then ends the analysis and writes its results into the record. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  type RetryPolicy,
  sleep,
  TimeoutFailure,
} from '@temporalio/workflow'

import { taskQueues } from '#platform/shapes/queues.ts'
import { type AnalysisActivities, type AnalysisRun, type RecognitionActivities, recognitionFailures } from '#platform/shapes/recognition.ts'

/** A file that kills its reader or never ends does so each time: the third try is the last. Files that cannot be read are answers, not failures. */
const readRetry: RetryPolicy = {
  initialInterval: '2s',
  backoffCoefficient: 2,
  maximumInterval: '30s',
  maximumAttempts: 3,
  nonRetryableErrorTypes: [recognitionFailures.away, recognitionFailures.lasting],
}

/** What the reader needs and cannot have now (the database, a model's package) costs none of those tries: it is waited for, some 25 minutes in all. */
const waitsForWhatIsAway = ['2s', '5s', '15s', '30s', '1m', '2m', '5m', '15m'] as const

/** Twenty tries over some quarter of an hour; an end that still cannot be recorded with its results is recorded as failed. */
const saveRetry: RetryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 20 }

/** Without a limit: an analysis that has ended must be seen to have ended, however long the database is away. */
const endRetry: RetryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' }

const { recognizeAttachment } = proxyActivities<RecognitionActivities>({
  taskQueue: taskQueues.recognition,
  // The engine keeps the hard limit of a file; this only bounds what it takes with it, a model's first download and conversion among them.
  startToCloseTimeout: '15m',
  // A killed worker is noticed after this long.
  heartbeatTimeout: '10s',
  retry: readRetry,
})

const { saveRecognition } = proxyActivities<AnalysisActivities>({
  taskQueue: taskQueues.activities,
  startToCloseTimeout: '30s',
  retry: saveRetry,
})
const { failRecognition } = proxyActivities<AnalysisActivities>({
  taskQueue: taskQueues.activities,
  startToCloseTimeout: '10s',
  retry: endRetry,
})

export async function attachmentRecognition(run: AnalysisRun): Promise<void> {
  try {
    if ((await recognizeOnceThere(run)) === 'found') await saveRecognition(run)
  } catch (error) {
    // Its own scope: that of a stopped run carries nothing out any more, whatever the reading ended with.
    const reason = reasonOf(error)
    await CancellationScope.nonCancellable(() => failRecognition(run, reason))
  }
}

async function recognizeOnceThere(run: AnalysisRun): Promise<'found' | 'over'> {
  for (const wait of waitsForWhatIsAway) {
    try {
      return await recognizeAttachment(run)
    } catch (error) {
      if (!isAway(error)) throw error
      await sleep(wait)
    }
  }
  return recognizeAttachment(run)
}

function isAway(error: unknown): boolean {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.type === recognitionFailures.away
}

function reasonOf(error: unknown): string {
  if (isCancellation(error) || CancellationScope.current().consideredCancelled) return 'An operator stopped it.'
  if (!(error instanceof ActivityFailure)) throw error
  const { cause } = error
  // Only sentences of ours are shown; what else was thrown may quote anything.
  const isOurs =
    cause instanceof ApplicationFailure && (cause.type === recognitionFailures.away || cause.type === recognitionFailures.lasting)
  if (isOurs && cause.message) return cause.message
  if (cause instanceof TimeoutFailure) return 'The file did not come to an end of being read, in three tries.'
  return 'Something failed on our side.'
}
