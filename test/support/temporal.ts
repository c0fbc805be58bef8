/** A Temporal server of its own for a spec file, and workers on it. TEMPORAL_ADDRESS names a running one instead. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client } from '@temporalio/client'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'

import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { taskQueues } from '#platform/shapes/queues.ts'
import { startTemporal } from '#server/boot/temporal.ts'
import { workflowBundle } from '#server/worker/bundle.ts'
import { workflowShares } from '#server/worker/worker.ts'

export interface TestTemporal {
  readonly address: string
  readonly namespace: string
  close(): Promise<void>
}

const log = createLog(process.env['LOG_LEVEL'] ?? 'silent')

/** Starts the server that `npm start` would start, in a directory of its own. Throws the sentence that /readyz would say where there is none. */
export async function openTemporal(): Promise<TestTemporal> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-temporal-'))
  const config = loadConfig({ ...process.env, DATA_DIR: dataDir })
  const handle = startTemporal({ config, log })
  const close = async () => {
    await handle.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const address = await handle.ready
  if (address === undefined) {
    const { detail, remedy } = handle.state()
    await close()
    throw new Error(`There is no Temporal for the tests: ${detail ?? 'no reason given'} ${remedy ?? ''}`)
  }
  return { address, namespace: config.temporal.namespace, close }
}

/** Activities by their task queue. */
export type TestActivities = { readonly [Q in (typeof taskQueues)[keyof typeof taskQueues]]?: object }

export interface TestWorker {
  /** For starting, signalling and reading histories. */
  readonly client: Client
  /** Ends at once: an activity under way is cancelled and tried again by the next worker. */
  stop(): Promise<void>
}

let isRuntimeInstalled = false

/** Before anything of the SDK that makes one of its own. */
export function installRuntime(): void {
  if (isRuntimeInstalled) return
  isRuntimeInstalled = true
  Runtime.install({
    logger: new DefaultLogger('ERROR', ({ message, meta }) => log.error({ temporal: meta }, message)),
    shutdownSignals: [],
  })
}

/** Carries out every workflow of the product, and the activities that are given, `atOnce` of each queue at a time. */
export async function startTestWorker(
  temporal: TestTemporal,
  activities: TestActivities,
  { atOnce }: { readonly atOnce?: number } = {},
): Promise<TestWorker> {
  installRuntime()
  const { namespace } = temporal
  const codePath = await workflowBundle(loadConfig().cacheDir, log)
  const connection = await NativeConnection.connect({ address: temporal.address })
  const common = { connection, namespace, shutdownGraceTime: 0 }
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: taskQueues.workflows,
      workflowBundle: { codePath },
      // As in the product, what is carried out beside workflows is that of the general queue.
      activities: activities.act ?? {},
      ...workflowShares,
    }),
    ...Object.entries(activities).map(([taskQueue, own]) =>
      Worker.create({
        ...common,
        taskQueue,
        activities: own,
        ...(atOnce === undefined ? {} : { maxConcurrentActivityTaskExecutions: atOnce }),
      }),
    ),
  ])
  const running = Promise.all(workers.map((worker) => worker.run()))
  return {
    client: new Client({ connection, namespace }),
    async stop() {
      for (const worker of workers) worker.shutdown()
      await running
      await connection.close()
    },
  }
}
