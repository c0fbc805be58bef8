/**
 * Reads a file in a process of its own. What a stranger uploads decides how long that takes and how much memory, up to a death that no thread survives; the
 * process that answers callers only takes chunks of rows from it, as fast as it saves them.
 */
import { type ChildProcess, fork } from 'node:child_process'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

import { childEnvironment, residentBytes } from '#platform/child-process.ts'
import { AppError, type ErrorCode } from '#platform/errors.ts'
import type { Finding } from '#platform/findings.ts'

import type { ReadingWish } from './file.ts'
import type { PlannedChunk, PlanWish } from './planning.ts'
import { receivedRows, type SentRows, type SheetRows } from './sent-rows.rules.ts'
import type { SheetsWish } from './sheets.ts'

export type ReadingRequest = ReadingWish & PlanWish
/** What the child is asked. */
export type ChildRequest = ReadingRequest | SheetsWish

/** The last line of the child; those before it are chunks. */
export type ReadingEnd =
  | { readonly end: 'done' }
  | { readonly end: 'memory' }
  | { readonly end: 'refused'; readonly code: ErrorCode; readonly message: string; readonly issues?: readonly Finding[] }
  | { readonly end: 'broken'; readonly said: string }

export interface ReadingLimits {
  readonly heapMiB: number
  /** Resident, kept where the system tells it (Linux): buffers stand outside of the heap. */
  readonly residentMiB: number
  /** Of waiting for the child; the time that the rows take to be saved does not count. */
  readonly seconds: number
}

/** A workbook of 64 MiB with its texts fits; a CSV or JSON of any length takes a few of these. */
const ordinary: ReadingLimits = { heapMiB: 768, residentMiB: 1_536, seconds: 120 }

/** The process ended in the middle of the file, killed or by itself. The next one may come to the end. */
export class ReadingDied extends Error {
  override readonly name = 'ReadingDied'
}

const measureEveryMs = 100
const saidCharacters = 10_000

const tooMuch = (what: string) =>
  new AppError('unprocessable', `Reading the file takes more ${what} than one file may. Split it, or save it as CSV with fewer columns.`)

/** What says more than records is read at once, while somebody waits. */
const brief: ReadingLimits = { heapMiB: 384, residentMiB: 1_024, seconds: 30 }

/** The rows of the file in chunks, in their order. Throws as `readApart`. */
export function readPlanned(
  file: Readable,
  request: ReadingRequest,
  signal: AbortSignal,
  limits: ReadingLimits = ordinary,
): AsyncGenerator<PlannedChunk> {
  return readApart<PlannedChunk>(file, request, signal, limits)
}

/** Rows of sheets of a workbook, as its cells hold them. Throws as `readApart`. */
export async function* readSheets(file: Readable, request: SheetsWish, signal: AbortSignal): AsyncGenerator<SheetRows> {
  for await (const sent of readApart<SentRows>(file, request, signal, brief)) yield receivedRows(sent)
}

/**
 * What the child says of a file, a line at a time. Throws AppError where the file is not what it should be or takes too much, ReadingDied, and the
 * signal's reason as soon as it is given; the process ends with the generator.
 */
async function* readApart<T extends object>(
  file: Readable,
  request: ChildRequest,
  signal: AbortSignal,
  limits: ReadingLimits,
): AsyncGenerator<T> {
  signal.throwIfAborted()
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [], {
    execArgv: [`--max-old-space-size=${limits.heapMiB}`],
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: { ...childEnvironment(), MALLOC_ARENA_MAX: '2' },
  })
  let killedFor: Error | undefined
  const kill = (why: Error) => {
    killedFor ??= why
    child.kill('SIGKILL')
  }
  const said = listen(child)
  const onAbort = () => kill(signal.reason instanceof Error ? signal.reason : new Error('Reading was stopped'))
  signal.addEventListener('abort', onAbort, { once: true })
  const meter = setInterval(() => {
    void residentBytes(child.pid ?? 0).then((bytes = 0) => (bytes > limits.residentMiB * 1024 * 1024 ? kill(tooMuch('memory')) : undefined))
  }, measureEveryMs)
  let left = limits.seconds * 1000
  let lost: unknown
  try {
    child.send(request)
    // A file that could not be read on must not look like one that has ended.
    if (child.stdin) pipeline(file, child.stdin).catch((error: unknown) => void (lost = error))
    const lines = linesOf(child)
    for (;;) {
      const began = performance.now()
      const timer = setTimeout(() => kill(tooMuch('time')), left)
      const { value: line, done } = await lines.next().finally(() => clearTimeout(timer))
      left -= performance.now() - began
      if (killedFor) throw killedFor
      if (done) throw /out of memory/i.test(said()) ? tooMuch('memory') : new ReadingDied(`The reading process ended. ${said()}`)
      // The child wrote it: a chunk, or its end.
      const answer = JSON.parse(line) as T | ReadingEnd
      // A child that refuses the file closes its end of it, which is no loss.
      if ('end' in answer && answer.end !== 'done') throw errorOf(answer)
      if (lost !== undefined) throw lost
      if ('end' in answer) return
      yield answer
    }
  } finally {
    clearInterval(meter)
    signal.removeEventListener('abort', onAbort)
    child.kill('SIGKILL')
    file.destroy()
  }
}

function errorOf(end: Exclude<ReadingEnd, { end: 'done' }>): Error {
  switch (end.end) {
    case 'refused':
      return new AppError(end.code, end.message, end.issues ? { issues: end.issues } : {})
    case 'broken':
      return new Error(`The reading process failed: ${end.said}`)
    case 'memory':
      return tooMuch('memory')
  }
}

/** Keeps what the child says of itself, for the log. */
function listen(child: ChildProcess): () => string {
  let said = ''
  const keep = (text: string) => void (said = (said + text).slice(-saidCharacters))
  child.stderr?.on('data', (chunk: Buffer) => keep(chunk.toString()))
  // Without a listener an error event (a failed send to a child that is going, a pipe that it has closed) would end this process.
  child.on('error', (error) => keep(`${error.message}\n`))
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {})
  return () => `${child.signalCode ?? child.exitCode ?? ''} ${said}`.trim()
}

async function* linesOf({ stdout }: ChildProcess): AsyncGenerator<string, undefined> {
  if (!stdout) return undefined
  let parts: Buffer[] = []
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString()
      parts = []
      from = end + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  return undefined
}
