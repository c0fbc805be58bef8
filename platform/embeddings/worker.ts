/** The thread that computes embeddings: a text of 200 words takes it some 30 ms without a pause, which the thread that answers calls cannot spare. */
import { parentPort, workerData } from 'node:worker_threads'

import { loadEnglishModel } from './english-model.ts'
import { loadMultilingualModel } from './multilingual-model.ts'
import { dimensions, type SentenceModel } from './sentence-model.ts'

/** What the thread is asked and what it answers; `vectors` holds `texts.length` × 384 numbers, each vector of length 1. */
export interface EmbedRequest {
  readonly id: number
  readonly texts: readonly string[]
}
export type EmbedAnswer =
  | { readonly id: number; readonly model: string; readonly vectors: Float32Array }
  | { readonly id: number; readonly reason: string }

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The model of many languages where it can be had, else the English one. */
async function loadModel(): Promise<SentenceModel> {
  const cacheDir = String(workerData)
  const reasons: string[] = []
  for (const load of [loadMultilingualModel, loadEnglishModel]) {
    try {
      return await load(cacheDir)
    } catch (error) {
      reasons.push(reasonOf(error))
    }
  }
  throw new Error(reasons.join(' '))
}

let loading: Promise<SentenceModel> | undefined

async function answer({ id, texts }: EmbedRequest): Promise<EmbedAnswer> {
  try {
    loading ??= loadModel()
    const model = await loading
    const vectors = new Float32Array(texts.length * dimensions)
    for (const [index, text] of texts.entries()) vectors.set(await model.embed(text), index * dimensions)
    return { id, model: model.id, vectors }
  } catch (error) {
    loading = undefined
    return { id, reason: reasonOf(error) }
  }
}

let queue: Promise<void> = Promise.resolve()

parentPort?.on('message', (request: EmbedRequest) => {
  // One after the other: the model is busy with one text at a time anyway, and a short one must not wait for several long ones at once.
  queue = queue.then(async () => parentPort?.postMessage(await answer(request)))
})
