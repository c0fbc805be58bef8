/** Histories of workflows, kept beside the specs: today's code must replay what yesterday's has begun. FIELDLOOP_RECORD_HISTORIES=1 records anew. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Client } from '@temporalio/client'
import { temporal } from '@temporalio/proto'
import { Worker } from '@temporalio/worker'

import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { workflowBundle } from '#server/worker/bundle.ts'

const folder = join(import.meta.dirname, '../workflows/histories')
const { History } = temporal.api.history.v1
const isRecording = process.env['FIELDLOOP_RECORD_HISTORIES'] === '1'

/** Writes the history of a workflow that has ended as `<name>.json`, when recording; what names the machine is left out. */
export async function keepHistory(client: Client, workflowId: string, name: string): Promise<void> {
  if (!isRecording) return
  const history = await client.workflow.getHandle(workflowId).fetchHistory()
  const text = JSON.stringify(History.toObject(History.fromObject(history), { longs: String, enums: String, bytes: String }))
  const plain = JSON.parse(text, (key: string, value: unknown) => {
    if (key === 'identity' || key === 'workerVersion') return undefined
    // The name of a sticky queue holds the host's.
    if (key === 'taskQueue' && isObject(value) && value['kind'] === 'TASK_QUEUE_KIND_STICKY') return { ...value, name: 'sticky' }
    // Stack traces hold paths.
    if (key === 'stackTrace') return ''
    return value
  }) as unknown
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(plain, null, 1)}\n`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Replays every kept history whose name begins with `prefix`; answers how each went, by name. Throws where there is none. */
export async function replayHistories(prefix: string): Promise<Record<string, string>> {
  const names = readdirSync(folder).filter((file) => file.startsWith(prefix) && file.endsWith('.json'))
  if (names.length === 0) throw new Error(`No history begins with ${prefix}`)
  const codePath = await workflowBundle(loadConfig().cacheDir, createLog('silent'))
  const histories = names.map((file) => ({
    workflowId: file.slice(0, -'.json'.length),
    history: History.fromObject(JSON.parse(readFileSync(join(folder, file), 'utf8')) as object),
  }))
  const outcomes: Record<string, string> = {}
  for await (const result of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories)) {
    outcomes[result.workflowId] = result.error ? result.error.message : 'replayed'
  }
  return outcomes
}
