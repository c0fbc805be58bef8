/**
 * What takes time in a conversation: deliveries to the vendor in the order of their seq, quiet hours, files to fetch, and an end to silence.
 * The messages themselves stand in the database; this only sees to it that what is queued there goes out.
 */
import {
  ActivityFailure,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  type RetryPolicy,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'

import {
  conversationSignals,
  type ConversationInput,
  type MessagingActivities,
  type QueuedDelivery,
  type ReceivedSignal,
  vendorTries,
} from '#platform/shapes/messaging.ts'
import { taskQueues } from '#platform/shapes/queues.ts'

const vendorRetry: RetryPolicy = {
  initialInterval: vendorTries.firstWaitMs,
  backoffCoefficient: vendorTries.factor,
  maximumInterval: vendorTries.longestWaitMs,
  maximumAttempts: vendorTries.atMost,
}

/** Without a limit: what has ended must be recorded, however long the database is away. */
const recordRetry: RetryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' }

const { deliverMessage } = proxyActivities<MessagingActivities>({
  taskQueue: taskQueues.messages,
  // The calls inside have limits of their own, below this one.
  startToCloseTimeout: '90s',
  // A killed worker is noticed after this long.
  heartbeatTimeout: '10s',
  retry: vendorRetry,
})

const { fetchMedia } = proxyActivities<MessagingActivities>({
  taskQueue: taskQueues.messages,
  startToCloseTimeout: '5m',
  heartbeatTimeout: '10s',
  retry: vendorRetry,
})

const { giveUpOnMessage, giveUpOnMedia, endIdleConversation } = proxyActivities<MessagingActivities>({
  taskQueue: taskQueues.messages,
  startToCloseTimeout: '10s',
  retry: recordRetry,
})

const deliver = defineSignal<[QueuedDelivery]>(conversationSignals.deliver)
const received = defineSignal<[ReceivedSignal]>(conversationSignals.received)
const ended = defineSignal(conversationSignals.ended)

const idleSecondsUnlessTold = 30 * 86_400

interface Waiting {
  readonly messageId: number
  /** By quiet hours; a timer lifts it. */
  isHeld: boolean
}

export async function conversation(input: ConversationInput): Promise<void> {
  const { tenantId, conversationId } = input
  const ref = { tenantId, conversationId }
  const idleSeconds = input.idleSeconds ?? idleSecondsUnlessTold
  const waiting = new Map<number, Waiting>()
  // The relay may tell of a message twice.
  const taken = new Set<number>()
  let hasMedia = input.hasMedia === true
  let isEnded = input.isEnded === true
  // Counts what was heard, so that silence can be told from it.
  let heard = 0

  const take = ({ messageId, seq }: QueuedDelivery) => {
    heard++
    if (taken.has(seq)) return
    taken.add(seq)
    waiting.set(seq, { messageId, isHeld: false })
    // Whoever no longer keeps quiet hours gets what they held before what comes now.
    const first = [...waiting].filter(([, one]) => one.isHeld).sort(([a], [b]) => a - b)[0]
    if (first && patched('ask-held-again')) first[1].isHeld = false
  }
  for (const queued of input.queued ?? []) take(queued)
  setHandler(deliver, take)
  setHandler(received, (signal) => {
    heard++
    if (signal.hasMedia) hasMedia = true
  })
  setHandler(ended, () => {
    heard++
    isEnded = true
  })

  // What is held is passed by: an urgent message does not wait for the morning behind one that does.
  const due = () => [...waiting].filter(([, one]) => !one.isHeld).sort(([a], [b]) => a - b)[0]

  const carryOut = async (seq: number, one: Waiting): Promise<void> => {
    try {
      const step = await deliverMessage({ ...ref, messageId: one.messageId })
      if (step.kind === 'held') {
        one.isHeld = true
        sleep(step.forMs).then(
          () => (one.isHeld = false),
          () => {},
        )
        return
      }
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
      await giveUpOnMessage({ ...ref, messageId: one.messageId })
    }
    waiting.delete(seq)
    // What held this one would have held those after it; an urgent one passes by those before it and tells nothing of them.
    const later = [...waiting].filter(([other, { isHeld }]) => isHeld && other > seq)
    if (later.length > 0 && patched('ask-held-again')) for (const [, other] of later) other.isHeld = false
  }

  const fetchFiles = async (): Promise<void> => {
    hasMedia = false
    try {
      const { isOpen } = await fetchMedia(ref)
      // Files of a reply that came after the end start a run that no end will be told to.
      if (!isOpen) isEnded = true
    } catch (error) {
      if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error
      await giveUpOnMedia(ref)
    }
  }

  for (;;) {
    const next = due()
    if (next) await carryOut(...next)
    else if (hasMedia) await fetchFiles()
    else if (isEnded && waiting.size === 0) return
    else {
      const before = heard
      const isSomethingUp = await condition(() => heard !== before || due() !== undefined, idleSeconds * 1000)
      if (!isSomethingUp) isEnded = (await endIdleConversation({ ...ref, idleSeconds })).isEnded
    }
    if (workflowInfo().continueAsNewSuggested) {
      const queued = [...waiting].map(([seq, one]) => ({ seq, messageId: one.messageId }))
      await continueAsNew<typeof conversation>({ ...ref, idleSeconds, queued, hasMedia, isEnded })
    }
  }
}
