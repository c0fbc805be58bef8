/** Paints pictures of strangers anew, each in a process of its own that ends with it: what a picture does to its reader goes with the reader. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { childEnvironment } from '#platform/child-process.ts'
import { AppError } from '#platform/errors.ts'
import { createShares } from '#platform/shares.ts'

import type { ImageAnswer, ImageTask } from './image.types.ts'

const wholeMs = 30_000
const heapMiB = 128

const turns = createShares({ capacity: 1, reserve: 0, waitMs: 20_000, waitingOfCaller: 5, waitingInAll: 100, what: 'picture process' })

const refusals = {
  type: () =>
    new AppError('unsupported_type', 'The picture is no PNG, JPEG, WebP, GIF or AVIF. Send it as one of those; SVG is not taken.'),
  pixels: () => new AppError('too_large', 'The picture has more than 64 million pixels. Send a smaller one.'),
  broken: () => new AppError('invalid_input', 'The picture cannot be read to its end. Save it anew and send it again.'),
} as const

/** The picture as a new PNG. Throws AppError `unsupported_type`, `too_large`, `invalid_input` (broken), `timeout`, `unavailable`. */
export async function remakeImage(
  task: ImageTask,
  { caller, signal }: { readonly caller: string; readonly signal?: AbortSignal },
): Promise<Buffer> {
  const turn = await turns.take(caller, 1, signal)
  try {
    const answer = await inChild(task)
    if ('refusal' in answer) throw refusals[answer.refusal]()
    return Buffer.from(answer.bytes)
  } finally {
    turn.release()
  }
}

function inChild(task: ImageTask): Promise<ImageAnswer> {
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [], {
    execArgv: [`--max-old-space-size=${heapMiB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    env: { ...childEnvironment(), MALLOC_ARENA_MAX: '2' },
  })
  return new Promise<ImageAnswer>((resolve, reject) => {
    const late = () =>
      reject(new AppError('timeout', 'Reading the picture took longer than 30 seconds. Send a smaller one.', { retryAfterSeconds: 60 }))
    const limit = setTimeout(late, wholeMs)
    const died = () =>
      reject(new AppError('unavailable', 'Pictures cannot be read at the moment. Try again shortly.', { retryAfterSeconds: 10 }))
    // Without a listener a failed send to a child that is going would end this process.
    child.once('error', died).once('exit', died)
    child.on('message', (message: unknown) => {
      // The child writes nothing else.
      if (message === 'ready') child.send(task)
      else resolve(message as ImageAnswer)
    })
    child.once('exit', () => clearTimeout(limit))
  }).finally(() => child.kill('SIGKILL'))
}
