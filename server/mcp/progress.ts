/** Progress of a tool call, for a caller that sent a progress token: notifications on the stream that the result ends. */
import type { ServerResponse } from 'node:http'

import type { Progress } from '#platform/operation.ts'

interface ProgressParams {
  readonly progressToken: string | number
  readonly progress: number
  readonly total?: number
  readonly message?: string
  readonly [key: string]: unknown
}

const everyMs = 200

function tokenOf(meta: unknown): string | number | undefined {
  if (typeof meta !== 'object' || meta === null || !('progressToken' in meta)) return undefined
  const { progressToken: token } = meta
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}

export interface ProgressTeller {
  /** Undefined where the caller sent no token. */
  readonly onProgress: ((progress: Progress) => void) | undefined
  /** From now on nothing is told. */
  end(): void
}

/**
 * Tells a caller of progress. Each notification tells more than the one before, as the protocol wants it, and at most five are sent a second: of what comes
 * faster, the last.
 */
export function progressTeller(meta: unknown, notify: (params: ProgressParams) => void): ProgressTeller {
  const progressToken = tokenOf(meta)
  if (progressToken === undefined) return { onProgress: undefined, end: () => {} }
  let known = -1
  let latest: ProgressParams | undefined
  let timer: NodeJS.Timeout | undefined
  const tell = () => {
    timer = undefined
    if (!latest) return
    notify(latest)
    latest = undefined
    timer = setTimeout(tell, everyMs)
  }
  return {
    onProgress({ done, total, note }) {
      if (done <= known) return
      known = done
      latest = {
        progressToken,
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(note === undefined ? {} : { message: note }),
      }
      if (!timer) tell()
    },
    end() {
      clearTimeout(timer)
      latest = undefined
    },
  }
}

const eventOf = (message: string) => `event: message\ndata: ${message.replaceAll('\n', '')}\n\n`

/** An answer that becomes a stream of events as soon as there is something to tell before its result. */
export function createProgressStream(response: ServerResponse, meta: unknown) {
  let isStream = false
  const teller = progressTeller(meta, (params) => {
    if (!isStream) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' })
      isStream = true
    }
    response.write(eventOf(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })))
  })
  return {
    onProgress: teller.onProgress,
    /** Nothing is told after it: the result is made. */
    stop: teller.end,
    /** Ends the stream with the result; false where nothing was told, and the answer is still to be begun. */
    end(result: string): boolean {
      if (isStream) response.end(eventOf(result))
      return isStream
    },
  }
}
