import { Readable } from 'node:stream'

import { beforeAll, expect, it } from 'vitest'

import { readJobForRun } from '#tools/jobs/service.ts'
import { importRunner } from '#tools/instances/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

beforeAll(async () => {
  await world.call('create_property', { internalName: 'AirportName', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Latitude', dataType: 'Number' })
  await world.call('create_property', { internalName: 'Opened', dataType: 'DateOnly' })
  await world.call('create_entity', {
    internalName: 'Airport',
    properties: [{ property: 'AirportName' }, { property: 'Latitude' }, { property: 'Opened' }],
  })
})

async function upload(fileName: string, text: string | Buffer): Promise<string> {
  const stream = Readable.from([Buffer.from(text)])
  const asset = await world.call('upload_asset', {}, { upload: { stream, fileName, mimeType: undefined, isTruncated: () => false } })
  return asset.assetKey
}

/** Carries the job out as the worker does, without Temporal. */
async function carryOut(jobId: number): Promise<void> {
  for (let step = 0; step < 100; step++) {
    const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })
    if (!job || (await importRunner.step(world.platform.services, job, new AbortController().signal)) === 'done') return
  }
  throw new Error('the job did not end')
}

it('imports a file by the names of its columns and by the mapping, and reports the rest', async () => {
  const assetKey = await upload(
    'airports.csv',
    '\uFEFFident,airport_name,latitude,city\nAAA,"Alpha, the ""first""",12.5,X\nBBB,Beta,,Y\n\nCCC,Gamma,-3,Z\n',
  )
  const queued = await world.call('import_instances', { entity: 'Airport', assetKey, mapping: { key1: 'ident' } })
  expect(queued).toMatchObject({ state: 'queued', kind: 'instanceImport' })
  await carryOut(queued.jobId)
  const done = await world.call('get_job', { jobId: queued.jobId })
  expect(done).toMatchObject({ state: 'succeeded', result: { inserted: 3, failed: 0, ignoredColumns: ['city'] } })
  const alpha = await world.call('get_instance', { entity: 'Airport', record: 'AAA' })
  expect(alpha.data).toEqual({ AirportName: 'Alpha, the "first"', Latitude: 12.5, Opened: null })
  const history = await world.call('get_instance_history', { entity: 'Airport', record: 'AAA' })
  expect(history[0].changedBy.tenantUserId).toBe(world.tenant.tenantUserId)
})

it('saves the sound rows and tells the first errors, with their rows', async () => {
  const assetKey = await upload('some.csv', 'key1,Latitude,Opened\nG1,1,2020-01-01\nG2,north,2020-01-01\nG3,3,2020-02-30\n')
  const queued = await world.call('import_instances', { entity: 'Airport', assetKey })
  await carryOut(queued.jobId)
  const done = await world.call('get_job', { jobId: queued.jobId })
  expect(done).toMatchObject({ state: 'partly', result: { inserted: 1, failed: 2 } })
  expect(done.result.errors.map((error: { row: number }) => error.row)).toEqual([2, 3])
})

it('goes on from the committed chunk, so that a second run repeats nothing', async () => {
  const rows = Array.from({ length: 4_500 }, (_, index) => `M${index},Name ${index},${index}`).join('\n')
  const assetKey = await upload('many.csv', `key1,AirportName,Latitude\n${rows}\n`)
  const queued = await world.call('import_instances', { entity: 'Airport', assetKey })
  const attempt = { tenantId: world.tenant.tenantId, jobId: queued.jobId, attempt: 1 }
  const job = await readJobForRun(world.platform.services, attempt)
  if (!job) throw new Error('no job')
  const stopping = new AbortController()
  // The first chunk commits; then the process is told to stop.
  const waiting = world.platform.services.wake.listen(`job:${queued.jobId}`)
  const running = importRunner.step(world.platform.services, job, stopping.signal)
  await waiting.next(10_000)
  stopping.abort()
  await expect(running).rejects.toThrow()
  waiting.close()
  const half = await world.call('get_job', { jobId: queued.jobId })
  expect(half.progress.done).toBeGreaterThan(0)
  await carryOut(queued.jobId)
  const done = await world.call('get_job', { jobId: queued.jobId })
  expect(done).toMatchObject({ state: 'succeeded', result: { inserted: 4_500, updated: 0, skipped: 0 } })
})

it('imports JSON with its types, and refuses a mapping to what is not there', async () => {
  const assetKey = await upload(
    'rows.json',
    JSON.stringify([
      { key1: 'J1', Latitude: 1.25 },
      { key1: 'J2', Latitude: '2' },
    ]),
  )
  const queued = await world.call('import_instances', { entity: 'Airport', assetKey })
  await carryOut(queued.jobId)
  expect(await world.call('get_job', { jobId: queued.jobId })).toMatchObject({ state: 'partly', result: { inserted: 1, failed: 1 } })
  await expect(world.run('import_instances', { entity: 'Airport', assetKey, mapping: { Latitud: 'Latitude' } })).rejects.toMatchObject({
    code: 'unknown_property',
    issues: [{ path: '$.mapping.Latitud', suggestion: 'Latitude' }],
  })
  const wrong = await world.call('import_instances', { entity: 'Airport', assetKey, mapping: { Latitude: 'Latitud' } })
  const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId: wrong.jobId, attempt: 1 })
  if (!job) throw new Error('no job')
  await expect(importRunner.step(world.platform.services, job, new AbortController().signal)).rejects.toMatchObject({
    code: 'invalid_input',
    issues: [{ path: '$.mapping.Latitude', suggestion: 'Latitude' }],
  })
})

it('refuses files that are not what they claim, in a sentence', async () => {
  for (const [name, bytes] of [
    ['workbook.xlsx', Buffer.from('key1\na\n')],
    ['twice.csv', Buffer.from('key1,key1\na,b\n')],
    ['object.json', Buffer.from('{"a":1}')],
  ] as const) {
    const assetKey = await upload(name, bytes)
    const queued = await world.call('import_instances', { entity: 'Airport', assetKey })
    const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId: queued.jobId, attempt: 1 })
    if (!job) throw new Error('no job')
    await expect(importRunner.step(world.platform.services, job, new AbortController().signal)).rejects.toMatchObject({
      code: 'unprocessable',
    })
  }
})
