/** The thread that computes embeddings: a text of 200 words takes it some 30 ms without a pause, which the thread that answers calls cannot spare. */
import { parentPort, workerData } from 'node:worker_threads'

import { Tokenizer } from '@huggingface/tokenizers'
import { InferenceSession, Tensor } from '../onnx.ts'

import { dimensions, ensureModel } from './model.ts'

/** What the thread is asked and what it answers; `vectors` holds `texts.length` × 384 numbers, each vector of length 1. */
export interface EmbedRequest {
  readonly id: number
  readonly texts: readonly string[]
}
export type EmbedAnswer = { readonly id: number; readonly vectors: Float32Array } | { readonly id: number; readonly reason: string }

// What the model was trained to read.
const mostTokens = 256

type Embed = (text: string) => Promise<Float32Array>

async function loadModel(): Promise<Embed> {
  const { model, tokenizer, tokenizerConfig } = await ensureModel(String(workerData))
  const words = new Tokenizer(JSON.parse(tokenizer), JSON.parse(tokenizerConfig))
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 })
  return async (text) => {
    const { ids } = words.encode(text)
    const cut = ids.length > mostTokens ? [...ids.slice(0, mostTokens - 1), ids.at(-1) ?? 0] : ids
    const shape = [1, cut.length]
    const filled = (value: bigint) => new Tensor('int64', new BigInt64Array(cut.length).fill(value), shape)
    const { last_hidden_state: states } = await session.run({
      input_ids: new Tensor('int64', BigInt64Array.from(cut, BigInt), shape),
      attention_mask: filled(1n),
      token_type_ids: filled(0n),
    })
    if (!(states?.data instanceof Float32Array)) throw new TypeError('The sentence model answered no vectors.')
    return meanOf(states.data)
  }
}

/** The mean over the tokens, scaled to length 1. */
function meanOf(states: Float32Array): Float32Array {
  const mean = new Float32Array(dimensions)
  for (const [index, value] of states.entries()) mean[index % dimensions] = (mean[index % dimensions] ?? 0) + value
  const length = Math.hypot(...mean) || 1
  return mean.map((value) => value / length)
}

let embed: Promise<Embed> | undefined

async function answer({ id, texts }: EmbedRequest): Promise<EmbedAnswer> {
  try {
    embed ??= loadModel()
    const run = await embed
    const vectors = new Float32Array(texts.length * dimensions)
    for (const [index, text] of texts.entries()) vectors.set(await run(text), index * dimensions)
    return { id, vectors }
  } catch (error) {
    embed = undefined
    return { id, reason: error instanceof Error ? error.message : String(error) }
  }
}

let queue: Promise<void> = Promise.resolve()

parentPort?.on('message', (request: EmbedRequest) => {
  // One after the other: the model is busy with one text at a time anyway, and a short one must not wait for several long ones at once.
  queue = queue.then(async () => parentPort?.postMessage(await answer(request)))
})
