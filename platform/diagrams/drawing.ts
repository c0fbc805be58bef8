/** Draws Mermaid as SVG in a thread of its own: laying out two hundred steps takes tenths of a second, which would hold up every other caller. */
import { Worker } from 'node:worker_threads'

import { AppError } from '#platform/errors.ts'
import { createShares } from '#platform/shares.ts'

const drawMs = 15_000
const heapMiB = 192

const turns = createShares({ capacity: 1, reserve: 0, waitMs: 20_000, waitingOfCaller: 10, waitingInAll: 100, what: 'drawing thread' })

function draw(mermaid: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('child.ts', import.meta.url), {
      workerData: mermaid,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
      env: {},
    })
    const late = setTimeout(() => {
      void worker.terminate()
      reject(
        new AppError('timeout', `Drawing the diagram took longer than ${drawMs / 1000} seconds. Its Mermaid text can be drawn elsewhere.`, {
          retryAfterSeconds: 60,
        }),
      )
    }, drawMs)
    worker.once('message', (svg: string) => {
      clearTimeout(late)
      resolve(svg)
      void worker.terminate()
    })
    worker.once('error', (cause) => {
      clearTimeout(late)
      reject(
        new AppError('unavailable', 'The diagram cannot be drawn. Its Mermaid text can be drawn elsewhere.', {
          cause,
          retryAfterSeconds: 10,
        }),
      )
    })
  })
}

/** The SVG of a diagram. Takes the turn of `caller`, the tenant. Throws AppError `unavailable`, `rate_limited`, `timeout`. */
export async function drawDiagram(mermaid: string, caller: string, signal?: AbortSignal): Promise<string> {
  const turn = await turns.take(caller, 1, signal)
  try {
    return await draw(mermaid)
  } finally {
    turn.release()
  }
}
