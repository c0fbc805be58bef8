/** Sentence embeddings, computed in a thread of their own that is started when needed and ended when idle. */
import { Worker } from 'node:worker_threads'

import type { Logger } from '../log.ts'
// For the thread below, which cannot set it itself.
import '../onnx-environment.ts'
import type { EmbedAnswer, EmbedRequest } from './worker.ts'

export { dimensions } from './sentence-model.ts'

export interface Embeddings {
  /** Whose they are; vectors of two models cannot be compared. */
  readonly model: string
  /** One after the other in one array of `texts.length` × `dimensions`, each of length 1: the dot product of two is their likeness. */
  readonly vectors: Float32Array
}

export interface Embedder {
  /** The first call on a machine fetches the model. Rejects where none can be had, and while too many texts wait. */
  embed(texts: readonly string[]): Promise<Embeddings>
  end(): Promise<void>
}

// The thread holds some 250 MB; starting it again takes a second.
const idleMs = 30 * 60_000
// Behind so many the answer would come too late to be of use.
const mostWaiting = 64

/** Starts nothing yet. `cacheDir` is the per-user cache. The thread never keeps the process alive. */
export function createEmbedder(options: { cacheDir: string; log: Logger }): Embedder {
  const waiting = new Map<number, { resolve: (embeddings: Embeddings) => void; reject: (error: Error) => void }>()
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0

  function failAll(error: Error): void {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const ending = thread
    thread = undefined
    failAll(new Error('The embedding thread was ended.'))
    await ending?.terminate()
  }

  function start(): Worker {
    const started = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options.cacheDir, execArgv: [] })
    started.unref()
    started.on('message', (answer: EmbedAnswer) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('vectors' in answer) asked?.resolve({ model: answer.model, vectors: answer.vectors })
      else asked?.reject(new Error(answer.reason))
      if (waiting.size > 0) return
      started.unref()
      clearTimeout(idle)
      idle = setTimeout(() => void end(), idleMs).unref()
    })
    const gone = (reason: string) => {
      if (thread !== started) return
      thread = undefined
      options.log.warn({ reason }, 'the embedding thread ended')
      failAll(new Error(reason))
    }
    started.on('error', (error) => gone(error.message))
    started.on('exit', (code) => gone(`exit code ${code}`))
    return started
  }

  return {
    embed(texts) {
      if (waiting.size >= mostWaiting) return Promise.reject(new Error('Too many texts wait for their embedding.'))
      clearTimeout(idle)
      thread ??= start()
      lastId += 1
      const request: EmbedRequest = { id: lastId, texts }
      return new Promise((resolve, reject) => {
        waiting.set(request.id, { resolve, reject })
        thread?.postMessage(request)
      })
    },
    end,
  }
}

const embedders = new Map<string, Embedder>()

/** The one of this process for this cache: its thread and its model are worth sharing. */
export function embedderOf(options: { cacheDir: string; log: Logger }): Embedder {
  const known = embedders.get(options.cacheDir) ?? createEmbedder(options)
  embedders.set(options.cacheDir, known)
  return known
}
