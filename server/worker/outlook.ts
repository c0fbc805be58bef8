/**
 * What no wake-up tells a relay: errands whose time has come, those that another process has left, and those whose wake-up was lost. A look goes on where
 * an earlier one ended, and now and then over everything.
 */
import type { Databases } from '#platform/db/databases.ts'
import { lanes } from '#platform/shapes/errands.ts'

import { deleteOldErrands, deleteOldKeys, type Horizon, listTurns, readHorizon, reviveErrands, type WaitingTurn } from './outbox.store.ts'

export interface Outlook {
  /** The id below which no errand becomes ready that this relay is not told of. */
  floor(): number
  look(): Promise<void>
  /** Has the wait end at once. */
  hurry(): void
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>
}

const everythingMs = 10_000
const sweepMs = 3_600_000

export function createOutlook({ lookUp }: Pick<Databases, 'lookUp'>, note: (turns: readonly WaitingTurn[]) => void): Outlook {
  const caller = 'relay outlook'
  let floor = 0
  let revivedTo: string | undefined
  /** The next floor, once every transaction has ended that may still add an errand below it. */
  let ahead: Horizon | undefined
  let lookedAt: number | undefined
  let sweptAt: number | undefined
  let isHurried = false
  let wake: (() => void) | undefined

  async function reviveAll(since: string | undefined): Promise<void> {
    for (;;) {
      const { turns, isMore } = await lookUp((tx) => reviveErrands(tx, since), caller)
      note(turns)
      if (!isMore) return
    }
  }

  async function listAll(fromId: number): Promise<void> {
    for (const lane of lanes) {
      for (let afterTenantId = 0; ;) {
        const { turns, isMore } = await lookUp((tx) => listTurns(tx, lane, { fromId, afterTenantId }), caller)
        note(turns)
        if (!isMore) break
        afterTenantId = turns.at(-1)?.tenantId ?? 0
      }
    }
  }

  async function sweep(): Promise<void> {
    if (sweptAt !== undefined && performance.now() - sweptAt < sweepMs) return
    const began = performance.now()
    // One portion a look: what has to be carried out does not wait for what is thrown away.
    const isMore = await lookUp((tx) => deleteOldErrands(tx), caller).catch((error: unknown) => {
      sweptAt = began
      throw error
    })
    if (isMore) return
    sweptAt = began
    await lookUp((tx) => deleteOldKeys(tx), caller)
  }

  return {
    floor: () => floor,
    async look() {
      const isOverEverything = lookedAt === undefined || performance.now() - lookedAt > everythingMs
      const horizon = await lookUp(readHorizon, caller)
      await reviveAll(isOverEverything ? undefined : revivedTo)
      await listAll(isOverEverything ? 0 : floor)
      revivedTo = horizon.time
      if (isOverEverything) lookedAt = performance.now()
      // All below it was committed before this look, which has seen it.
      if (ahead && horizon.firstRunning >= ahead.nextTransaction) floor = ahead.lastId + 1
      if (!ahead || floor > ahead.lastId) ahead = horizon
      await sweep()
    },
    hurry() {
      isHurried = true
      wake?.()
    },
    wait(timeoutMs, signal) {
      return new Promise((resolve) => {
        const done = () => {
          clearTimeout(limit)
          signal.removeEventListener('abort', done)
          wake = undefined
          isHurried = false
          resolve()
        }
        const limit = setTimeout(done, timeoutMs)
        signal.addEventListener('abort', done)
        wake = done
        if (isHurried || signal.aborted) done()
      })
    },
  }
}
