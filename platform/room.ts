/**
 * Room for what calls hold in memory: bodies that are read, rows that are worked on, answers that are not taken yet. A call waits for room before it reads
 * or asks the database, so that callers who never take their answers cost their own tenant its share and the process no more than its limit.
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
// Its draft, its parameters, its result and what is thrown away on the way, of short rows and of wide ones.
const bytesOfRow = 8 * 1024
/** Fewer are not worth a place in the line. */
const fewRows = 128
/** Bodies and answers up to here are not worth a place in the line. */
export const smallBytes = 64 * 1024

/** Whose share a call counts to: its tenant's, or a stranger's own. */
export function sharerOf(actor: Pick<Actor, 'kind' | 'tenantId'>, ip: string | undefined): string {
  return actor.kind === 'public' ? `address ${ip ?? ''}` : String(actor.tenantId)
}

/** Of whatever an input has a list of: records to save or delete, entities of a catalog. It is not held against its schema yet: a list may be too long. */
export function rowsOf(input: unknown, most: number): number {
  if (typeof input !== 'object' || input === null) return 0
  const rows = Object.values(input).reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 0), 0)
  return Math.min(rows, most)
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
  /**
   * Waits until so many rows may be worked on; the share is to be released once they are. They are counted beside bodies and answers, as many bytes
   * again, since whoever waits here holds its body. Not to be waited for by a call inside of one that holds rows. Throws AppError `unavailable` or `rate_limited`.
   */
  takeForRows(sharer: string, rows: number, signal: AbortSignal): Promise<Pick<Share, 'release'>>
  readonly stats: Shares['stats']
}

const nothing = { release: () => {} }

export function createRoom(options: { readonly bytes: number }): Room {
  const { bytes: capacity } = options
  const lineOf = (waitMs: number) =>
    createShares({ capacity, reserve: capacity / 4, waitMs, waitingOfCaller: 1_000, waitingInAll: 10_000, what: 'place in memory' })
  const shares = lineOf(10_000)
  // Bulks take seconds, and a few in turn are done no later than all at once.
  const rowShares = lineOf(30_000)

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
    takeForRows: async (sharer, rows, signal) => (rows > fewRows ? rowShares.take(sharer, rows * bytesOfRow, signal) : nothing),
    stats() {
      const [held, worked] = [shares.stats(), rowShares.stats()]
      return { taken: held.taken + worked.taken, waiting: held.waiting + worked.waiting }
    },
  }
}
