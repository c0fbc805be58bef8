/** Temporal: the external server that the configuration names, or an embedded one that is found, fetched or built while we serve. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import type { Config } from '#platform/config.ts'
import type { Logger } from '#platform/log.ts'

import { makeDataDir } from './data-dir.ts'
import { messageOf } from './failures.ts'
import { rememberedPort } from './ports.ts'
import { findProcesses, stopProcess, type StopSteps } from './processes.ts'
import { spawnLogged, supervise, type Supervised } from './supervise.ts'
import { findTemporal } from './temporal-binary.ts'
import { askTemporal } from './temporal-health.ts'

const stopSteps: StopSteps = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 5_000],
]
const startLimitMs = 60_000
const healthEveryMs = 5_000
const healthLimitMs = 2_000

export interface TemporalState {
  readonly state: 'up' | 'starting' | 'down' | 'absent'
  /** What is going on, in a few words. */
  readonly detail?: string
  /** What an operator can do about it. */
  readonly remedy?: string
}

export interface TemporalHandle {
  state(): TemporalState
  /** host:port. Undefined until it is known; it stays the same from the first readiness on. */
  address(): string | undefined
  /** Resolves with the address when the server answers for the first time, with undefined when it cannot be had or was stopped before. */
  readonly ready: Promise<string | undefined>
  /** Of the embedded server that runs now. */
  readonly pid: number | undefined
  /** Ends what was started, a build included; at most 15 s. */
  stop(): Promise<void>
}

interface TemporalOptions {
  readonly config: Pick<Config, 'dataDir' | 'cacheDir' | 'temporal'>
  readonly log: Logger
  readonly onState?: (state: TemporalState) => void
  /** Where releases are asked for; another one in tests. */
  readonly downloadFrom?: string
}

/** Starts Temporal and returns at once; all that takes time goes on behind the handle, and failures are states, not errors. */
export function startTemporal(o: TemporalOptions): TemporalHandle {
  const { config, log } = o
  const halt = new AbortController()
  const ready = Promise.withResolvers<string | undefined>()
  let current: TemporalState = { state: 'starting' }
  let address = config.temporal.address
  let child: Supervised | undefined

  function change(next: TemporalState): void {
    if (halt.signal.aborted || (next.state === current.state && next.detail === current.detail)) return
    current = next
    o.onState?.(next)
  }

  /** Asks the server now and then, since a process that lives may still not answer. Two misses in a row are an outage. */
  async function watch(target: string, accepts: (health: string) => boolean): Promise<void> {
    let misses = 0
    while (!halt.signal.aborted) {
      misses = accepts(await askTemporal(target, healthLimitMs)) ? 0 : misses + 1
      if (misses === 0) {
        change({ state: 'up' })
        ready.resolve(target)
      } else if (misses > 1 && (current.state === 'up' || config.temporal.address !== undefined)) {
        change({ state: 'down', detail: `${target} does not answer`, ...(config.temporal.address ? { remedy: addressRemedy } : {}) })
      }
      await delay(misses === 1 ? 500 : healthEveryMs, undefined, { signal: halt.signal, ref: false }).catch(() => undefined)
    }
  }

  async function embed(): Promise<void> {
    const progress = throttled((detail) => log.info(`Temporal: ${detail}`))
    const onProgress = (detail: string) => {
      change({ state: 'starting', detail })
      progress(detail)
    }
    const { downloadFrom } = o
    const found = await findTemporal({ config, log, onProgress, signal: halt.signal, ...(downloadFrom ? { downloadFrom } : {}) })
    if (found.path === undefined) {
      log.warn(
        { detail: found.detail, remedy: found.remedy },
        'Temporal cannot be had; everything else serves, and what waits for it is kept',
      )
      change({ state: 'absent', detail: found.detail, remedy: found.remedy })
      return ready.resolve(undefined)
    }
    child = superviseServer(o, found.path, halt.signal, change, (known) => (address = known))
    await child.ready
    log.info({ address, pid: child.pid, program: found.path }, 'Temporal is up')
    if (address !== undefined) await watch(address, (health) => health === 'serving')
  }

  const external = config.temporal.address
  // Another's server may refuse the health check and still serve, so any answer of gRPC counts.
  const running = (external === undefined ? embed() : watch(external, (health) => health !== 'silent')).catch((error: unknown) => {
    if (!halt.signal.aborted) {
      log.error({ err: error }, 'Temporal could not be started')
      change({ state: 'absent', detail: messageOf(error), remedy: 'Read the log, mend what it names and start again.' })
    }
    ready.resolve(undefined)
  })

  return {
    state: () => current,
    address: () => address,
    ready: ready.promise,
    get pid() {
      return child?.pid
    },
    async stop() {
      halt.abort()
      await child?.stop()
      await running
      ready.resolve(undefined)
      current = { state: 'down', detail: 'stopped' }
    },
  }
}

const addressRemedy = 'Check TEMPORAL_ADDRESS, and that the server there runs and can be reached.'

function superviseServer(
  { config, log }: TemporalOptions,
  program: string,
  halted: AbortSignal,
  change: (state: TemporalState) => void,
  onAddress: (address: string) => void,
): Supervised {
  makeDataDir(config.dataDir)
  const database = join(config.dataDir, 'temporal.db')
  const pidFile = join(config.dataDir, 'temporal.pid')
  const logPath = join(config.dataDir, 'temporal.log')
  let port = 0
  let hasServed = false
  return supervise({
    name: 'Temporal',
    log,
    logPath,
    stopSteps,
    // Whatever is wrong may pass, such as a full disk, and nothing else depends on giving up.
    firstAttempts: Number.POSITIVE_INFINITY,
    async launch() {
      for (const pid of findProcesses((command) => command.includes(`--db-filename=${database} `))) {
        log.info({ pid }, 'stopping the Temporal that an earlier start left behind')
        await stopProcess(pid, stopSteps)
      }
      // Clients know the address once it has served, so a restart keeps it.
      if (!hasServed) port = await rememberedPort(join(config.dataDir, 'temporal.port'))
      onAddress(`127.0.0.1:${port}`)
      const started = spawnLogged({
        // The server has no setting for the mode of its files, which hold what workflows were given.
        command: '/bin/sh',
        args: ['-c', 'umask 077; exec "$0" "$@"', program, ...serverArguments(database, port, config.temporal.namespace)],
        cwd: config.dataDir,
        // Nothing of our own environment, which holds secrets.
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TZ: 'UTC' },
        logPath,
        stopSignal: 'SIGTERM',
      })
      if (started.pid !== undefined) writeFileSync(pidFile, `${started.pid}\n`, { mode: 0o600 })
      started.once('exit', () => rmSync(pidFile, { force: true }))
      return started
    },
    async serves(signal) {
      const deadline = performance.now() + startLimitMs
      while (!signal.aborted) {
        if ((await askTemporal(`127.0.0.1:${port}`, healthLimitMs)) === 'serving') break
        if (performance.now() > deadline) throw new Error(`did not serve within ${startLimitMs / 1000} s`)
        await delay(50)
      }
      hasServed ||= !signal.aborted
    },
    onPhase(phase, detail) {
      if (halted.aborted) return
      if (phase === 'starting') change({ state: 'starting', detail: 'the server is starting' })
      else if (phase === 'up') change({ state: 'up' })
      else
        change({
          state: 'down',
          detail: detail?.split('\n')[0] ?? 'the server ended',
          remedy: `It is started again by itself; its log is ${logPath}.`,
        })
    },
  })
}

/**
 * The flags that were measured: a dispatch waits for no polling step of 50 ms, a small tenant is not queued behind a large one (turns are kept
 * within a partition of a queue, so one partition is written; all four are read, for what an earlier version left in them),
 * first tasks skip a round trip, and SQLite's log survives every death of the process (synchronous=1: a power cut may take the last
 * commits, which the outbox's sent mark does not know).
 */
function serverArguments(database: string, port: number, namespace: string): string[] {
  const dynamic = [
    'history.transferProcessorMaxPollRPS=2000',
    'history.timerProcessorMaxPollRPS=2000',
    'history.visibilityProcessorMaxPollRPS=2000',
    'matching.enableFairness=true',
    'matching.useNewMatcher=true',
    'matching.numTaskqueueWritePartitions=1',
    'system.enableActivityEagerExecution=true',
    'system.enableEagerWorkflowStart=true',
    'frontend.enableServerVersionCheck=false',
  ]
  return [
    'server',
    'start-dev',
    '--headless',
    `--db-filename=${database}`,
    '--ip=127.0.0.1',
    `--port=${port}`,
    `--namespace=${namespace}`,
    '--log-level=warn',
    '--log-format=json',
    ...['journal_mode=wal', 'synchronous=1'].map((pragma) => `--sqlite-pragma=${pragma}`),
    ...['TenantId', 'DefId', 'TriggerKind'].map((name) => `--search-attribute=${name}=Keyword`),
    ...dynamic.map((value) => `--dynamic-config-value=${value}`),
  ]
}

/** The first word at once, then one every fifteen seconds, and always a new kind of word. */
function throttled(tell: (detail: string) => void): (detail: string) => void {
  let toldAt = 0
  let kind = ''
  return (detail) => {
    const nextKind = detail.replace(/:.*/, '')
    if (nextKind === kind && performance.now() - toldAt < 15_000) return
    toldAt = performance.now()
    kind = nextKind
    tell(detail)
  }
}
