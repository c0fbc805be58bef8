/**
 * Room for what calls hold in memory: bodies that are read, answers that are not taken yet. A call waits for room before it reads or asks the database, so
 * that callers who never take their answers cost their own tenant its share and the process no more than its limit.
 */
import type { Actor } from './operation.ts'
import { createShares, type Share, type Shares } from './shares.ts'

const MiB = 1024 * 1024
// While it is worked on a body stands in memory as bytes, as text and as values.
const copiesOfBody = 4
/** What an answer may come to be, until it is there. */
const answerBytes = { rest: 4 * MiB, mcp: MiB, internal: 0 } as const
/** Of a file on its way through. */
export const uploadBytes = MiB
/** Bodies and answers up to here are not worth a place in the line. */
export const smallBytes = 64 * 1024

/** Whose share a call counts to: its tenant's, or a stranger's own. */
export function sharerOf(actor: Pick<Actor, 'kind' | 'tenantId'>, ip: string | undefined): string {
  return actor.kind === 'public' ? `address ${ip ?? ''}` : String(actor.tenantId)
}

/** The room of one call, from its body to the last byte of its answer. */
export interface Passage {
  /** Waits for room for a body of this size. Throws AppError `unavailable` or `rate_limited`. */
  enterWithBody(sharer: string, bytes: number): Promise<void>
  /** Waits for room for an answer of unknown size, where the call has none yet. Throws likewise. */
  enterForAnswer(sharer: string): Promise<void>
  /** The answer is there and has this size. Never waits: what is there is there. */
  holdAnswer(bytes: number): void
  /** The answer is taken, or nobody is left to take it. */
  leave(): void
}

export interface Room {
  /** `signal` is aborted when the caller goes away. */
  open(transport: keyof typeof answerBytes, signal: AbortSignal): Passage
  readonly stats: Shares['stats']
}

export function createRoom(options: { readonly bytes: number }): Room {
  const { bytes: capacity } = options
  const shares = createShares({
    capacity,
    reserve: capacity / 4,
    waitMs: 10_000,
    waitingOfCaller: 1_000,
    waitingInAll: 10_000,
    what: 'place in memory',
  })

  return {
    open(transport, signal) {
      let share: Share | undefined
      let sharer = ''
      let hasLeft = false
      const keep = (taken: Share) => {
        if (hasLeft) taken.release()
        else share = taken
      }
      const enter = async (as: string, bytes: number) => {
        sharer = as
        if (!share && bytes > 0) keep(await shares.take(sharer, bytes, signal))
      }
      return {
        enterWithBody: (as, bytes) => enter(as, Math.max(bytes * copiesOfBody, answerBytes[transport])),
        enterForAnswer: (as) => enter(as, answerBytes[transport]),
        holdAnswer(bytes) {
          if (share) share.resize(bytes)
          else if (bytes > smallBytes) keep(shares.claim(sharer, bytes))
        },
        leave() {
          hasLeft = true
          share?.release()
        },
      }
    },
    stats: shares.stats,
  }
}
