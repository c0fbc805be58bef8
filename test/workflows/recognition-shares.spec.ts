/** Recognition has few hands: whose turn it is must not depend on how much somebody else has brought. */
import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { createLog } from '#platform/log.ts'
import type { RecognitionActivities } from '#platform/shapes/recognition.ts'
import { createTemporalGate, type TemporalGate } from '#platform/temporal.ts'

import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from '../support/temporal.ts'

let temporal: TestTemporal
let gate: TemporalGate
let worker: TestWorker
/** Whose file was read, in order. */
const read: string[] = []
let isOpen: () => void
const open = new Promise<void>((resolve) => (isOpen = resolve))

beforeAll(async () => {
  temporal = await openTemporal()
  gate = createTemporalGate({ namespace: temporal.namespace, log: createLog('silent') })
  gate.connectTo(temporal.address)
  const cpu: RecognitionActivities = {
    async recognizeAttachment({ tenantId }) {
      await open
      read.push(`saved ${tenantId}`)
      return 'over'
    },
    async recognizeNow({ tenantId }) {
      await open
      read.push(`now ${tenantId}`)
      return 'sealed'
    },
  }
  // One hand, as a small machine has it.
  worker = await startTestWorker(temporal, { cpu }, { atOnce: 1 })
})
afterAll(async () => {
  await worker?.stop()
  await gate?.end()
  await temporal?.close()
})

const flood = 60
const saved = (tenantId: number, n: number) =>
  gate.start({
    workflow: 'attachmentRecognition',
    workflowId: `attachmentRecognition:${tenantId}:${randomUUID()}`,
    args: [{ tenantId, analysisId: n, runNo: 1 }],
    tenantId,
  })
const now = (tenantId: number) =>
  gate.execute(
    {
      workflow: 'recognizeAsset',
      workflowId: `recognizeAsset:${tenantId}:${randomUUID()}`,
      args: [{ tenantId, assetKey: 'a', ocr: true, classify: false }],
      tenantId,
      share: 'now',
    },
    50_000,
  )

/** How many activities of the workflows started so far are scheduled. */
async function scheduled(): Promise<number> {
  let count = 0
  for await (const { workflowId } of worker.client.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
    const { raw } = await worker.client.workflow.getHandle(workflowId).describe()
    count += raw.pendingActivities?.length ?? 0
  }
  return count
}

it('lets another tenant’s file wait for a few of a flood of files, not for all, and whoever waits likewise', async () => {
  for (let n = 0; n < flood; n++) await saved(1, n)
  await expect.poll(scheduled, { interval: 500 }).toBe(flood)
  await saved(2, 1)
  await expect.poll(scheduled, { interval: 500 }).toBe(flood + 1)
  const waiting = [now(1), now(3)]
  await expect.poll(scheduled, { interval: 500 }).toBe(flood + 3)
  isOpen()
  await Promise.all(waiting)
  await expect.poll(() => read.length).toBe(flood + 3)
  // One is read already, and each of the three waits for one of the flood at the most; who waits belongs to the flood's own tenant once.
  for (const one of ['saved 2', 'now 3', 'now 1']) expect(read.indexOf(one), `${one} of ${read.join(', ')}`).toBeLessThan(10)
})
