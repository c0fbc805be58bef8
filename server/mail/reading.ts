/**
 * Reads a mail in a thread of its own. What a stranger sends decides how long that takes and how much memory: a mail of a few megabytes was seen to take
 * gigabytes, and ten seconds without a pause, which the thread that answers calls cannot spare.
 */
import { Worker } from 'node:worker_threads'

import type { DNSResolver } from 'mailauth'

import { throttle } from '#platform/throttle.ts'

import type { Arrival, Authentication } from './authentication.ts'
import type { ParsedMail } from './parse.ts'

/** What the thread is given. */
export interface ReadingTask {
  readonly mail: Uint8Array
  readonly digest: string
  readonly arrival: Arrival
}

/** What it says: it asks for records of DNS, which are looked up where tests can answer, and answers once. */
export type ReadingWord =
  | { readonly kind: 'resolve'; readonly id: number; readonly domain: string; readonly type: string }
  | { readonly kind: 'read'; readonly mail: ReadMail }
  | { readonly kind: 'unreadable'; readonly reason: string }

export type ResolveAnswer = { readonly id: number; readonly records: unknown } | { readonly id: number; readonly code: string }

/** Authenticated unless a machine wrote it. */
export interface ReadMail extends ParsedMail {
  readonly authentication: Authentication
}

/** Thrown for what is no mail, or none that can be read within bounds. */
export class UnreadableMail extends Error {
  override readonly name = 'UnreadableMail'
}

const heapMb = 512
const readMs = 20_000
const atOnce = 4

const inTurn = throttle(atOnce)

/** Throws UnreadableMail. A few mails are read at once; the others wait. */
export function readMail(task: ReadingTask, resolver: DNSResolver): Promise<ReadMail> {
  return inTurn(() => readInThread(task, resolver))
}

async function readInThread(task: ReadingTask, resolver: DNSResolver): Promise<ReadMail> {
  const thread = new Worker(new URL('./reading-thread.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    execArgv: [],
  })
  let limit: NodeJS.Timeout | undefined
  try {
    return await new Promise<ReadMail>((resolve, reject) => {
      limit = setTimeout(() => reject(new UnreadableMail('It was not read in time')), readMs)
      thread.on('message', (word: ReadingWord) => {
        if (word.kind === 'read') resolve(word.mail)
        else if (word.kind === 'unreadable') reject(new UnreadableMail(word.reason))
        else void lookUp(word, resolver).then((answer) => thread.postMessage(answer))
      })
      // Out of memory among others.
      thread.once('error', (cause) => reject(new UnreadableMail('The thread that read it failed', { cause })))
      thread.once('exit', () => reject(new UnreadableMail('The thread that read it ended')))
    })
  } finally {
    clearTimeout(limit)
    await thread.terminate()
  }
}

async function lookUp({ id, domain, type }: ReadingWord & { kind: 'resolve' }, resolver: DNSResolver): Promise<ResolveAnswer> {
  try {
    return { id, records: await resolver(domain, type) }
  } catch (error) {
    return { id, code: typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'ESERVFAIL' }
  }
}
