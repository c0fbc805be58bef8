import { MockActivityEnvironment } from '@temporalio/testing'
import { beforeEach, describe, expect, it } from 'vitest'

import type { RecognitionRequest, Recognizer } from '#activities/recognition/types.ts'
import { createAnalysisActivities, createRecognitionActivities } from '#activities/recognition.ts'
import type { AnalysisRun, Findings } from '#platform/shapes/recognition.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { analysisRunner, keepFindings, queueAnalyses, startAnalysis } from '#tools/intelligence/service.ts'
import { readJobForRun } from '#tools/jobs/service.ts'

import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let tenant: TestTenant
let photoId: number
let sensitivePhotoId: number

/** Each test has a tenant of its own with inspections that hold photographs. */
beforeEach(async () => {
  tenant = await world.newTenant()
  const options = ['Airliner', 'TrafficLight'].map((internalName) => ({ internalName }))
  for (const property of [
    { internalName: 'Photo', dataType: 'Attachment' },
    { internalName: 'Passport', dataType: 'Attachment', isSensitive: true },
    { internalName: 'SignText', dataType: 'Text' },
    { internalName: 'Number', dataType: 'Text', maxValueOrLength: 10 },
    { internalName: 'PhotoLabel', dataType: 'Choice', propertyOptions: options },
    { internalName: 'Labels', dataType: 'Text' },
    { internalName: 'Score', dataType: 'Number' },
  ]) {
    await call('create_property', property)
  }
  await call('create_entity', {
    internalName: 'Inspection',
    properties: [
      { property: 'Photo' },
      { property: 'Passport' },
      { property: 'SignText' },
      { property: 'Number', keyPart: 1 },
      { property: 'PhotoLabel' },
      { property: 'Labels', isList: true },
      { property: 'Score' },
    ],
  })
  photoId = await idOf('Photo')
  sensitivePhotoId = await idOf('Passport')
})

// oxlint-disable-next-line typescript/no-explicit-any -- as World.call
const call = (name: string, input?: unknown, key = tenant.key): Promise<any> => world.call(name, input, { key })

async function idOf(property: string): Promise<number> {
  const { properties } = await call('describe_entity', { entity: 'Inspection' })
  return properties.find((one: { propertyInternalName: string }) => one.propertyInternalName === property).entityPropertyId
}

const setAnalysis = (settings: object, entityPropertyId = photoId) =>
  call('set_attachment_analysis', { entity: 'Inspection', entityPropertyId, ...settings })

async function newAsset(fields: object = {}): Promise<string> {
  const { assetKey } = await world.call(
    'upload_asset',
    { fileName: 'a.txt', contentBase64: 'R2F0ZSA0', ...fields },
    { key: tenant.key, transport: 'mcp' },
  )
  return assetKey
}

const save = (data: object, key1 = 'I-1') => call('save_instance', { entity: 'Inspection', data: { Number: key1, ...data } })

const record = async (key1 = 'I-1') => (await call('get_instance_by_key', { entity: 'Inspection', key1 })).data

const wanted = { ocr: true, classify: true, targets: { text: 'SignText', topLabel: 'PhotoLabel', labels: 'Labels', score: 'Score' } }

const found: Findings = {
  state: 'done',
  ocr: { text: 'GATE 4\n', words: [{ text: 'GATE', confidence: 96, box: [0, 0, 10, 10] }], language: 'eng', confidence: 96 },
  labels: [
    { label: 'traffic light', score: 0.81239 },
    { label: 'crane', score: 0.2 },
  ],
  model: 'resnet50-imagenet',
  durationMs: 12.4,
}

/** The newest run in the outbox, as its workflow gets it. */
async function lastRun(): Promise<AnalysisRun> {
  const [row] = await world.sql<{ run: AnalysisRun }[]>`
    select errand -> 'args' -> 0 as run from platform.outbox
    where tenant_id = ${tenant.tenantId} and errand ->> 'workflow' = 'attachmentRecognition' order by outbox_id desc limit 1`
  if (!row) throw new Error('No analysis was queued')
  return row.run
}

async function countErrands(): Promise<number> {
  const [row] = await world.sql<{ count: number }[]>`
    select count(*)::int as count from platform.outbox where tenant_id = ${tenant.tenantId} and errand ->> 'workflow' = 'attachmentRecognition'`
  return row?.count ?? -1
}

/** Reads as the engine would that finds `findings`, and nothing more: the engine has its own tests. */
function activities(findings: Findings = found, onRead?: (request: RecognitionRequest) => Promise<void>) {
  const { services } = world.platform
  const recognizer: Recognizer = {
    async recognize(request) {
      await onRead?.(request)
      // The engine's own shape, in its own types.
      return findings as Awaited<ReturnType<Recognizer['recognize']>>
    },
    stats: () => ({ children: [], waiting: 0 }),
    close: async () => {},
  }
  const { recognizeAttachment } = createRecognitionActivities({ services, recognizer })
  const { saveRecognition, failRecognition } = createAnalysisActivities({ services })
  const read = (run: AnalysisRun) => new MockActivityEnvironment().run(recognizeAttachment, run)
  return { read, saveRecognition, failRecognition }
}

/** The way of one run, as the workflow takes it. */
async function carryOut(run: AnalysisRun, findings: Findings = found): Promise<void> {
  const { read, saveRecognition } = activities(findings)
  if ((await read(run)) === 'found') await saveRecognition(run)
}

describe('set_attachment_analysis', () => {
  it('answers what runs, with the targets by name, and replaces what was set before', async () => {
    expect(await setAnalysis(wanted)).toEqual({
      entityId: expect.any(Number),
      entityPropertyId: photoId,
      property: 'Photo',
      ocr: true,
      classify: true,
      languages: ['eng'],
      model: 'resnet50-imagenet',
      minScore: 0.15,
      targets: { text: 'SignText', topLabel: 'PhotoLabel', labels: 'Labels', score: 'Score' },
    })
    expect(await setAnalysis({ ocr: true, languages: ['deu', 'eng'], targets: { text: await idOf('SignText') } })).toMatchObject({
      classify: false,
      languages: ['deu', 'eng'],
      targets: { text: 'SignText' },
    })
  })

  it.each([
    ['a name that is not there', { ocr: true, targets: { text: 'SingText' } }, '$.targets.text', 'SignText'],
    ['a property of another type', { ocr: true, targets: { text: 'Score' } }, '$.targets.text', undefined],
    ['a list where one value goes', { classify: true, targets: { topLabel: 'Labels' } }, '$.targets.topLabel', undefined],
    ['one option for many labels', { classify: true, targets: { labels: 'PhotoLabel' } }, '$.targets.labels', undefined],
    ['a part of the key', { ocr: true, targets: { text: 'Number' } }, '$.targets.text', undefined],
    ['text without ocr', { classify: true, targets: { text: 'SignText' } }, '$.targets.text', undefined],
    ['a score without classify', { ocr: true, targets: { score: 'Score' } }, '$.targets.score', undefined],
    [
      'one property twice',
      { ocr: true, classify: true, targets: { text: 'SignText', topLabel: 'SignText' } },
      '$.targets.topLabel',
      undefined,
    ],
    ['a language that is not there', { ocr: true, languages: ['enf'] }, '$.languages[0]', 'eng'],
    ['a kind of target that is not there', { ocr: true, targets: { txt: 'SignText' } }, '$.targets.txt', 'text'],
  ])('refuses %s', async (_what, settings, path, suggestion) => {
    const refused = await setAnalysis(settings).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path, ...(suggestion === undefined ? {} : { suggestion }) }] })
  })

  it('is for Attachment properties of that entity', async () => {
    await expect(setAnalysis({ ocr: true }, await idOf('SignText'))).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.entityPropertyId' }],
    })
    await expect(setAnalysis({ ocr: true }, 2_000_000_000)).rejects.toMatchObject({ code: 'not_found' })
    await expect(call('set_attachment_analysis', { entity: 'Nothing', entityPropertyId: photoId })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('keeps what is read in sensitive files out of properties that are not', async () => {
    await expect(setAnalysis({ ocr: true, targets: { text: 'SignText' } }, sensitivePhotoId)).rejects.toMatchObject({
      code: 'unprocessable',
    })
    expect(await setAnalysis({ ocr: true }, sensitivePhotoId)).toMatchObject({ ocr: true })
  })
})

describe('a long text as a target', () => {
  // Longer than what history copies when the next version still has it.
  const long = 'GATE 4 '.repeat(400)

  it('takes a new result after a neighbour was edited, and keeps what somebody wrote instead of it', async () => {
    await setAnalysis({ ocr: true, targets: { text: 'SignText' } })
    const assetKey = await newAsset()
    await save({ Photo: assetKey, SignText: long })
    await save({ Score: 1 })
    await carryOut(await lastRun())
    const first = await call('get_attachment_analysis', { assetKey })
    expect(await call('get_attachment_analysis', { assetKey, entityPropertyId: 'photo' })).toEqual(first)
    expect(await call('get_attachment_analysis', { assetKey, entityPropertyId: first.entityPropertyId })).toEqual(first)
    for (const entityPropertyId of ['SignText', 'Nothing'])
      await expect(call('rerun_attachment_analysis', { assetKey, entityPropertyId })).rejects.toMatchObject({ code: 'not_found' })
    expect(first.written).toEqual({ applied: ['SignText'], skipped: [] })
    expect((await record()).SignText).toBe('GATE 4')

    await save({ SignText: long })
    await save({ Score: 2 })
    await call('rerun_attachment_analysis', { assetKey, entityPropertyId: 'Photo' })
    await carryOut(await lastRun())
    const second = await call('get_attachment_analysis', { assetKey })
    expect(second.written.applied).toEqual([])
    expect((await record()).SignText).toBe(long)
  })
})

describe('a save with an attachment', () => {
  it('queues the analysis with the record and answers its job', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const saved = await save({ Photo: assetKey })
    expect(saved.jobIds).toHaveLength(1)
    expect(await call('get_job', { jobId: saved.jobIds[0] })).toMatchObject({ kind: 'attachmentAnalysis', state: 'queued' })
    const analysis = await call('get_attachment_analysis', { assetKey })
    expect(analysis).toMatchObject({
      assetKey,
      eiRecordId: saved.eiRecordId,
      entityPropertyId: photoId,
      jobId: saved.jobIds[0],
      state: 'queued',
      model: null,
      durationMs: null,
    })
    expect(await lastRun()).toEqual({ tenantId: tenant.tenantId, analysisId: analysis.analysisId, runNo: 1 })
    const [errand] =
      await world.sql`select lane, subject from platform.outbox where tenant_id = ${tenant.tenantId} and errand ->> 'workflow' = 'attachmentRecognition'`
    expect(errand).toEqual({ lane: 'triggers', subject: `analysis:${analysis.analysisId}` })
  })

  it('queues nothing where nothing is asked for, or where the file was there before', async () => {
    const before = await newAsset()
    expect((await save({ Photo: before })).jobIds ?? []).toEqual([])
    await setAnalysis(wanted)
    expect((await save({ Photo: before, SignText: 'by hand' })).jobIds ?? []).toEqual([])
    await setAnalysis({})
    expect((await save({ Photo: await newAsset() })).jobIds ?? []).toEqual([])
    expect(await countErrands()).toBe(0)
    await expect(call('get_attachment_analysis', { assetKey: before })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('queues one analysis a record in a bulk save', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const rows = Array.from({ length: 20 }, (_, n) => ({ data: { Number: `B-${n}`, Photo: assetKey } }))
    expect(await call('save_instances_bulk', { entity: 'Inspection', rows })).toMatchObject({ inserted: 20 })
    const analyses = await world.sql<
      { jobId: number; state: string }[]
    >`select job_id, state from platform.attachment_analysis where tenant_id = ${tenant.tenantId}`
    expect([analyses.length, new Set(analyses.map((row) => row.jobId)).size, await countErrands()]).toEqual([20, 20, 20])
  })

  it('answers one job for an asset that stands in a list twice', async () => {
    await call('create_property', { internalName: 'Pictures', dataType: 'Attachment' })
    await call('attach_property', { entity: 'Inspection', property: 'Pictures', isList: true })
    await setAnalysis({ ocr: true }, await idOf('Pictures'))
    const [one, other] = [await newAsset(), await newAsset()]
    const { jobIds } = await save({ Pictures: [one, other, one] })
    expect(jobIds).toHaveLength(2)
    expect(new Set(jobIds).size).toBe(2)
  })

  it('makes one analysis of an asset that stands in a list twice', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const { eiRecordId, entityId } = await save({ Photo: assetKey })
    const attachment = { entityId, eiRecordId, version: 1, entityPropertyId: photoId, assetKey, settings: {} }
    const queued = await inSystemTransaction(world.platform.services, tenant.tenantId, (context) =>
      queueAnalyses(context, [attachment, attachment]),
    )
    expect(queued).toHaveLength(2)
    expect(queued[0]).toEqual(queued[1])
  })
})

describe('a finished analysis', () => {
  it('shows what was found and writes it into the targets, without asking for another', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const { jobIds } = await save({ Photo: assetKey, SignText: 'as it was saved' })
    await carryOut(await lastRun())
    expect(await record()).toMatchObject({
      Photo: assetKey,
      SignText: 'GATE 4',
      PhotoLabel: 'TrafficLight',
      Labels: ['traffic light', 'crane'],
      Score: 0.8124,
    })
    const analysis = await call('get_attachment_analysis', { assetKey })
    expect(analysis).toMatchObject({ state: 'done', ocr: found.ocr, labels: found.labels, model: 'resnet50-imagenet', durationMs: 12 })
    expect(analysis.written).toEqual({ applied: ['SignText', 'Labels', 'PhotoLabel', 'Score'], skipped: [] })
    expect(await call('await_job', { jobId: jobIds[0], timeoutSeconds: 1 })).toMatchObject({
      state: 'succeeded',
      result: { assetKey, state: 'done' },
    })
    expect(await countErrands()).toBe(1)
  })

  it('is not shown before it has ended', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    await save({ Photo: assetKey })
    await activities().read(await lastRun())
    const analysis = await call('get_attachment_analysis', { assetKey })
    expect(analysis).toMatchObject({ state: 'running', model: null })
    expect(analysis).not.toHaveProperty('ocr')
  })

  it('leaves alone what somebody edited since the save', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    await save({ Photo: assetKey })
    await save({ SignText: 'by hand' })
    await carryOut(await lastRun())
    expect(await record()).toMatchObject({ SignText: 'by hand', PhotoLabel: 'TrafficLight' })
    const { written } = await call('get_attachment_analysis', { assetKey })
    expect(written.skipped).toEqual([{ property: 'SignText', reason: expect.any(String) }])
  })

  it('writes nothing into a record that holds another file by now, or is gone', async () => {
    await setAnalysis(wanted)
    const first = await newAsset()
    await save({ Photo: first })
    const run = await lastRun()
    await save({ Photo: await newAsset() })
    await carryOut(run)
    expect((await record()).SignText ?? null).toBeNull()
    const gone = await newAsset()
    await save({ Photo: gone }, 'I-2')
    await call('delete_instance_by_key', { entity: 'Inspection', key1: 'I-2' })
    await carryOut(await lastRun())
    expect(await call('get_attachment_analysis', { assetKey: gone })).toMatchObject({ state: 'done', written: { applied: [] } })
  })

  it('says why an option could not be chosen', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    await save({ Photo: assetKey })
    await carryOut(await lastRun(), { ...found, labels: [{ label: 'tabby', score: 0.9 }] })
    const { written } = await call('get_attachment_analysis', { assetKey })
    expect(written).toEqual({
      applied: ['SignText', 'Labels', 'Score'],
      skipped: [{ property: 'PhotoLabel', reason: 'It has no option for "tabby".' }],
    })
  })

  it.each([
    ['failed', 'The file is broken.', 'failed'],
    ['skipped', 'This is a sound recording.', 'succeeded'],
  ] as const)('that %s says why, and its job has %s', async (state, reason, jobState) => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const { jobIds } = await save({ Photo: assetKey })
    await carryOut(await lastRun(), { state, reason, durationMs: 3 })
    expect(await call('get_attachment_analysis', { assetKey })).toMatchObject({ state, reason })
    const job = await call('get_job', { jobId: jobIds[0] })
    expect([job.state, job.error?.message ?? job.result.reason]).toEqual([jobState, reason])
  })

  it('that could not be carried out says why, and retry_job queues it again', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const { jobIds } = await save({ Photo: assetKey })
    const run = await lastRun()
    await activities().failRecognition(run, 'The model cannot be had.')
    expect(await call('get_attachment_analysis', { assetKey })).toMatchObject({ state: 'failed', reason: 'The model cannot be had.' })
    const [jobId] = jobIds
    expect(await call('get_job', { jobId })).toMatchObject({ state: 'failed', error: { message: 'The model cannot be had.' } })
    await call('retry_job', { jobId })
    const job = await readJobForRun(world.platform.services, { tenantId: tenant.tenantId, jobId, attempt: 2 })
    if (!job) throw new Error('The retried job does not run')
    expect(await analysisRunner.step(world.platform.services, job, new AbortController().signal)).toBe('done')
    const again = await lastRun()
    expect(again).toEqual({ ...run, runNo: 2 })
    await carryOut(again)
    expect(await record()).toMatchObject({ SignText: 'GATE 4' })
    const ended = await call('get_job', { jobId })
    expect(ended.state).toBe('succeeded')
    expect((await call('get_attachment_analysis', { assetKey })).jobId).toBe(ended.result.jobId)
  })

  it('is harmless twice, in every step', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    await save({ Photo: assetKey })
    const run = await lastRun()
    let reads = 0
    const { read, saveRecognition, failRecognition } = activities(found, async () => void reads++)
    expect([await read(run), await read(run), reads]).toEqual(['found', 'found', 1])
    await saveRecognition(run)
    const before = await call('get_instance_history', {
      entity: 'Inspection',
      record: String((await call('get_attachment_analysis', { assetKey })).eiRecordId),
    })
    await saveRecognition(run)
    await failRecognition(run, 'Too late.')
    expect(await read(run)).toBe('over')
    expect(await call('get_attachment_analysis', { assetKey })).toMatchObject({ state: 'done' })
    expect(
      await call('get_instance_history', {
        entity: 'Inspection',
        record: String((await call('get_attachment_analysis', { assetKey })).eiRecordId),
      }),
    ).toEqual(before)
  })

  it('has no text that PostgreSQL cannot keep', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    await save({ Photo: assetKey })
    await carryOut(await lastRun(), {
      state: 'done',
      ocr: { text: 'A\u0000B\uD800', words: [], language: 'eng', confidence: 1 },
      durationMs: 1,
    })
    expect(await call('get_attachment_analysis', { assetKey })).toMatchObject({ state: 'done', ocr: { text: 'AB\uFFFD' } })
    expect(await record()).toMatchObject({ SignText: 'AB\uFFFD' })
  })
})

describe('a cancelled analysis', () => {
  it('is not carried out, and nothing that it still brings is kept', async () => {
    await setAnalysis(wanted)
    const early = await newAsset()
    const { jobIds } = await save({ Photo: early })
    const run = await lastRun()
    await call('cancel_job', { jobId: jobIds[0] })
    expect(await activities().read(run)).toBe('over')
    expect(await call('get_attachment_analysis', { assetKey: early })).toMatchObject({ state: 'skipped', reason: 'The job was cancelled.' })

    const late = await newAsset()
    const saved = await save({ Photo: late }, 'I-2')
    const second = await lastRun()
    const { read, saveRecognition } = activities()
    expect(await read(second)).toBe('found')
    await call('cancel_job', { jobId: saved.jobIds[0] })
    await saveRecognition(second)
    expect(await call('get_attachment_analysis', { assetKey: late })).toMatchObject({ state: 'skipped' })
    expect((await record('I-2')).SignText ?? null).toBeNull()
  })
})

describe('an asset that was deleted before it was read', () => {
  it('is skipped', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const { jobIds } = await save({ Photo: assetKey })
    await call('delete_asset', { assetKey })
    await carryOut(await lastRun())
    expect(await call('get_job', { jobId: jobIds[0] })).toMatchObject({
      state: 'succeeded',
      result: { state: 'skipped', reason: 'The asset was deleted before it was read.' },
    })
  })
})

describe('rerun_attachment_analysis', () => {
  it('queues the next run, and drops what the earlier one still brings', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const { jobIds } = await save({ Photo: assetKey })
    const first = await lastRun()
    const { read, saveRecognition, failRecognition } = activities()
    expect(await read(first)).toBe('found')
    const rerun = await call('rerun_attachment_analysis', { assetKey })
    expect(rerun).toMatchObject({ state: 'queued', model: null })
    expect(rerun.jobId).not.toBe(jobIds[0])
    expect(await call('get_job', { jobId: jobIds[0] })).toMatchObject({ state: 'cancelled' })
    await saveRecognition(first)
    await failRecognition(first, 'Too late.')
    expect(await read(first)).toBe('over')
    expect(await call('get_attachment_analysis', { assetKey })).toMatchObject({ state: 'queued' })
    expect(await call('get_job', { jobId: rerun.jobId })).toMatchObject({ state: 'queued' })
    expect(await keepFindings(world.platform.services, first, found)).toBe(false)
    const second = await lastRun()
    expect(second).toEqual({ ...first, runNo: 2 })
    await carryOut(second)
    expect(await record()).toMatchObject({ SignText: 'GATE 4' })
  })

  it('takes the settings of now, replaces what an earlier run wrote, and never what somebody edited', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    await save({ Photo: assetKey })
    await carryOut(await lastRun())
    await save({ PhotoLabel: 'Airliner' })
    await setAnalysis({ ...wanted, languages: ['deu'] })
    await call('rerun_attachment_analysis', { assetKey })
    const run = await lastRun()
    const started = await inSystemTransaction(world.platform.services, tenant.tenantId, (context) => startAnalysis(context, run))
    expect(started?.settings.languages).toEqual(['deu'])
    await carryOut(run, { ...found, ocr: { text: 'TOR 4', words: [], language: 'deu', confidence: 90 } })
    expect(await record()).toMatchObject({ SignText: 'TOR 4', PhotoLabel: 'Airliner' })
    await call('rerun_attachment_analysis', { assetKey })
    await carryOut(await lastRun())
    expect(await record()).toMatchObject({ SignText: 'GATE 4', PhotoLabel: 'Airliner' })
  })

  it('answers 404 where there is nothing to run again', async () => {
    await expect(call('rerun_attachment_analysis', { assetKey: await newAsset() })).rejects.toMatchObject({ code: 'not_found' })
    await expect(call('rerun_attachment_analysis', { assetKey: crypto.randomUUID() })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('an analysis', () => {
  const job = async (jobId: number) => (await call('get_job', { jobId })) as object

  it('is failed with its reason where the process that reads its file ended twice', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const { jobIds } = await save({ Photo: assetKey })
    const run = await lastRun()
    const { services } = world.platform
    for (const _death of [1, 2])
      expect(await inSystemTransaction(services, tenant.tenantId, (context) => startAnalysis(context, run))).toMatchObject({ assetKey })
    expect(await activities(found).read(run)).toBe('over')
    const reason = expect.stringContaining('ended twice')
    expect(await call('get_attachment_analysis', { assetKey })).toMatchObject({ state: 'failed', reason })
    expect(await job(jobIds[0])).toMatchObject({ state: 'failed', error: { message: reason } })
  })

  it('stops its reading within seconds when its job is cancelled', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const { jobIds } = await save({ Photo: assetKey })
    const reading = Promise.withResolvers<void>()
    const recognizer: Recognizer = {
      stats: () => ({ children: [], waiting: 0 }),
      close: async () => {},
      recognize: (_request, { signal } = {}) =>
        new Promise((_resolve, reject) => {
          reading.resolve()
          signal?.addEventListener('abort', () => reject(signal.reason as Error))
        }),
    }
    const { recognizeAttachment } = createRecognitionActivities({ services: world.platform.services, recognizer })
    const over = new MockActivityEnvironment().run(recognizeAttachment, await lastRun())
    await reading.promise
    await call('cancel_job', { jobId: jobIds[0] })
    expect(await over).toBe('over')
    expect(await call('get_attachment_analysis', { assetKey })).toMatchObject({ state: 'skipped', reason: 'The job was cancelled.' })
  })
})

describe('get_attachment_analysis', () => {
  it('leaves an audit row where the file is sensitive', async () => {
    await setAnalysis({ ocr: true }, sensitivePhotoId)
    const assetKey = await newAsset({ isSensitive: true })
    await save({ Passport: assetKey })
    await call('get_attachment_analysis', { assetKey })
    const audit =
      await world.sql`select facts from platform.audit_event where tenant_id = ${tenant.tenantId} and operation = 'get_attachment_analysis'`
    expect(audit).toEqual([{ facts: { assetKey, isSensitive: true } }])
  })

  it('is narrowed to a record, and answers another tenant as if the asset did not exist', async () => {
    await setAnalysis(wanted)
    const assetKey = await newAsset()
    const [first, second] = [await save({ Photo: assetKey }, 'I-1'), await save({ Photo: assetKey }, 'I-2')]
    expect((await call('get_attachment_analysis', { assetKey })).eiRecordId).toBe(second.eiRecordId)
    expect((await call('get_attachment_analysis', { assetKey, eiRecordId: first.eiRecordId })).eiRecordId).toBe(first.eiRecordId)
    const other = await world.newTenant()
    await expect(call('get_attachment_analysis', { assetKey }, other.key)).rejects.toMatchObject({
      code: 'not_found',
      message: 'No such asset.',
    })
  })
})
