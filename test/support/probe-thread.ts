/** Asks a server for `/healthz` without a pause and keeps the worst answer: what everybody waits for while the event loop is held. */
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
// Started by watched-server.ts alone, which gives it this.
const { url } = workerData as { url: string }

export interface Probed {
  readonly worstMs: number
  readonly answers: number
}

let worstMs = 0
let answers = 0
let askedAt = performance.now()

function ask(): void {
  askedAt = performance.now()
  const next = () => {
    worstMs = Math.max(worstMs, performance.now() - askedAt)
    answers++
    setTimeout(ask, 2)
  }
  get(url, { agent }, (response) => response.resume().once('end', next)).once('error', next)
}

parentPort?.on('message', () => {
  // An answer that is still awaited counts too: it may be the one that matters.
  const probed: Probed = { worstMs: Math.max(worstMs, answers === 0 ? performance.now() - askedAt : 0), answers }
  worstMs = 0
  answers = 0
  parentPort?.postMessage(probed)
})

ask()
