/** One child process as its parent sees it: started, given a job at a time, measured, killed. */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { childEnvironment, residentBytes } from '#platform/child-process.ts'
import { AppError } from '#platform/errors.ts'

import type { Job, Listener } from './job.ts'
import type { RecognitionResult } from './types.ts'
import type { ChildMessage, JobMessage } from './wire.ts'

/** `died`: the process ended in the middle of the job, killed or by itself. */
export type ChildOutcome =
  | { readonly kind: 'result'; readonly result: RecognitionResult }
  | { readonly kind: 'gone' | 'broken'; readonly said: string }
  | { readonly kind: 'died'; readonly said: string }

export interface ReadingChild {
  readonly pid: number
  /** Jobs begun so far. */
  readonly jobs: number
  /** Resident memory when it was last measured. */
  readonly rssBytes: number
  /** Settles when the process has ended. */
  readonly ended: Promise<void>
  /** One at a time. Never rejects. */
  read(job: Job, listener: Listener): Promise<ChildOutcome>
  /** Measures the resident memory where the system tells it (Linux); elsewhere the child's word after each job stands. */
  measure(): Promise<number>
  kill(): void
}

const startWithinMs = 30_000
const heapMiB = 512
const saidCharacters = 2_000
/** Resolves when the child is ready for its first job. Throws AppError `unavailable` where it does not start. */
export async function startReadingChild(cacheDir: string): Promise<ReadingChild> {
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [cacheDir], {
    // `gc` gives the pixels of each page back.
    execArgv: [`--max-old-space-size=${heapMiB}`, '--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      ...childEnvironment(),
      // glibc otherwise keeps an arena for each thread, which the decoders' large buffers fragment.
      MALLOC_ARENA_MAX: '2',
    },
  })
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-saidCharacters)))
  // Without a listener an error event (a failed send to a child that is going) would end this process.
  child.on('error', (error) => (said = `${said}\n${error.message}`.slice(-saidCharacters)))
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    if (child.pid === undefined) child.once('error', () => resolve())
  })
  const how = () => `ended with ${child.signalCode ?? child.exitCode ?? 'no code'}. ${said}`.trim()

  const isReady = await nextMessage(child, ended, startWithinMs)
  if (isReady?.kind !== 'ready' || child.pid === undefined) {
    child.kill('SIGKILL')
    throw new AppError('unavailable', 'Recognition cannot work at the moment: its reading process did not start.', {
      retryAfterSeconds: 30,
      cause: new Error(how()),
    })
  }
  const { pid } = child
  let jobs = 0
  let rssBytes = 0
  return {
    pid,
    ended,
    get jobs() {
      return jobs
    },
    get rssBytes() {
      return rssBytes
    },
    read(job, { onProgress, onPage }) {
      jobs += 1
      return new Promise<ChildOutcome>((resolve) => {
        const listen = (message: ChildMessage) => {
          if (message.kind === 'ready') return
          if (message.kind === 'progress') return onProgress(message.progress)
          if (message.kind === 'page') return onPage(message.page)
          child.off('message', listen)
          rssBytes = message.rssBytes
          resolve(message)
        }
        child.on('message', listen)
        void ended.then(() => resolve({ kind: 'died', said: how() }))
        child.send({ kind: 'job', job } satisfies JobMessage)
      })
    },
    async measure() {
      rssBytes = (await residentBytes(pid)) ?? rssBytes
      return rssBytes
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/** The next message; undefined where the process ends, or the time does, before it comes. */
function nextMessage(child: ChildProcess, ended: Promise<void>, withinMs: number): Promise<ChildMessage | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), withinMs)
    child.once('message', (message: ChildMessage) => {
      clearTimeout(timer)
      resolve(message)
    })
    void ended.then(() => {
      clearTimeout(timer)
      resolve(undefined)
    })
  })
}
