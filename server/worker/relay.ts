/**
 * The relay: carries committed errands to Temporal, each lane by itself, so that a flood in one keeps none of the others waiting, and within a lane by
 * turns between the tenants. Of each subject only the oldest goes, under a lease, so that two relays never carry out the second before the first; no
 * transaction is open while Temporal is called. Carrying out twice is harmless, because ids derive from the errand.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import { outboxTopic, readTurn } from '#platform/outbox.ts'
import type { Services } from '#platform/services.ts'
import { type Lane, lanes } from '#platform/shapes/errands.ts'
import { inSpan } from '#platform/trace.ts'

import { leaseErrands, markFailed, markSent, pickErrands, type WaitingErrand, type WaitingTurn } from './outbox.store.ts'
import { createOutlook } from './outlook.ts'
import { createTurns, keepOn } from './turns.ts'

export type { WaitingErrand } from './outbox.store.ts'

/** Carries one errand out. Throws when it must be tried again. */
export type CarryOut = (errand: WaitingErrand) => Promise<void>

export interface Relay {
  stop(): Promise<void>
}

/** Errands of a lane that are on their way at once: few, since what comes next, of whatever lane, stands behind them in Temporal. */
export const batches = { people: 16, triggers: 4, bulk: 4 } as const satisfies Record<Lane, number>

const pollMs = 1_000
const longestRestMs = 500
const caller = (lane: string) => `relay ${lane}`
const nameOf = ({ errand }: WaitingErrand) => ('signal' in errand ? errand.signal : errand.workflow)

function isUnavailable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'unavailable'
}

/** Starts relaying. It hears on the outbox's topic whose errands wait, and looks by itself once a second. */
export function startRelay(services: Services, carryOut: CarryOut): Relay {
  const { databases, wake, log } = services
  const owner = randomUUID()
  const stopping = new AbortController()
  const { signal } = stopping
  const turnsOf = { people: createTurns(), triggers: createTurns(), bulk: createTurns() } as const satisfies Record<Lane, unknown>
  const noteAll = (turns: readonly WaitingTurn[]) => {
    for (const { lane, tenantId, fromId } of turns) turnsOf[lane].note(tenantId, fromId)
  }
  const outlook = createOutlook(databases, noteAll)
  const unsubscribe = wake.subscribe(outboxTopic, (detail) => {
    const turn = detail === undefined ? undefined : readTurn(detail)
    if (turn) turnsOf[turn.lane].note(turn.tenantId, outlook.floor())
    else outlook.hurry()
  })

  async function claim(lane: Lane): Promise<WaitingErrand[]> {
    const turns = turnsOf[lane]
    const taken = turns.take(batches[lane]).map((turn) => ({ ...turn, lane }))
    if (taken.length === 0) return []
    const share = Math.floor(batches[lane] / taken.length)
    try {
      return await databases.lookUp(async (tx) => {
        const picked = await pickErrands(tx, lane, taken, share)
        keepOn(turns, taken, picked, share)
        return picked.length === 0
          ? []
          : leaseErrands(
              tx,
              owner,
              picked.map(({ outboxId }) => outboxId),
            )
      }, caller(lane))
    } catch (error) {
      noteAll(taken)
      throw error
    }
  }

  /** Carries one out and answers whether it is done, or why it is not. */
  async function attempt(one: WaitingErrand): Promise<'sent' | 'refused' | 'unavailable'> {
    try {
      await inSpan(`relay ${nameOf(one)}`, { outboxId: one.outboxId }, () => carryOut(one), one.traceparent)
      return 'sent'
    } catch (error) {
      const isAway = isUnavailable(error)
      if (!isAway) log.error({ err: error, outboxId: one.outboxId, errand: nameOf(one) }, 'an errand could not be carried out')
      const reason = isAway ? 'Workflows are not available' : 'Refused'
      noteAll(await databases.lookUp((tx) => markFailed(tx, owner, one, reason, isAway), caller(one.lane)))
      return isAway ? 'unavailable' : 'refused'
    }
  }

  async function carryBatch(lane: Lane): Promise<void> {
    const errands = await claim(lane)
    if (errands.length === 0) return
    const from = performance.now()
    const outcomes = await Promise.all(errands.map(attempt))
    const tookMs = performance.now() - from
    const sent = errands.filter((_, index) => outcomes[index] === 'sent').map(({ outboxId }) => outboxId)
    if (sent.length > 0) noteAll(await databases.lookUp((tx) => markSent(tx, owner, sent), caller(lane)))
    // What waits behind these would only fail as they did.
    if (outcomes.every((outcome) => outcome === 'unavailable')) await pause(pollMs, undefined, { signal })
    // Temporal has as long for what was started as the start took: else a flood fills it faster than its workers empty it.
    else if (lane !== 'people') await pause(Math.min(tookMs, longestRestMs), undefined, { signal })
  }

  /** Goes on until it is stopped, whatever fails. */
  async function forEver(work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      try {
        await work()
      } catch (error) {
        if (signal.aborted) return
        log.warn({ err: error }, 'the relay could not read the outbox')
        await pause(pollMs, undefined, { signal }).catch(() => {})
      }
    }
  }

  const running = Promise.all([
    ...lanes.map((lane) =>
      forEver(async () => {
        await turnsOf[lane].some(signal)
        if (!signal.aborted) await carryBatch(lane)
      }),
    ),
    forEver(async () => {
      await outlook.look()
      await outlook.wait(pollMs, signal)
    }),
  ])
  return {
    async stop() {
      stopping.abort()
      unsubscribe()
      await running
    },
  }
}
