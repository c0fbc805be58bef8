/** The Temporal workers of one process: one for each queue, over one connection, ended together and started again when they end of themselves. */
import { setTimeout as delay } from 'node:timers/promises'

import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'

import type { Activities } from '#activities/index.ts'
import type { Logger } from '#platform/log.ts'
import { taskQueues, type TemporalGate } from '#platform/temporal.ts'

import { workflowBundle } from './bundle.ts'

export interface WorkersOptions {
  readonly address: string
  readonly namespace: string
  readonly cacheDir: string
  readonly log: Logger
  readonly temporal: TemporalGate
  readonly activities: Activities
  /** Recognitions that this process runs at once. */
  readonly recognitions: number
  /** Whether nobody takes jobs and recognitions, so that they wait. */
  readonly holdsJobs: boolean
  readonly shutdownSeconds: number
}

export interface Workers {
  /** Rejects when the workers cannot be started at all: their code cannot be bundled. */
  readonly running: Promise<void>
  stop(): Promise<void>
}

/** The pause before workers are started again; doubled up to the longest while they do not last. */
const firstPauseMs = 500
const longestPauseMs = 10_000
const lastingMs = 60_000

/**
 * How much of a process workflows take at once. A task of a workflow carries quick steps with it, and what is begun shares the processor with all that is:
 * few at once, so that the next one, which is another tenant's where one waits, begins soon and is not slow.
 */
export const workflowShares = {
  enableNonLocalActivities: false,
  maxConcurrentWorkflowTaskExecutions: 16,
  // A poll holds a place while it waits. Where few places are left (of 12, tried with 2 to 10 polls), no start brings its first task with it.
  maxConcurrentWorkflowTaskPolls: 6,
  maxConcurrentLocalActivityExecutions: 12,
} as const

let isRuntimeInstalled = false

/** The SDK's own messages go to our log; its signal handlers stay off, since the process stops its parts in its own order. */
function installRuntime(log: Logger): void {
  if (isRuntimeInstalled) return
  isRuntimeInstalled = true
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // A queue of ours carries either workflows or activities, which the SDK finds worth a warning for each.
      if (!/^No (workflows|activities) registered/.test(message)) log[level === 'ERROR' ? 'error' : 'warn']({ temporal: meta }, message)
    }),
    shutdownSignals: [],
  })
}

/**
 * Starts the workers, and again whenever they cannot connect or end of themselves: the server may go away between its first answer and our connection,
 * and a process that also serves the API must not end for that.
 */
export function startWorkers(options: WorkersOptions): Workers {
  const { log } = options
  const stopping = new AbortController()
  let team: Team | undefined

  async function run(): Promise<void> {
    installRuntime(log)
    const codePath = await workflowBundle(options.cacheDir, log)
    for (let pauseMs = firstPauseMs; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const began = performance.now()
      try {
        team = await gather(options, codePath)
        if (stopping.signal.aborted) team.shutdown()
        else log.info('workflows are up')
        await team.ended
      } catch (error) {
        log.error({ err: error, againInMs: pauseMs }, 'the workers ended and will be started again')
      }
      if (performance.now() - began > lastingMs) pauseMs = firstPauseMs
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    running,
    async stop() {
      stopping.abort()
      team?.shutdown()
      await running.catch(() => {})
    },
  }
}

/** The workers of one connection. */
interface Team {
  /** Settles when all have ended and the connection is closed; rejects when one died of itself, which ends the others. */
  readonly ended: Promise<void>
  shutdown(): void
}

async function gather(options: WorkersOptions, codePath: string): Promise<Team> {
  const { namespace, activities } = options
  const connection = await NativeConnection.connect({ address: options.address })
  const close = () => connection.close().catch(() => {})
  const common = { connection, namespace, shutdownGraceTime: options.shutdownSeconds * 1000 }
  const heavyWorkers = () => [
    Worker.create({
      ...common,
      taskQueue: taskQueues.recognition,
      activities: activities.recognition,
      maxConcurrentActivityTaskExecutions: options.recognitions,
    }),
    Worker.create({ ...common, taskQueue: taskQueues.jobs, activities: activities.jobs, maxConcurrentActivityTaskExecutions: 4 }),
  ]
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: taskQueues.workflows,
      workflowBundle: { codePath },
      maxCachedWorkflows: 500,
      activities: activities.local,
      ...workflowShares,
    }),
    Worker.create({ ...common, taskQueue: taskQueues.activities, activities: activities.general, maxConcurrentActivityTaskExecutions: 20 }),
    Worker.create({ ...common, taskQueue: taskQueues.messages, activities: activities.messages, maxConcurrentActivityTaskExecutions: 20 }),
    ...(options.holdsJobs ? [] : heavyWorkers()),
  ]).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const shutdown = () => {
    options.temporal.lend(undefined)
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
  }
  const runs = workers.map((worker) => worker.run())
  for (const run of runs) run.catch(shutdown)
  options.temporal.lend(connection)
  const ended = Promise.allSettled(runs).then(async (results) => {
    await close()
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  })
  return { ended, shutdown }
}
