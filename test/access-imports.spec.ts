/** Access rules in imports: as whom they write, and what they leave. */
import { Readable } from 'node:stream'

import { beforeAll, beforeEach, expect, it } from 'vitest'

import { importRunner } from '#tools/instances/service.ts'
import { readJobForRun } from '#tools/jobs/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const everything = { read: true, create: true, edit: true, delete: true }
const builders = { role: 'BuilderAdmin', ...everything, seesSensitive: true }
/** A key of its own user, who may import. */
let key: string

beforeAll(async () => {
  for (const internalName of ['Number', 'Site', 'Title', 'Cost']) await world.call('create_property', { internalName, dataType: 'Text' })
  const properties = [{ property: 'Number', keyPart: 1 }, { property: 'Site' }, { property: 'Title' }, { property: 'Cost' }]
  await world.call('create_entity', { internalName: 'Order', properties })
  key = await world.tenant.keyWith(['DataView', 'DataImport', 'FileEdit'])
})

const setRules = (rules: object[]) => world.call('set_entity_access', { entity: 'Order', rules })
const stored = async (record: string) => (await world.call('get_instance', { entity: 'Order', record })).data

beforeEach(async () => {
  await setRules([])
  for (const Number of ['n1', 'n2'])
    await world.call('save_instance', { entity: 'Order', importMode: 'overwrite', data: { Number, Site: 'north', Title: 't', Cost: '1' } })
})

// oxlint-disable-next-line typescript/no-explicit-any -- as World.call
async function imported(lines: readonly string[], options: object = {}, by = key): Promise<any> {
  const stream = Readable.from([Buffer.from(`${lines.join('\n')}\n`)])
  const upload = { stream, fileName: 'orders.csv', mimeType: undefined, isTruncated: () => false }
  const { assetKey } = await world.call('upload_asset', {}, { upload, key: by })
  const { jobId } = await world.call('import_instances', { entity: 'Order', assetKey, ...options }, { key: by })
  for (let step = 0; step < 20; step++) {
    const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })
    if (!job || (await importRunner.step(world.platform.services, job, new AbortController().signal)) === 'done') break
  }
  return world.call('get_job', { jobId }, { key: by })
}

it('write with the roles of the call that began them, as far as its user still has them', async () => {
  const user = await world.call('create_user', {
    userName: 'importer',
    email: 'importer@imports.test',
    roles: ['BuilderAdmin', 'DataImport', 'DataView', 'FileEdit'],
  })
  const keyOf = async (roles: string[]): Promise<string> =>
    (await world.call('create_api_key', { name: roles.join(' '), roles, tenantUserId: user.tenantUserId })).apiKey
  const [lesser, whole] = [
    await keyOf(['DataImport', 'DataView', 'FileEdit']),
    await keyOf(['BuilderAdmin', 'DataImport', 'DataView', 'FileEdit']),
  ]
  await setRules([builders])
  for (const dryRun of [true, false]) {
    const refused = await imported(['Number,Title', 'lesser,x'], { dryRun }, lesser)
    expect(refused).toMatchObject({ state: 'partly', result: { inserted: 0, failed: 1 } })
  }
  expect((await imported(['Number,Title', 'whole,x'], {}, whole)).result).toMatchObject({ inserted: 1, failed: 0 })
})

it('leave what their caller may not write in records that are there, and tell it', async () => {
  await setRules([builders, { role: 'DataImport', ...everything, hidden: ['Cost'], readOnly: ['Site'] }])
  const lines = ['Number,Site,Title,Cost', 'n1,south,new,5', 'n2,north,t,', 'n3,,made,']
  const dry = await imported(lines, { dryRun: true })
  const done = await imported(lines)
  for (const { state, result } of [dry, done]) {
    expect({ state, ...result }).toMatchObject({ state: 'succeeded', inserted: 1, updated: 1, skipped: 1, failed: 0 })
    expect(result.errors).toEqual([expect.objectContaining({ row: 1, severity: 'warning', message: expect.stringMatching(/Site, Cost/) })])
  }
  expect(await stored('n1')).toEqual({ Number: 'n1', Site: 'north', Title: 'new', Cost: '1' })
  const refused = await imported(['Number,Site,Title', 'n4,south,made'])
  expect(refused).toMatchObject({ state: 'partly', result: { inserted: 0, failed: 1 } })
  expect((await imported(['Number,Title', 'n1,again'], { importMode: 'overwrite' })).result).toMatchObject({ updated: 1, errors: [] })
  expect(await stored('n1')).toEqual({ Number: 'n1', Site: 'north', Title: 'again', Cost: '1' })
})
