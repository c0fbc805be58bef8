/**
 * Temporal by itself: a worker in a process of its own, whose workflow does three activities, each of which writes one row. It starts as the product does, over
 * the worker's connection, so that the first task comes with the answer.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import { Client } from '@temporalio/client'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import postgres from 'postgres'

export type ToRaw = { readonly runs: number; readonly atOnce: number }

/** Milliseconds: of everything, and from each start to the first activity of its run. */
export type FromRaw = { readonly tookMs: number; readonly firstMs: readonly number[] } | { readonly ready: true }

const [address = '', namespace = '', databaseUrl = ''] = process.argv.slice(2)
const taskQueue = 'raw'
const tell = (said: FromRaw) => void process.send?.(said)

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] })
const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} })
await sql`create table if not exists public.raw_row (key text primary key, at timestamptz not null default now())`
const begunAt = new Map<string, number>()
const { code } = await bundleWorkflowCode({
  workflowsPath: join(import.meta.dirname, 'raw-workflow.ts'),
  logger: new DefaultLogger('ERROR'),
})
const connection = await NativeConnection.connect({ address })
const activities = {
  async writeRow(key: string) {
    if (key.endsWith('-a')) begunAt.set(key.slice(0, -2), performance.now())
    await sql`insert into public.raw_row (key) values (${key}) on conflict do nothing`
  },
}
const worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle: { code }, activities, maxCachedWorkflows: 500 })
void worker.run()
const client = new Client({ connection, namespace })

async function carryOut({ runs, atOnce }: ToRaw): Promise<void> {
  const from = performance.now()
  const firstMs: number[] = []
  let left = runs
  const one = async () => {
    while (left-- > 0) {
      const key = randomUUID()
      const startedAt = performance.now()
      const handle = await client.workflow.start('threeRows', { taskQueue, workflowId: `raw:${key}`, args: [key], requestEagerStart: true })
      await handle.result()
      firstMs.push((begunAt.get(key) ?? Number.NaN) - startedAt)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  tell({ tookMs: performance.now() - from, firstMs })
}

process.on('message', (order: ToRaw) => void carryOut(order))
process.on('disconnect', () => process.exit(0))
tell({ ready: true })
