/** Attachments recognised on a real Temporal by the real engine: from the save to the written record, and through what can go wrong between. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { createRecognizer } from '#activities/recognition/recognizer.ts'
import type { Recognizer } from '#activities/recognition/types.ts'
import { createAnalysisActivities, createRecognitionActivities } from '#activities/recognition.ts'
import { loadConfig } from '#platform/config.ts'
import { AppError } from '#platform/errors.ts'
import { ownWorkflowId } from '#platform/shapes/errands.ts'
import { type AnalysisActivities, type AnalysisRun, type RecognitionActivities, recognitionFailures } from '#platform/shapes/recognition.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'

import { endOf } from '../support/ended.ts'
import { keepHistory, replayHistories } from '../support/histories.ts'
import { patience } from '../support/patience.ts'
import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from '../support/temporal.ts'
import { openWorld, type World } from '../support/world.ts'

const fixtures = join(import.meta.dirname, '../fixtures/recognition')

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay
let recognizer: Recognizer
let photoId: number

/** What a test does before a file is read, with the number of the try; cleared before each test. */
let beforeReading: (run: AnalysisRun, attempt: number) => Promise<void> | void = () => {}

let beforeReadingNow: () => Promise<void> | void = () => {}

/** What a test does before a failure is recorded. */
let beforeFailing: () => Promise<void> | void = () => {}

function startWorker(): Promise<TestWorker> {
  const { services } = world.platform
  const real = createRecognitionActivities({ services, recognizer })
  let tries = 0
  const recognition: RecognitionActivities = {
    ...real,
    async recognizeAttachment(run) {
      await beforeReading(run, ++tries)
      return real.recognizeAttachment(run)
    },
    async recognizeNow(request) {
      await beforeReadingNow()
      return real.recognizeNow(request)
    },
  }
  const analysis = createAnalysisActivities({ services })
  const act: AnalysisActivities = {
    ...analysis,
    async failRecognition(...failure) {
      await beforeFailing()
      return analysis.failRecognition(...failure)
    },
  }
  return startTestWorker(temporal, { act, cpu: recognition })
}

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld(), openTemporal()])
  const { services } = world.platform
  services.temporal.connectTo(temporal.address)
  recognizer = createRecognizer({ cacheDir: loadConfig().cacheDir, workers: 1, timeoutSeconds: 60, log: services.log })
  worker = await startWorker()
  relay = startRelay(services, (errand) => carryOut(services, errand))
  await world.call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  await world.call('create_property', { internalName: 'SignText', dataType: 'Text' })
  const entity = { internalName: 'Inspection', properties: [{ property: 'Photo' }, { property: 'SignText' }] }
  await world.call('create_entity', entity)
  const { properties } = await world.call('describe_entity', { entity: 'Inspection' })
  photoId = properties.find((one: { propertyInternalName: string }) => one.propertyInternalName === 'Photo').entityPropertyId
  await world.call('set_attachment_analysis', { entity: 'Inspection', entityPropertyId: photoId, ocr: true, targets: { text: 'SignText' } })
})
afterAll(async () => {
  await relay?.stop()
  await worker?.stop()
  await recognizer?.close()
  await world?.close()
  await temporal?.close()
})
beforeEach(() => {
  beforeReading = () => {}
  beforeReadingNow = () => {}
  beforeFailing = () => {}
})

async function upload(name: string): Promise<string> {
  const bytes = await readFile(join(fixtures, name))
  const { assetKey } = await world.call('upload_asset', { fileName: name, contentBase64: bytes.toString('base64') }, { transport: 'mcp' })
  return assetKey
}

interface Saved {
  readonly assetKey: string
  readonly eiRecordId: number
  readonly jobId: number
}

async function save(name: string): Promise<Saved> {
  const assetKey = await upload(name)
  const { eiRecordId, jobIds } = await world.call('save_instance', { entity: 'Inspection', data: { Photo: assetKey } })
  return { assetKey, eiRecordId, jobId: jobIds[0] }
}

const ended = (jobId: number) => endOf(world, jobId)
const analysisOf = (assetKey: string) => world.call('get_attachment_analysis', { assetKey })

async function textOf(eiRecordId: number): Promise<string | undefined> {
  const { data } = await world.call('get_instance', { entity: 'Inspection', record: String(eiRecordId) })
  return data.SignText
}

/** The id of the workflow of the asset's latest run. */
async function workflowOf(assetKey: string): Promise<string> {
  const { analysisId } = await analysisOf(assetKey)
  const [row] = await world.sql<{ outboxId: number }[]>`
    select outbox_id::int from platform.outbox where subject = ${`analysis:${analysisId}`} order by outbox_id desc limit 1`
  return ownWorkflowId({ workflow: 'attachmentRecognition', tenantId: world.tenant.tenantId, outboxId: row?.outboxId ?? 0 })
}

async function workflowEnded(assetKey: string, history?: string): Promise<void> {
  const workflowId = await workflowOf(assetKey)
  await worker.client.workflow.getHandle(workflowId).result()
  if (history !== undefined) await keepHistory(worker.client, workflowId, history)
}

function gate(): { readonly reached: Promise<void>; reach(): void; readonly opened: Promise<void>; open(): void } {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return { reached: reached.promise, reach: reached.resolve, opened: opened.promise, open: opened.resolve }
}

describe('an attachment', () => {
  it('is read after its save, and its text stands in the record', async () => {
    const { assetKey, eiRecordId, jobId } = await save('page.png')
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded', result: { assetKey, eiRecordId, state: 'done' } })
    const analysis = await analysisOf(assetKey)
    expect(analysis).toMatchObject({ state: 'done', ocr: { language: 'eng' }, written: { applied: ['SignText'], skipped: [] } })
    expect(analysis.ocr.text.length).toBeGreaterThan(20)
    expect(await textOf(eiRecordId)).toBe(analysis.ocr.text.trim())
    await workflowEnded(assetKey, 'attachment-recognition-done')
  })

  it('that cannot be read says why, at the first try', async () => {
    const tries: number[] = []
    beforeReading = (_run, attempt) => void tries.push(attempt)
    const { assetKey, jobId } = await save('locked.pdf')
    expect(await ended(jobId)).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringMatching(/password/i) },
    })
    expect(await analysisOf(assetKey)).toMatchObject({ state: 'failed', reason: expect.stringMatching(/password/i) })
    expect(tries).toHaveLength(1)
    await workflowEnded(assetKey, 'attachment-recognition-unreadable')
  })

  it('that an operator stops while its failure is recorded has failed all the same', async () => {
    let tries = 0
    const saving = Promise.withResolvers<Saved>()
    beforeFailing = async () => {
      if (++tries > 1) return
      const handle = worker.client.workflow.getHandle(await workflowOf((await saving.promise).assetKey))
      await handle.cancel()
      const isHeard = async () => {
        const events = (await handle.fetchHistory()).events ?? []
        const asked = events.findIndex((one) => one.workflowExecutionCancelRequestedEventAttributes)
        return asked >= 0 && events.slice(asked).some((one) => one.workflowTaskCompletedEventAttributes)
      }
      await vi.waitUntil(isHeard, patience)
      throw new Error('the database is away')
    }
    beforeReading = () => {
      throw ApplicationFailure.nonRetryable('It is locked.', recognitionFailures.lasting)
    }
    const saved = await save('page.png')
    saving.resolve(saved)
    expect(await ended(saved.jobId)).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('It is locked.') } })
    expect(tries).toBe(2)
  })

  it('that kills its reader fails after three tries, and holds nothing up', async () => {
    let tries = 0
    beforeReading = () => {
      tries++
      throw new Error('the reader died')
    }
    const { assetKey, eiRecordId, jobId } = await save('page.png')
    expect(await ended(jobId)).toMatchObject({ state: 'failed' })
    expect(await analysisOf(assetKey)).toMatchObject({ state: 'failed', reason: 'Something failed on our side.' })
    expect([tries, (await textOf(eiRecordId)) ?? null]).toEqual([3, null])
    await workflowEnded(assetKey, 'attachment-recognition-failed')
  })

  it('waits for what is away, which costs none of its tries', async () => {
    let tries = 0
    const real = recognizer.recognize
    const away = new AppError('unavailable', 'The models cannot be fetched.')
    const flaky: Recognizer = { ...recognizer, recognize: (...args) => (++tries <= 2 ? Promise.reject(away) : real(...args)) }
    await worker.stop()
    const { services } = world.platform
    worker = await startTestWorker(temporal, {
      act: createAnalysisActivities({ services }),
      cpu: createRecognitionActivities({ services, recognizer: flaky }),
    })
    try {
      const { assetKey, jobId } = await save('page.png')
      expect(await ended(jobId)).toMatchObject({ state: 'succeeded' })
      expect(tries).toBe(3)
      await workflowEnded(assetKey, 'attachment-recognition-waited')
    } finally {
      await worker.stop()
      worker = await startWorker()
    }
  })

  it('is read by another worker when one goes away in the middle', async () => {
    const { reached, reach } = gate()
    beforeReading = async (_run, attempt) => {
      if (attempt > 1) return
      reach()
      // Until the worker that stops gives the activity up.
      await Context.current().cancelled
    }
    await worker.stop()
    worker = await startWorker()
    const { jobId, eiRecordId } = await save('page.png')
    await reached
    beforeReading = () => {}
    await worker.stop()
    worker = await startWorker()
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded' })
    expect(((await textOf(eiRecordId)) ?? '').length).toBeGreaterThan(20)
  })

  it('delays no save while nobody reads', async () => {
    await worker.stop()
    const { assetKey, jobId } = await save('page.png')
    expect(await analysisOf(assetKey)).toMatchObject({ state: 'queued' })
    worker = await startWorker()
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded' })
  })

  it('is read once however often its event is carried out, and once more when it is run again', async () => {
    const runs: number[] = []
    beforeReading = (run) => void runs.push(run.runNo)
    const { assetKey, jobId } = await save('page.png')
    expect(await ended(jobId)).toMatchObject({ state: 'succeeded' })
    await workflowEnded(assetKey)
    const { analysisId } = await analysisOf(assetKey)
    const { tenantId } = world.tenant
    const again = {
      workflow: 'attachmentRecognition',
      workflowId: await workflowOf(assetKey),
      args: [{ tenantId, analysisId, runNo: 1 }],
      tenantId,
    }
    expect(await world.platform.services.temporal.start(again)).toBe('already')
    const rerun = await world.call('rerun_attachment_analysis', { assetKey })
    expect(await ended(rerun.jobId)).toMatchObject({ state: 'succeeded' })
    expect(runs).toEqual([1, 2])
  })
})

describe('recognition for somebody who waits', () => {
  it('answers the text with its words and boxes', async () => {
    const assetKey = await upload('page.png')
    const answer = await world.call('recognize_text', { assetKey })
    expect(answer).toMatchObject({ assetKey, state: 'done', ocr: { language: 'eng' } })
    expect(answer.ocr.words.length).toBeGreaterThan(5)
    expect(answer.ocr.words[0].box).toHaveLength(4)
    const { executions } = await worker.client.workflowService.listWorkflowExecutions({
      namespace: temporal.namespace,
      query: "WorkflowType = 'recognizeAsset'",
    })
    const workflowId = executions.at(0)?.execution?.workflowId ?? ''
    expect(workflowId).toMatch(new RegExp(`^recognizeAsset:${world.tenant.tenantId}:`))
    const history = JSON.stringify(await worker.client.workflow.getHandle(workflowId).fetchHistory())
    expect(history).not.toContain(Buffer.from(answer.ocr.text).toString('base64').slice(0, 20))
    await keepHistory(worker.client, workflowId, 'recognize-asset-done')
  })

  it('says why a file cannot be read', async () => {
    const assetKey = await upload('locked.pdf')
    expect(await world.call('recognize_text', { assetKey })).toMatchObject({ state: 'failed', reason: expect.stringMatching(/password/i) })
  })

  it('is given up by whoever started it when nobody reads in time', async () => {
    const { services } = world.platform
    const { tenantId } = world.tenant
    await worker.stop()
    const workflowId = `recognizeAsset:${tenantId}:late`
    const args = [{ tenantId, assetKey: await upload('page.png'), ocr: true, classify: false }]
    await expect(services.temporal.execute({ workflow: 'recognizeAsset', workflowId, args, tenantId }, 500)).rejects.toMatchObject({
      code: 'timeout',
    })
    await services.temporal.cancel(workflowId)
    worker = await startWorker()
    await expect(worker.client.workflow.getHandle(workflowId).result()).rejects.toThrow(/cancelled/i)
  })

  it('ends with the caller who goes away', async () => {
    const { reached, reach } = gate()
    beforeReadingNow = async () => {
      reach()
      await Context.current().cancelled
    }
    const gone = new AbortController()
    const asked = world.call('recognize_text', { assetKey: await upload('page.png') }, { signal: gone.signal })
    await reached
    gone.abort()
    await expect(asked).rejects.toMatchObject({ name: 'AppError' })
  })
})

it('replays the histories that were kept', async () => {
  expect(await replayHistories('attachment-recognition-')).toEqual({
    'attachment-recognition-done': 'replayed',
    'attachment-recognition-failed': 'replayed',
    'attachment-recognition-unreadable': 'replayed',
    'attachment-recognition-waited': 'replayed',
  })
  expect(await replayHistories('recognize-asset-')).toEqual({ 'recognize-asset-done': 'replayed' })
})
