/** Asks a server for one thing without a pause and keeps how long the answers take: what everybody waits for while others are at work. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
// Started by watched-server.ts alone, which gives it this.
const { url, method, headers } = workerData as ProbeRequest

/** What is asked for; without a body. */
export interface ProbeRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
}

export interface Probed {
  readonly worstMs: number
  readonly medianMs: number
  readonly answers: number
  /** Those that were not 200, and connections that broke. */
  readonly refusals: number
}

let times: number[] = []
let refusals = 0
let askedAt = performance.now()

function ask(): void {
  askedAt = performance.now()
  const next = (status?: number) => {
    times.push(performance.now() - askedAt)
    if (status !== 200) refusals++
    setTimeout(ask, 2)
  }
  request(url, { agent, method, headers }, (response) => response.resume().once('end', () => next(response.statusCode)))
    .once('error', () => next())
    .end()
}

parentPort?.on('message', () => {
  const sorted = times.toSorted((a, b) => a - b)
  // An answer that is still awaited counts too: it may be the one that matters.
  const waited = performance.now() - askedAt
  const probed: Probed = {
    worstMs: sorted.at(-1) ?? waited,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? waited,
    answers: sorted.length,
    refusals,
  }
  times = []
  refusals = 0
  parentPort?.postMessage(probed)
})

ask()
