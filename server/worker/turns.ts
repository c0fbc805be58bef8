/** Whose turn it is in one lane: the tenants of whom this process knows that errands wait, in the order in which they go. */
import type { WaitingTurn } from './outbox.store.ts'

export interface Turns {
  /** Says that errands of a tenant may wait from an id on; who is not in line stands at its end. */
  note(tenantId: number, fromId: number): void
  /** Takes the first in line, at most so many; whoever takes them notes those again that are not done. */
  take(atMost: number): { tenantId: number; fromId: number }[]
  /** Resolves once somebody is in line, or when the signal aborts. */
  some(signal: AbortSignal): Promise<void>
}

export function createTurns(): Turns {
  const line = new Map<number, number>()
  let wake: (() => void) | undefined
  return {
    note(tenantId, fromId) {
      line.set(tenantId, Math.min(line.get(tenantId) ?? fromId, fromId))
      wake?.()
    },
    take(atMost) {
      const taken = [...line.entries().take(atMost)].map(([tenantId, fromId]) => ({ tenantId, fromId }))
      for (const { tenantId } of taken) line.delete(tenantId)
      return taken
    },
    some(signal) {
      if (line.size > 0 || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const done = () => {
          wake = undefined
          signal.removeEventListener('abort', done)
          resolve()
        }
        wake = done
        signal.addEventListener('abort', done)
      })
    },
  }
}

/** How far a claim has come: notes those again who had more than their share, behind whom it took. */
export function keepOn(
  turns: Turns,
  taken: readonly Omit<WaitingTurn, 'lane'>[],
  picked: readonly { tenantId: number; outboxId: number }[],
  share: number,
): void {
  const last = new Map<number, { count: number; outboxId: number }>()
  for (const { tenantId, outboxId } of picked) {
    const before = last.get(tenantId) ?? { count: 0, outboxId: 0 }
    last.set(tenantId, { count: before.count + 1, outboxId: Math.max(before.outboxId, outboxId) })
  }
  for (const { tenantId } of taken) {
    const of = last.get(tenantId)
    if (of && of.count >= share) turns.note(tenantId, of.outboxId + 1)
  }
}
