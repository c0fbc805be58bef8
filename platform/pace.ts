/** Bodies must keep coming: a caller that lets one drip holds memory and a connection, and is told so with 408. */
import type { IncomingMessage } from 'node:http'

import { AppError } from './errors.ts'

export interface PaceLimits {
  /** A body that brings less than the rate for so long has stalled. */
  readonly stallMs: number
  readonly bytesPerSecond: number
}

export interface Watched {
  /** From now until the body is whole, whatever its pace. */
  readonly totalMs: number
  /** Of callers that nobody knows yet; else the limits'. */
  readonly stallMs?: number
  /** Asked once, where the body is not there after a while: it may end a body whose sender turns out to be nobody. */
  readonly ask?: { readonly afterMs: number; readonly check: () => Promise<unknown> }
}

export interface Pace {
  /** Calls `onLate` once, where the body stalls, takes too long, or the check refuses its sender. Answers what ends the watch. */
  watch(request: IncomingMessage, watched: Watched, onLate: (error: unknown) => void): () => void
}

const tooSlow = (sentence: string) => new AppError('timeout', sentence, { status: 408, retryAfterSeconds: 1 })

/** One clock for all bodies: most come whole with their headers, and a timer for each of those would cost more than reading it. */
export function createPace({ stallMs, bytesPerSecond }: PaceLimits): Pace {
  const looks = new Set<(now: number) => void>()
  let clock: NodeJS.Timeout | undefined

  function lookAtAll(): void {
    const now = performance.now()
    for (const look of looks) look(now)
    if (looks.size > 0) return
    clearInterval(clock)
    clock = undefined
  }

  return {
    watch(request, watched, onLate) {
      const { socket } = request
      const startedAt = performance.now()
      const stall = watched.stallMs ?? stallMs
      let since = startedAt
      let bytesSince = socket.bytesRead
      let toAsk = watched.ask
      const stop = () => void looks.delete(look)
      const end = (error: unknown) => {
        if (looks.delete(look)) onLate(error)
      }
      const look = (now: number) => {
        if (request.complete || request.destroyed) return stop()
        if (now - startedAt >= watched.totalMs)
          return end(tooSlow(`The body did not arrive within ${Math.ceil(watched.totalMs / 1000)} seconds.`))
        if (toAsk && now - startedAt >= toAsk.afterMs) {
          toAsk.check().catch(end)
          toAsk = undefined
        }
        // Bytes that lie here unread are no fault of their sender.
        const isOurs = request.readableLength > 0
        if (!isOurs && now - since < stall) return
        const came = socket.bytesRead - bytesSince
        if (!isOurs && came < (bytesPerSecond * stall) / 1000)
          return end(tooSlow(`The body stalled: ${came} bytes came in ${Math.ceil(stall / 1000)} seconds. Send it without pauses.`))
        since = now
        bytesSince = socket.bytesRead
      }
      looks.add(look)
      clock ??= setInterval(lookAtAll, Math.min(1_000, stallMs / 4)).unref()
      return stop
    },
  }
}
