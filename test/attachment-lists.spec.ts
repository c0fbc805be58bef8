/** Lists of files, as the shipped Inspection has them: each is read for itself, and all of them make the text of the record. */
import { MockActivityEnvironment } from '@temporalio/testing'
import { beforeEach, describe, expect, it } from 'vitest'

import type { Recognizer } from '#activities/recognition/types.ts'
import { createAnalysisActivities, createRecognitionActivities } from '#activities/recognition.ts'
import type { AnalysisRun } from '#platform/shapes/recognition.ts'

import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let tenant: TestTenant
let photoId: number

// oxlint-disable-next-line typescript/no-explicit-any -- as World.call
const call = (name: string, input?: unknown): Promise<any> => world.call(name, input, { key: tenant.key })

const targets = { text: 'RecognizedText', topLabel: 'RecognizedLabel' }

beforeEach(async () => {
  tenant = await world.newTenant()
  await call('install_catalog_items', { globalSourceIds: [5_006] })
  photoId = await idOf('Photo')
  await setAnalysis({ targets })
})

async function idOf(property: string): Promise<number> {
  const { properties } = await call('describe_entity', { entity: 'Inspection' })
  return properties.find((one: { propertyInternalName: string }) => one.propertyInternalName === property).entityPropertyId
}

const setAnalysis = (settings: object) =>
  call('set_attachment_analysis', { entity: 'Inspection', entityPropertyId: photoId, ocr: true, classify: true, ...settings })

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function photographs(count: number): Promise<string[]> {
  const upload = async (n: number) =>
    world.call('upload_asset', { fileName: `${n}.png`, contentBase64: png }, { key: tenant.key, transport: 'mcp' })
  const made = await Promise.all(Array.from({ length: count }, (_, n) => upload(n)))
  return made.map(({ assetKey }) => assetKey)
}

const save = (data: object, more: object = {}) =>
  call('save_instance', { entity: 'Inspection', data: { OrderNumber: 'I-1', Title: 'Gate 4', ...data }, ...more })
const record = async () => (await call('get_instance_by_key', { entity: 'Inspection', key1: 'I-1' })).data
const text = async () => (await record()).RecognizedText ?? null
const analysis = (assetKey: string) => call('get_attachment_analysis', { assetKey })
const written = async (assetKey: string) => (await analysis(assetKey)).written

/** The newest run of a file's analysis, as the workflow gets it. */
async function runOf(assetKey: string): Promise<AnalysisRun> {
  const [row] = await world.sql<{ analysisId: number; runNo: number }[]>`
    select analysis_id, run_no from platform.attachment_analysis where tenant_id = ${tenant.tenantId} and asset_key = ${assetKey}`
  if (!row) throw new Error('No analysis was queued')
  return { tenantId: tenant.tenantId, ...row }
}

/** The activities of an engine that finds this text, and the label `crane`. */
function activities(found: string) {
  const { services } = world.platform
  const recognizer: Recognizer = {
    recognize: async () => ({
      state: 'done',
      ocr: { text: `${found}\n`, words: [], language: 'eng', confidence: 90 },
      labels: found === '' ? [] : [{ label: `label of ${found}`, score: 0.5 }],
      model: 'resnet50-imagenet',
      durationMs: 1,
    }),
    stats: () => ({ children: [], waiting: 0 }),
    close: async () => {},
  }
  const { recognizeAttachment } = createRecognitionActivities({ services, recognizer })
  const { saveRecognition } = createAnalysisActivities({ services })
  return { read: (run: AnalysisRun) => new MockActivityEnvironment().run(recognizeAttachment, run), saveRecognition }
}

/** The way of one run, as the workflow takes it. */
async function recognise(assetKey: string, found: string): Promise<void> {
  const run = await runOf(assetKey)
  const { read, saveRecognition } = activities(found)
  expect(await read(run)).toBe('found')
  await saveRecognition(run)
}

/** The keys of so many photographs of one record, all saved at once. */
async function saved(count: number, data: object = {}): Promise<string[]> {
  const keys = await photographs(count)
  const { jobIds } = await save({ Photo: keys, ...data })
  expect(jobIds).toHaveLength(count)
  return keys
}

describe('a list of files', () => {
  it('puts the texts of all into the text target, in the order of the list, in whatever order they were read', async () => {
    const [a = '', b = '', c = ''] = await saved(3)
    await recognise(c, 'C')
    expect(await text()).toBe('C')
    await recognise(a, 'A')
    await recognise(b, 'B')
    expect(await record()).toMatchObject({ RecognizedText: 'A\n\nB\n\nC', RecognizedLabel: 'label of A, label of B, label of C' })
    for (const key of [a, b, c]) expect(await written(key)).toEqual({ applied: ['RecognizedText', 'RecognizedLabel'], skipped: [] })
  })

  it('loses no text of files that are read at the same moment', async () => {
    const keys = await saved(6)
    const runs = await Promise.all(keys.map(runOf))
    const parts = keys.map((_, n) => activities(`T${n}`))
    for (const [n, run] of runs.entries()) await parts[n]?.read(run)
    await Promise.all(runs.map(async (run, n) => parts[n]?.saveRecognition(run)))
    expect(await text()).toBe('T0\n\nT1\n\nT2\n\nT3\n\nT4\n\nT5')
    for (const key of keys) expect((await written(key)).skipped).toEqual([])
  })

  it('takes the part of a file along when it leaves, and puts the parts into their new order', async () => {
    const [a = '', b = '', c = ''] = await saved(3)
    for (const [key, found] of [
      [a, 'A'],
      [b, 'B'],
      [c, 'C'],
    ] as const)
      await recognise(key, found)
    const answer = await save({ Photo: [c, a] })
    expect(answer.data).toMatchObject({ RecognizedText: 'C\n\nA', RecognizedLabel: 'label of C, label of A' })
    expect(answer).not.toHaveProperty('jobIds')
    await save({ Photo: [] })
    expect([await text(), (await record()).RecognizedLabel ?? null]).toEqual([null, null])
  })

  it('changes nothing of it in saves that leave the files as they are', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    await recognise(b, 'B')
    const { eiRecordId } = await save({ Photo: [a, b], Title: 'Gate 5' })
    expect(await text()).toBe('A\n\nB')
    await save({ Photo: [a, b], Title: 'Gate 5' })
    const history = await call('get_instance_history', { entity: 'Inspection', record: String(eiRecordId) })
    expect(history).toHaveLength(4)
  })

  it('brings the text of a file that comes back, and reads it anew', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    await recognise(b, 'B')
    await save({ Photo: [a] })
    const { jobIds } = await save({ Photo: [b, a] })
    expect(jobIds).toHaveLength(1)
    expect(await text()).toBe('B\n\nA')
    await recognise(b, 'B2')
    expect(await text()).toBe('B2\n\nA')
  })

  it('drops what is found in a file that has left meanwhile', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    const run = await runOf(b)
    const { read, saveRecognition } = activities('B')
    await read(run)
    await save({ Photo: [a] })
    await saveRecognition(run)
    expect(await text()).toBe('A')
    expect((await written(b)).skipped).toContainEqual({ property: 'RecognizedText', reason: 'The record no longer holds this attachment.' })
  })

  it('has the text of a file once that stands in it twice', async () => {
    const [a = '', b = ''] = await photographs(2)
    const { jobIds } = await save({ Photo: [a, b, a] })
    expect(jobIds).toHaveLength(2)
    await recognise(a, 'A')
    await recognise(b, 'B')
    expect(await text()).toBe('A\n\nB')
    await save({ Photo: [b, a] })
    expect(await text()).toBe('B\n\nA')
  })

  it('keeps what somebody writes between two results, and says so truly', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    await save({ RecognizedText: 'A, corrected' })
    await recognise(b, 'B')
    expect(await record()).toMatchObject({ RecognizedText: 'A, corrected', RecognizedLabel: 'label of A, label of B' })
    expect(await written(b)).toEqual({
      applied: ['RecognizedLabel'],
      skipped: [{ property: 'RecognizedText', reason: 'Somebody changed it after recognition had written it.' }],
    })
    await save({ Photo: [b] })
    expect(await record()).toMatchObject({ RecognizedText: 'A, corrected', RecognizedLabel: 'label of B' })
  })

  it('keeps a correction when more files come, until it is emptied', async () => {
    const [a = '', b = '', c = ''] = await photographs(3)
    await save({ Photo: [a] })
    await recognise(a, 'A')
    await save({ RecognizedText: 'A, corrected' })
    await save({ Photo: [a, b] })
    await recognise(b, 'B')
    expect(await text()).toBe('A, corrected')
    await save({ Photo: [a, b, c], RecognizedText: null })
    await recognise(c, 'C')
    expect(await text()).toBe('A\n\nB\n\nC')
  })

  it('takes the place of what was there before its first files, and not of what was written since', async () => {
    const [a = ''] = await saved(1, { RecognizedText: 'as it was saved' })
    await save({ RecognizedLabel: 'by hand' })
    await recognise(a, 'A')
    expect(await record()).toMatchObject({ RecognizedText: 'A', RecognizedLabel: 'by hand' })
    expect((await written(a)).skipped).toEqual([{ property: 'RecognizedLabel', reason: 'It has a value that recognition did not write.' }])
  })

  it('leaves the text to a save that names it together with the files', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    await recognise(b, 'B')
    await save({ Photo: [b], RecognizedText: 'Only the second one' })
    expect(await record()).toMatchObject({ RecognizedText: 'Only the second one', RecognizedLabel: 'label of B' })
    // Whoever sends a whole record back has not edited what recognition wrote.
    await save({ Photo: [a, b], RecognizedText: null })
    await recognise(a, 'A')
    await save({ Photo: [a], RecognizedText: 'A\n\nB' })
    expect(await text()).toBe('A')
  })

  it('replaces its part alone when one is read again, and holds it until then', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    await call('rerun_attachment_analysis', { assetKey: a })
    await recognise(b, 'B')
    expect(await text()).toBe('A\n\nB')
    await recognise(a, 'A2')
    expect(await text()).toBe('A2\n\nB')
  })

  it('says of a file without text that there is none, and keeps the texts of the others', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    await recognise(b, '')
    expect(await text()).toBe('A')
    expect((await written(b)).skipped).toEqual([
      { property: 'RecognizedText', reason: 'No text was found.' },
      { property: 'RecognizedLabel', reason: 'No label was found.' },
    ])
  })

  it('writes nobody’s name and asks for no further analysis', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    await recognise(b, 'B')
    const rows =
      await world.sql`select 1 from platform.outbox where tenant_id = ${tenant.tenantId} and errand ->> 'workflow' = 'attachmentRecognition'`
    expect(rows).toHaveLength(2)
    const { eiRecordId } = await analysis(a)
    const history = await call('get_instance_history', { entity: 'Inspection', record: String(eiRecordId) })
    expect(history.map((one: { changedBy: { tenantUserId: number } | null }) => one.changedBy?.tenantUserId ?? 0)).toEqual([
      tenant.tenantUserId,
      0,
      0,
    ])
  })

  it('keeps the records of a bulk apart', async () => {
    const [a = '', b = ''] = await photographs(2)
    const rows = ['I-1', 'I-2'].map((OrderNumber) => ({ data: { OrderNumber, Title: 'T', Photo: [a, b] } }))
    expect(await call('save_instances_bulk', { entity: 'Inspection', rows })).toMatchObject({ inserted: 2 })
    const runs = await world.sql<{ analysisId: number; runNo: number; assetKey: string }[]>`
      select analysis_id, run_no, asset_key from platform.attachment_analysis where tenant_id = ${tenant.tenantId} order by analysis_id`
    expect(runs).toHaveLength(4)
    for (const { analysisId, runNo, assetKey } of runs) {
      const { read, saveRecognition } = activities(assetKey === a ? 'A' : 'B')
      await read({ tenantId: tenant.tenantId, analysisId, runNo })
      await saveRecognition({ tenantId: tenant.tenantId, analysisId, runNo })
    }
    const shorter = rows.map(({ data }, n) => ({ data: { ...data, Photo: n === 0 ? [b] : [b, a] } }))
    expect(await call('save_instances_bulk', { entity: 'Inspection', rows: shorter })).toMatchObject({ updated: 2 })
    const texts = await call('list_instances', { entity: 'Inspection', sort: [{ property: 'key1', direction: 'asc' }] })
    expect(texts.map((row: { data: { RecognizedText: string } }) => row.data.RecognizedText)).toEqual(['B', 'B\n\nA'])
  })
})

describe('targets that are lists', () => {
  it('get an element a file', async () => {
    for (const [internalName, dataType] of [
      ['Texts', 'Text'],
      ['Tops', 'Text'],
      ['Scores', 'Number'],
    ]) {
      await call('create_property', { internalName, dataType })
      await call('attach_property', { entity: 'Inspection', property: internalName, isList: true })
    }
    await setAnalysis({ targets: { text: 'Texts', topLabel: 'Tops', score: 'Scores' } })
    const [a = '', b = ''] = await saved(2)
    await recognise(b, 'B')
    await recognise(a, 'A')
    expect(await record()).toMatchObject({ Texts: ['A', 'B'], Tops: ['label of A', 'label of B'], Scores: [0.5, 0.5] })
    await save({ Photo: [b] })
    expect(await record()).toMatchObject({ Texts: ['B'], Tops: ['label of B'], Scores: [0.5] })
  })
})

describe('a property that held one file', () => {
  it('takes its text along into a list, and the text of a file that is replaced leaves with it', async () => {
    await call('update_entity_property', { entity: 'Inspection', entityPropertyId: photoId, isList: false })
    const [a = '', b = '', c = ''] = await photographs(3)
    await save({ Photo: a })
    await recognise(a, 'A')
    await save({ Photo: b })
    expect(await text()).toBeNull()
    await recognise(b, 'B')
    expect(await text()).toBe('B')
    await call('update_entity_property', { entity: 'Inspection', entityPropertyId: photoId, isList: true })
    await save({ Photo: [c, b] })
    expect(await text()).toBe('B')
    await recognise(c, 'C')
    expect(await text()).toBe('C\n\nB')
  })

  it('whose target turns into a list meanwhile goes on as before', async () => {
    const [a = '', b = ''] = await saved(2)
    await recognise(a, 'A')
    await setAnalysis({ targets: {} })
    await call('update_entity_property', { entity: 'Inspection', entityPropertyId: await idOf('RecognizedText'), isList: true })
    await setAnalysis({ targets })
    await recognise(b, 'B')
    expect((await record()).RecognizedText).toEqual(['A', 'B'])
  })
})

describe('two properties of files with one target', () => {
  it('do not write over each other, and say whose the value is', async () => {
    await call('create_property', { internalName: 'Scan', dataType: 'Attachment' })
    await call('attach_property', { entity: 'Inspection', property: 'Scan' })
    await call('set_attachment_analysis', {
      entity: 'Inspection',
      entityPropertyId: await idOf('Scan'),
      ocr: true,
      targets: { text: 'RecognizedText' },
    })
    const [a = '', b = ''] = await photographs(2)
    await save({ Photo: [a], Scan: b })
    await recognise(a, 'A')
    await recognise(b, 'B')
    expect(await text()).toBe('A')
    expect((await written(b)).skipped).toEqual([{ property: 'RecognizedText', reason: 'The analysis of another property writes it.' }])
  })
})
