/** The workers of the product's own process: they outlive a Temporal that is not there yet, and take first tasks without a dispatch. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, Connection } from '@temporalio/client'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { loadConfig } from '#platform/config.ts'
import { createTemporalGate, type TemporalGate } from '#platform/temporal.ts'
import { startTemporal, type TemporalHandle } from '#server/boot/temporal.ts'
import { startWorkers, type Workers } from '#server/worker/worker.ts'

import { freePort } from '../support/ports.ts'

let dataDir: string
let temporal: TemporalHandle | undefined
let workers: Workers | undefined
let gate: TemporalGate | undefined

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-workers-'))
})
afterAll(async () => {
  await workers?.stop()
  await gate?.end()
  await temporal?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

it('come up by themselves once Temporal does, and get the first task of a workflow in the answer of its start', async () => {
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  await writeFile(join(dataDir, 'temporal.port'), `${port}\n`)
  const config = loadConfig({ ...process.env, DATA_DIR: dataDir })
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  gate = createTemporalGate({ namespace: config.temporal.namespace, log })
  gate.connectTo(address)
  const nothing = { nothing: async () => {} }
  workers = startWorkers({
    address,
    namespace: config.temporal.namespace,
    cacheDir: config.cacheDir,
    log,
    temporal: gate,
    activities: {
      general: nothing,
      local: nothing,
      messages: nothing,
      recognition: nothing,
      jobs: { runJobStep: async () => 'finished' },
      close: async () => {},
    },
    recognitions: 1,
    holdsJobs: false,
    shutdownSeconds: 1,
  })
  await expect.poll(() => lines.join('')).toContain('will be started again')

  temporal = startTemporal({ config, log })
  expect(await temporal.ready).toBe(address)
  await expect.poll(() => lines.join('')).toContain('workflows are up')
  const connection = await Connection.connect({ address })
  try {
    const { workflow } = new Client({ connection, namespace: config.temporal.namespace })
    let jobId = 0
    const cameWithItsStart = async () => {
      jobId++
      const workflowId = `job:0:${jobId}`
      const attempt = { tenantId: 0, jobId, attempt: 1 }
      expect(await gate?.start({ workflow: 'job', workflowId, args: [attempt], tenantId: 0 })).toBe('started')
      await workflow.getHandle(workflowId).result()
      const { events } = await workflow.getHandle(workflowId).fetchHistory()
      return events?.[0]?.workflowExecutionStartedEventAttributes?.eagerExecutionAccepted
    }
    // The server hands a task over with the answer only where a slot of the worker is free at that moment: one of the first starts may miss it.
    await expect.poll(cameWithItsStart).toBe(true)
  } finally {
    await connection.close()
  }
})
