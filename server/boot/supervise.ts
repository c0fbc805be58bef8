/** Long-running child processes: started with a log file, awaited until they serve, started again when they die. */
import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, copyFileSync, fstatSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from '#platform/log.ts'

import { messageOf } from './failures.ts'
import { sendSignal, stopProcess, type StopSteps } from './processes.ts'

const MiB = 1024 * 1024
const largestLog = 32 * MiB
/** Waiting times before a dead child is started again, in ms; the last one repeats. */
const backoff = [200, 500, 1000, 2000, 5000, 10_000, 30_000]
/** A child that served so long in ms has earned a quick restart. */
const longLife = 60_000

/** Children that a leaving process takes along by their first stop signal; only kill -9 leaves them to the next start. */
const alive = new Map<number, NodeJS.Signals>()
process.on('exit', () => {
  for (const [pid, signal] of alive) sendSignal(pid, signal)
})

interface ChildOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Another user to become, when root starts us. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /** Output is appended here; the file of a past start is set aside as `<logPath>.1` once it is large. */
  readonly logPath: string
  readonly stopSignal: NodeJS.Signals
}

/** Starts a child in a session of its own: a Ctrl-C in the terminal is for us, who then stop it in order. Throws when it cannot start. */
export function spawnLogged(o: ChildOptions): ChildProcess {
  if ((statSync(o.logPath, { throwIfNoEntry: false })?.size ?? 0) > largestLog) renameSync(o.logPath, `${o.logPath}.1`)
  const fd = openSync(o.logPath, 'a', 0o600)
  try {
    const child = spawn(o.command, o.args, { cwd: o.cwd, env: o.env, ...o.user, detached: true, stdio: ['ignore', fd, fd] })
    const { pid } = child
    // The event that tells why comes later, perhaps before anybody listens.
    child.on('error', () => undefined)
    if (pid === undefined) throw new Error(`${o.command} cannot be started: it is missing, or this user may not run it`)
    alive.set(pid, o.stopSignal)
    child.once('exit', () => alive.delete(pid))
    return child
  } finally {
    closeSync(fd)
  }
}

interface SuperviseOptions {
  readonly name: string
  readonly log: Logger
  readonly logPath: string
  /** Starts one child. Whatever an earlier life left behind is cleared here. */
  readonly launch: () => Promise<ChildProcess>
  /** Resolves once the child serves, rejects when it takes too long; ends early when the signal aborts. */
  readonly serves: (signal: AbortSignal) => Promise<void>
  readonly stopSteps: StopSteps
  /** How often a child that has never served is tried before `ready` rejects. */
  readonly firstAttempts: number
  readonly onPhase?: (phase: 'starting' | 'up' | 'down', detail?: string) => void
}

export interface Supervised {
  /** Of the child that runs now. */
  readonly pid: number | undefined
  /** Resolves when the child serves for the first time; rejects with a sentence and the end of its log. */
  readonly ready: Promise<void>
  /** Ends the child by the steps given. Calling it again waits for the same end. */
  stop(): Promise<void>
}

/** Keeps one child alive until stopped. A child that never served is given up after `firstAttempts`. */
export function supervise(o: SuperviseOptions): Supervised {
  const halt = new AbortController()
  const halted = new Promise<null>((resolve) => halt.signal.addEventListener('abort', () => resolve(null), { once: true }))
  const ready = Promise.withResolvers<void>()
  // A stop before the first readiness leaves nobody who asks for it.
  ready.promise.catch(() => undefined)
  let child: ChildProcess | undefined
  let hasServed = false
  const tidy = setInterval(() => trimLiveLog(o.logPath), 600_000).unref()

  /** One life of the child, from launch to its end. Answers why it ended, or null when we stopped it. */
  async function live(): Promise<{ reason: string | null; servedMs: number }> {
    const logStart = statSync(o.logPath, { throwIfNoEntry: false })?.size ?? 0
    child = await o.launch()
    const ended = endOf(child)
    const waiting = new AbortController()
    const served = o.serves(waiting.signal).then(
      () => undefined,
      (error: unknown) => messageOf(error),
    )
    let outcome = await Promise.race([ended, served, halted])
    waiting.abort()
    const since = performance.now()
    if (outcome === undefined) {
      hasServed = true
      ready.resolve()
      o.onPhase?.('up')
      outcome = await Promise.race([ended, halted])
    }
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await stopProcess(child.pid, o.stopSteps)
    await ended
    child = undefined
    if (outcome === null || outcome === undefined) return { reason: null, servedMs: 0 }
    const tail = logTail(o.logPath, logStart)
    return { reason: `${o.name} ${outcome}.${tail ? ` Its log ${o.logPath} ends:\n${tail}` : ''}`, servedMs: performance.now() - since }
  }

  async function keep(): Promise<void> {
    let failures = 0
    while (!halt.signal.aborted) {
      o.onPhase?.('starting')
      const { reason, servedMs } = await live().catch((error: unknown) => ({ reason: messageOf(error), servedMs: 0 }))
      if (reason === null) break
      failures = servedMs > longLife ? 1 : failures + 1
      o.onPhase?.('down', reason)
      if (!hasServed && failures >= o.firstAttempts) {
        ready.reject(new Error(reason))
        break
      }
      const waitMs = backoff[Math.min(failures, backoff.length) - 1]
      o.log.warn({ attempt: failures, waitMs, reason }, `${o.name} is down and will be started again`)
      await delay(waitMs, undefined, { signal: halt.signal }).catch(() => undefined)
    }
    clearInterval(tidy)
    ready.reject(new Error(`${o.name} was stopped.`))
  }

  const kept = keep()
  return {
    get pid() {
      return child?.pid
    },
    ready: ready.promise,
    async stop() {
      halt.abort()
      await kept
    },
  }
}

/** How the child ended, in words; never rejects. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `ended with code ${code}`))
  })
}

/** The last lines that were written to a log since it had the size `from`. */
function logTail(path: string, from: number): string {
  const fd = openSync(path, 'a+')
  try {
    const { size } = fstatSync(fd)
    const start = Math.max(from > size ? 0 : from, size - 4096)
    const text = Buffer.alloc(size - start)
    readSync(fd, text, 0, text.length, start)
    return text.toString('utf8').trim().split('\n').slice(-12).join('\n')
  } finally {
    closeSync(fd)
  }
}

/** The child holds its log open, so a large one is copied away and emptied in place. */
function trimLiveLog(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= largestLog) return
  copyFileSync(path, `${path}.1`)
  truncateSync(path)
}
