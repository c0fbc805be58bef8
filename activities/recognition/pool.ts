/** Hands jobs to child processes, one at a time each, and ends those that take too long, grow too large or have served enough. */
import { AppError } from '#platform/errors.ts'
import type { Logger } from '#platform/log.ts'

import type { Job } from './job.ts'
import { startReadingChild, type ChildOutcome, type ReadingChild } from './reading-child.ts'
import { concludePdf, mostWastedMs, noText, type PdfEnd, type PdfPage, wastedOf } from './pages.ts'
import type { PoolStats, RecognitionOptions, RecognitionProgress, RecognitionResult } from './types.ts'
import { Unreadable } from './unreadable.ts'

export interface PoolOptions {
  /** Parent of the models and language data. */
  readonly cacheDir: string
  /** How many files are read at once. */
  readonly workers: number
  /** Hard limit of one file, from when a child takes it up. */
  readonly timeoutSeconds: number
  /** Hard limit of opening a page of a PDF, and half of that of opening a file; 10 when absent. */
  readonly pageSeconds?: number
  /** How many pages of a PDF are read; 50 when absent. */
  readonly pdfPages?: number
  /** After so long without a job a child is ended, and its memory given back; 60 when absent. */
  readonly idleSeconds?: number
  /** Resident memory at which a child is ended in the middle of a file; 2,000 when absent. Kept where the system tells a process's memory (Linux). */
  readonly memoryMiB?: number
  readonly log: Logger
}

export interface Pool {
  /** Throws AppError `unavailable`, or the signal's reason. A job that ends its child, or is ended, is a failed result. */
  run(job: Request, options: RecognitionOptions): Promise<RecognitionResult>
  stats(): PoolStats
  close(): Promise<void>
}

const MiB = 1024 * 1024
/** With every engine loaded a child settles at 850 MiB; beyond this it has kept too much of what it read. */
const recycleAboveBytes = 1_100 * MiB
const recycleAfterJobs = 200
const measureEveryMs = 250
/** A page that ends its process at once still costs another one. */
const leastLossMs = 2_000
/** The child leaves off in time to hand over what it has read so far. */
const plannedShare = 0.85

type Request = Omit<Job, 'withinMs' | 'pdfPages' | 'pageSeconds' | 'passed' | 'wastedMs'>

interface Task {
  readonly job: Request
  readonly options: RecognitionOptions
  readonly resolve: (result: RecognitionResult) => void
  readonly reject: (reason: unknown) => void
  isSecondTry: boolean
  /** When a child first took it up: its time goes on from child to child. */
  startedAt: number | undefined
  /** Pages of the PDF that were passed, which outlive the child that read them. */
  readonly passed: PdfPage[]
  /** How many pages the PDF has, once a child has told. */
  all: number | undefined
  /** What dead processes took without passing a page. */
  lostMs: number
}

interface Slot {
  child: ReadingChild | undefined
  task: Task | undefined
  idleTimer: NodeJS.Timeout | undefined
  /** Settles when the task at hand is done with. */
  serving: Promise<void>
}

const wastedBy = ({ passed, lostMs }: Task) => wastedOf(passed) + lostMs

function conclude(end: PdfEnd): Omit<RecognitionResult, 'durationMs'> {
  try {
    return concludePdf(end)
  } catch (error) {
    if (error instanceof Unreadable) return { state: error.state, reason: error.message }
    throw error
  }
}

/** Starts no child before the first job. */
export function createPool(settings: PoolOptions): Pool {
  const { cacheDir, workers, timeoutSeconds, pageSeconds = 10, pdfPages = 50, idleSeconds = 60, memoryMiB = 2_000, log } = settings
  const slots: Slot[] = Array.from({ length: workers }, () => ({
    child: undefined,
    task: undefined,
    idleTimer: undefined,
    serving: Promise.resolve(),
  }))
  const queue: Task[] = []
  let isClosed = false
  const closing = () => new AppError('unavailable', 'Recognition is shutting down. Try again shortly.', { retryAfterSeconds: 10 })

  const end = async (slot: Slot) => {
    clearTimeout(slot.idleTimer)
    const { child } = slot
    slot.child = undefined
    child?.kill()
    await child?.ended
  }

  /** Warm children first, so that fewer are started. */
  const pump = () => {
    for (const slot of [...slots].sort((a, b) => Number(b.child !== undefined) - Number(a.child !== undefined))) {
      if (slot.task) continue
      const task = queue.shift()
      if (!task) return
      slot.task = task
      slot.serving = serve(slot, task)
    }
  }

  const serve = async (slot: Slot, task: Task) => {
    clearTimeout(slot.idleTimer)
    try {
      await readWith(slot, task)
    } catch (error) {
      task.reject(error)
    }
    slot.task = undefined
    const { child } = slot
    if (child && (isClosed || child.jobs >= recycleAfterJobs || child.rssBytes > recycleAboveBytes)) await end(slot)
    if (slot.child) slot.idleTimer = setTimeout(() => void end(slot), idleSeconds * 1000).unref()
    pump()
  }

  const readWith = async (slot: Slot, task: Task) => {
    const { signal, onProgress } = task.options
    signal?.throwIfAborted()
    slot.child ??= await startReadingChild(cacheDir)
    const { child } = slot
    const begunAt = performance.now()
    const startedAt = (task.startedAt ??= begunAt)
    // Whatever ended a first process is not given as long again; of a PDF the pages account for it.
    const mostMs = task.isSecondTry && task.lostMs === 0 ? mostWastedMs(pageSeconds) : Infinity
    const leftMs = Math.max(0, Math.min(startedAt + timeoutSeconds * 1000 - begunAt, mostMs))
    let killedFor: 'time' | 'opening' | 'memory' | 'abort' | undefined
    const kill = (why: 'time' | 'opening' | 'memory' | 'abort') => {
      killedFor ??= why
      child.kill()
    }
    const onAbort = () => kill('abort')
    const timer = setTimeout(() => kill('time'), leftMs)
    let isAtPages = false
    let passedAt = begunAt
    let openingTimer: NodeJS.Timeout | undefined
    const listener = {
      onProgress(progress: RecognitionProgress) {
        clearTimeout(openingTimer)
        if (progress.stage === 'opening') openingTimer = setTimeout(() => kill('opening'), openingMs(progress, task))
        task.all = progress.all ?? task.all
        isAtPages ||= progress.all !== undefined
        onProgress?.(progress)
      },
      onPage(page: PdfPage) {
        passedAt = performance.now()
        task.passed.push(page)
      },
    }
    const meter = setInterval(
      () => void child.measure().then((bytes) => (bytes > memoryMiB * MiB ? kill('memory') : undefined)),
      measureEveryMs,
    )
    signal?.addEventListener('abort', onAbort, { once: true })
    if (isClosed || signal?.aborted) kill('abort')
    const job: Job = {
      ...task.job,
      pdfPages,
      pageSeconds,
      passed: [...task.passed],
      wastedMs: wastedBy(task),
      withinMs: leftMs * plannedShare,
    }
    const outcome: ChildOutcome = await child.read(job, listener).finally(() => {
      clearTimeout(timer)
      clearTimeout(openingTimer)
      clearInterval(meter)
      signal?.removeEventListener('abort', onAbort)
    })
    const answer = (result: Omit<RecognitionResult, 'durationMs'>) =>
      task.resolve({ ...result, durationMs: Math.round(performance.now() - startedAt) })
    if (outcome.kind === 'result' && killedFor === undefined) return answer(outcome.result)
    const said = outcome.kind === 'result' ? undefined : new Error(outcome.said)
    if (outcome.kind === 'gone' && killedFor === undefined)
      throw new AppError('unavailable', 'The file could not be opened for recognition.', { retryAfterSeconds: 10, cause: said })
    // A child that was told to die may still have answered; either way this one serves no more.
    await end(slot)
    if (isClosed) throw closing()
    signal?.throwIfAborted()
    if (outcome.kind === 'result') return answer(outcome.result)
    if (outcome.kind === 'broken' && killedFor === undefined)
      throw new AppError('unavailable', 'Recognition cannot work at the moment: its engine failed.', { retryAfterSeconds: 60, cause: said })
    if (killedFor === undefined)
      log.warn({ err: said, pid: child.pid, jobs: child.jobs }, 'A reading process ended in the middle of a file')
    // An operator, a system short of memory or what earlier files left behind may have ended it; only a second process, a fresh one, proves that this file does.
    const mayTryAgain = killedFor === undefined && !task.isSecondTry
    if (mayTryAgain) task.isSecondTry = true
    const { all } = task
    if (all === undefined) {
      if (mayTryAgain) return void queue.unshift(task)
    } else {
      const lostMs = Math.max(leastLossMs, performance.now() - passedAt)
      // One that ended before it came to a page says nothing of the page.
      if (mayTryAgain || !isAtPages) task.lostMs += lostMs
      // The other pages may well be readable.
      else if (killedFor !== 'time') task.passed.push({ ...noText, outcome: 'leftOut', wastedMs: lostMs })
      const planned = Math.min(all, pdfPages)
      const isOver = killedFor === 'time' || wastedBy(task) >= mostWastedMs(pageSeconds) || task.passed.length === planned
      if (!isOver) return void queue.unshift(task)
      const { languages } = task.job
      const { passed: pages } = task
      if (pages.length > 0) return answer(conclude({ pages, all, planned, languages, pageSeconds, isLate: killedFor === 'time' }))
    }
    const reasons = {
      time: `Reading took longer than ${Math.round(leftMs / 100) / 10} s and was stopped.`,
      opening: `Opening the file took longer than ${2 * pageSeconds} s and was stopped.`,
      memory: `Reading needed more than ${memoryMiB} MiB of memory and was stopped.`,
      abort: 'Reading was stopped.',
      died: 'The reading process stopped unexpectedly on this file.',
    }
    answer({ state: 'failed', reason: reasons[killedFor ?? 'died'] })
  }

  /** For opening a page what the file may still waste, in reason. */
  const openingMs = ({ page }: RecognitionProgress, task: Task) =>
    page === undefined
      ? mostWastedMs(pageSeconds)
      : Math.min(1, Math.max(0.2, 2 - wastedBy(task) / (pageSeconds * 1_000))) * pageSeconds * 1_000

  return {
    async run(job, options) {
      if (isClosed) throw closing()
      const { promise, resolve, reject } = Promise.withResolvers<RecognitionResult>()
      const task: Task = { job, options, resolve, reject, isSecondTry: false, startedAt: undefined, passed: [], all: undefined, lostMs: 0 }
      const onAbort = () => leaveQueue(task)
      options.signal?.addEventListener('abort', onAbort, { once: true })
      options.onProgress?.({ stage: 'waiting' })
      queue.push(task)
      pump()
      return promise.finally(() => options.signal?.removeEventListener('abort', onAbort))
    },
    stats: () => ({
      waiting: queue.length,
      children: slots.flatMap(({ child, task }) =>
        child ? [{ pid: child.pid, isBusy: task !== undefined, jobs: child.jobs, rssBytes: child.rssBytes }] : [],
      ),
    }),
    async close() {
      isClosed = true
      for (const task of queue.splice(0)) task.reject(closing())
      await Promise.all(slots.map(end))
      await Promise.all(slots.map(({ serving }) => serving))
    },
  }

  function leaveQueue(task: Task): void {
    const index = queue.indexOf(task)
    if (index === -1) return
    queue.splice(index, 1)
    task.reject(task.options.signal?.reason)
  }
}
