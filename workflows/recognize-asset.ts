/** Recognises an asset for somebody who waits for it. */
import { ActivityFailure, ApplicationFailure, isCancellation, proxyActivities } from '@temporalio/workflow'

import { taskQueues } from '#platform/shapes/queues.ts'
import {
  recognitionFailures,
  type RecognitionActivities,
  recognizeAssetSeconds,
  type RecognizeAssetRequest,
} from '#platform/shapes/recognition.ts'

const { recognizeNow } = proxyActivities<RecognitionActivities>({
  taskQueue: taskQueues.recognition,
  // Whoever waits is gone after this, and so is the work.
  scheduleToCloseTimeout: recognizeAssetSeconds * 1000,
  heartbeatTimeout: '10s',
  // A second try for a worker that was killed; more would not fit into the wait.
  retry: { initialInterval: '500ms', maximumAttempts: 2, nonRetryableErrorTypes: [recognitionFailures.away, recognitionFailures.lasting] },
})

/** Answers the findings, sealed. Fails with a type that is one of the product's error codes. */
export async function recognizeAsset(request: RecognizeAssetRequest): Promise<string> {
  try {
    return await recognizeNow(request)
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
    const { cause } = error
    if (cause instanceof ApplicationFailure && cause.type === recognitionFailures.away)
      throw ApplicationFailure.nonRetryable(cause.message, 'unavailable')
    if (cause instanceof ApplicationFailure) throw ApplicationFailure.nonRetryable('The file could not be read.', 'internal')
    throw ApplicationFailure.nonRetryable(`The file was not read within ${recognizeAssetSeconds} seconds.`, 'timeout')
  }
}
