/** The activities of messaging: one delivery to a vendor, files fetched from one, and the ends that the workflow cannot record itself. */
import { setInterval } from 'node:timers'

import { ApplicationFailure, Context } from '@temporalio/activity'

import { guardedDispatcher } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'
import { type DeliveryStep, type MessagingActivities, vendorWaitMs } from '#platform/shapes/messaging.ts'
import {
  addMedia,
  claimDelivery,
  endFile,
  endIdleConversation,
  giveUpMedia,
  giveUpOn,
  listFilesToBring,
  listMediaToFetch,
  noteUploaded,
  recordOutcome,
} from '#tools/messaging/service.ts'

import { fetchFile, MediaGone } from './media.ts'
import type { CarrierParts } from './providers/carrier.ts'
import { carrierOf } from './providers/index.ts'

export interface MessagingActivityOptions {
  /** Hard limit of one call to a vendor; 10 s unless told. */
  readonly callMs?: number
  /** From a claim until its outcome can be looked up: beyond the limit of the call, and the vendor's own delay. 20 s unless told. */
  readonly settleMs?: number
  /** Between tries, instead of the workflow's own intervals: for tests. */
  readonly retryDelayMs?: number
}

const heartbeatMs = 3_000
/** About a minute: a drive that is away keeps nobody's next message. */
const triesOfFile = 4

async function beating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current()
  const timer = setInterval(() => context.heartbeat(), heartbeatMs)
  try {
    return await work(context.cancellationSignal)
  } finally {
    clearInterval(timer)
  }
}

/** The activities with the connections that they share; `close` ends those. */
export function createMessagingActivities(
  services: Services,
  options: MessagingActivityOptions = {},
): MessagingActivities & { close(): Promise<void> } {
  const { callMs = 10_000, settleMs = 20_000, retryDelayMs } = options
  const dispatcher = guardedDispatcher(services.config, { headersMs: callMs })
  const parts: CarrierParts = { services, dispatcher, callMs }

  const tryAgain = (type: string, delayMs = retryDelayMs) =>
    ApplicationFailure.create({
      message: 'The message is tried again',
      type,
      ...(delayMs === undefined ? {} : { nextRetryDelay: delayMs }),
    })

  /** The outcome cannot be looked up sooner; nor do a vendor's failures, one after the other, use up the tries in minutes. */
  const untilLookUpMs = () => Math.max(settleMs, retryDelayMs ?? vendorWaitMs(Context.current().info.attempt))

  async function carryOut(tenantId: number, messageId: number): Promise<DeliveryStep> {
    // An earlier call that is found not to have gone through is followed by a claim of its own, and then one call: two rounds, never more.
    for (let round = 0; round < 2; round++) {
      const claim = await claimDelivery(services, tenantId, messageId)
      if (claim.kind === 'done') return { kind: 'done' }
      if (claim.kind === 'held') return { kind: 'held', forMs: Math.max(1_000, claim.forMs) }
      if (claim.kind === 'lookUp' && claim.ageMs < settleMs) throw tryAgain('settling', settleMs - claim.ageMs + 50)
      const carrier = carrierOf(claim.order.via.provider)
      const outcome = await (claim.kind === 'send' ? carrier.send(parts, claim.order) : carrier.lookUp(parts, claim.order, claim.rivals))
      await recordOutcome(services, claim.order, outcome)
      if (outcome.kind === 'unknown') throw tryAgain('outcomeUnknown', untilLookUpMs())
      if (outcome.kind === 'notSent' && claim.kind === 'send') throw tryAgain('vendorAway', outcome.afterMs)
      if (outcome.kind !== 'notSent') return { kind: 'done' }
    }
    throw tryAgain('vendorAway')
  }

  /** Harmless twice: a file that lies where it was to go is not put there again, and one that is brought is not listed. */
  async function bringFiles({ tenantId, conversationId }: { readonly tenantId: number; readonly conversationId: number }): Promise<void> {
    let isLeft = false
    for (const file of await listFilesToBring(services, tenantId, conversationId)) {
      const { via } = file
      try {
        const isBrought = via && (await carrierOf(via.provider).bring?.(parts, file, via, () => noteUploaded(services, file)))
        if (!isBrought) services.log.warn({ messageId: file.messageId }, 'a file that somebody agreed to take cannot be brought')
      } catch (error) {
        // The others do not wait for it, and the conversation not for long.
        const isGivenUp = Context.current().info.attempt >= triesOfFile
        const what = isGivenUp ? 'a file that somebody agreed to take is given up' : 'a file that somebody agreed to take is brought later'
        services.log.warn({ err: error, messageId: file.messageId }, what)
        if (!isGivenUp) {
          isLeft = true
          continue
        }
      }
      await endFile(services, file)
    }
    if (isLeft) throw tryAgain('media')
  }

  return {
    /**
     * Harmless twice: the call to the vendor is claimed in a committed row first. A second run finds the message sent and does nothing, or finds
     * a claim without an outcome and asks the vendor before it sends; where the vendor cannot tell, the message says `unknown`.
     */
    deliverMessage: ({ tenantId, messageId }) => beating(() => carryOut(tenantId, messageId)),

    /** Harmless twice: only a message that is still queued is given up. */
    async giveUpOnMessage({ tenantId, messageId }) {
      await giveUpOn(services, tenantId, messageId)
    },

    /** Harmless twice: a file that was added is not asked for again, and of two runs at once the second's copy is added to nothing. */
    fetchMedia: ({ tenantId, conversationId }) =>
      beating(async (signal) => {
        const { media, isOpen } = await listMediaToFetch(services, tenantId, conversationId)
        for (const one of media) {
          try {
            const assetKey = await fetchFile(services, dispatcher, tenantId, one, signal)
            await addMedia(services, tenantId, conversationId, one, assetKey)
          } catch (error) {
            if (!(error instanceof MediaGone)) {
              services.log.warn({ err: error, messageId: one.messageId }, 'a file of a message is fetched again later')
              throw tryAgain('media')
            }
            services.log.warn({ err: error, messageId: one.messageId }, 'a file of a message cannot be had')
            await giveUpMedia(services, tenantId, conversationId, one)
          }
        }
        await bringFiles({ tenantId, conversationId })
        return { isOpen }
      }),

    /** Harmless twice: only files that are not there are given up. */
    async giveUpOnMedia({ tenantId, conversationId }) {
      const { media } = await listMediaToFetch(services, tenantId, conversationId)
      for (const one of media) await giveUpMedia(services, tenantId, conversationId, one)
      for (const one of await listFilesToBring(services, tenantId, conversationId)) await endFile(services, one)
    },

    /** Harmless twice: an ended conversation stays as it ended. */
    async endIdleConversation({ tenantId, conversationId, idleSeconds }) {
      return { isEnded: await endIdleConversation(services, tenantId, conversationId, idleSeconds) }
    },

    close: () => dispatcher.close(),
  }
}
