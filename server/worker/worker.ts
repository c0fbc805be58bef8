/** The Temporal workers of one process: one for each queue, over one connection, ended together. */
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'

import type { Activities } from '#activities/index.ts'
import type { Logger } from '#platform/log.ts'
import { taskQueues } from '#platform/temporal.ts'

import { workflowBundle } from './bundle.ts'

export interface WorkersOptions {
  readonly address: string
  readonly namespace: string
  readonly cacheDir: string
  readonly log: Logger
  readonly activities: Activities
  /** Recognitions that this process runs at once. */
  readonly recognitions: number
  readonly shutdownSeconds: number
}

export interface Workers {
  /** Rejects when a worker dies of itself. */
  readonly running: Promise<void>
  stop(): Promise<void>
}

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

/** Connects and starts polling. Rejects when the server cannot be reached. */
export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const { log, namespace, activities } = options
  installRuntime(log)
  const codePath = await workflowBundle(options.cacheDir, log)
  const connection = await NativeConnection.connect({ address: options.address })
  const common = { connection, namespace, shutdownGraceTime: options.shutdownSeconds * 1000 }
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: taskQueues.workflows, workflowBundle: { codePath }, maxCachedWorkflows: 500 }),
    Worker.create({ ...common, taskQueue: taskQueues.activities, activities: activities.general, maxConcurrentActivityTaskExecutions: 20 }),
    Worker.create({ ...common, taskQueue: taskQueues.messages, activities: activities.messages, maxConcurrentActivityTaskExecutions: 20 }),
    Worker.create({
      ...common,
      taskQueue: taskQueues.recognition,
      activities: activities.recognition,
      maxConcurrentActivityTaskExecutions: options.recognitions,
    }),
    Worker.create({ ...common, taskQueue: taskQueues.jobs, activities: activities.jobs, maxConcurrentActivityTaskExecutions: 4 }),
  ])
  const running = Promise.all(workers.map((worker) => worker.run())).then(() => {})
  running.catch((error: unknown) => log.error({ err: error }, 'a worker ended'))
  return {
    running,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await running.catch(() => {})
      await connection.close().catch(() => {})
    },
  }
}
