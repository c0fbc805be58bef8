import { expect, describe, it } from 'vitest'

import { instanceExportRunner } from '#tools/instances/service.ts'
import { readJobForRun } from '#tools/jobs/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

async function textOf(assetKey: string, key?: string): Promise<string> {
  const answer = (await world.run('download_asset', { assetKey }, key === undefined ? {} : { key })) as { body: AsyncIterable<Buffer> }
  const parts: Buffer[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** A tenant with orders, of which two are open, and its call. */
async function arranged() {
  const tenant = await world.newTenant()
  const call = (name: string, input: object, key = tenant.key) => world.call(name, input, { key, transport: 'mcp' })
  await call('create_property', { internalName: 'Title', dataType: 'Text' })
  await call('create_property', { internalName: 'Cost', dataType: 'Currency', isSensitive: true })
  await call('create_property', {
    internalName: 'Status',
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'closed' }],
  })
  const attached = ['Title', 'Status', 'Cost'].map((property) => ({ property }))
  await call('create_entity', { internalName: 'Order', properties: attached })
  const rows = [
    { key1: 'WO-1', data: { Title: 'Valve', Status: 'open', Cost: 1.5 } },
    { key1: 'WO-2', key2: 'b', data: { Title: 'Pump', Status: 'closed' } },
    { key1: 'WO-3', data: { Title: 'Gate, north', Status: 'open' } },
  ]
  expect(await call('save_instances_bulk', { entity: 'Order', rows })).toMatchObject({ inserted: 3 })
  return { tenant, call }
}

const open = [{ property: 'Status', op: 'eq', value: 'open' }]

describe('exporting records', () => {
  it('writes those that the filter selects, their key and every property, and an import reads them back', async () => {
    const { tenant, call } = await arranged()
    const done = await call('export_instances', { entity: 'Order', format: 'csv', filterRules: open })
    expect(done).toEqual({ assetKey: expect.any(String), rows: 2 })
    expect(await textOf(done.assetKey, tenant.key)).toBe(
      'externalKey,Title,Status,Cost\r\nWO-1,Valve,open,1.5\r\nWO-3,"Gate, north",open,\r\n',
    )
    expect(await call('get_asset', { assetKey: done.assetKey })).toMatchObject({
      mimeType: 'text/csv',
      originalFileName: expect.stringMatching(/^Order-\d{12}\.csv$/),
      isSensitive: true,
    })
  })

  it('writes the properties that are asked for, in their order, and fields of every record', async () => {
    const { tenant, call } = await arranged()
    const properties = ['modifiedBy', 'title', 'eiRecordId']
    const { assetKey, rows } = await call('export_instances', { entity: 'Order', format: 'json', properties })
    expect(rows).toBe(3)
    const written = JSON.parse(await textOf(assetKey, tenant.key)) as Record<string, unknown>[]
    expect(written.map((row) => Object.keys(row))).toEqual([1, 2, 3].map(() => ['externalKey', 'modifiedBy', 'Title', 'eiRecordId']))
    expect(written.map((row) => row['externalKey'])).toEqual(['WO-1', 'WO-2 / b', 'WO-3'])
    expect((await call('get_asset', { assetKey })).isSensitive).toBe(false)
    const elsewhere = await call('export_instances', { entity: 'Order', format: 'csv', properties: ['Title', 'externalKey'] })
    expect((await textOf(elsewhere.assetKey, tenant.key)).split('\r\n')[0]).toBe('Title,externalKey')
  })

  it('tells every name that the entity lacks, and what is wrong with the filter', async () => {
    const { tenant } = await arranged()
    const wrong = { entity: 'Order', format: 'csv', properties: ['Titel', 'Status', 'Kost'] }
    const refused = await world.refusal('export_instances', wrong, tenant.key)
    expect(refused.code).toBe('unknown_property')
    expect(refused.issues?.map(({ path, suggestion }) => [path, suggestion])).toEqual([
      ['$.properties[0]', 'Title'],
      ['$.properties[2]', 'Cost'],
    ])
    const filterRules = [{ property: 'Stat', op: 'eq', value: 'open' }]
    expect((await world.refusal('export_instances', { entity: 'Order', format: 'csv', filterRules }, tenant.key)).status).toBe(400)
    expect((await world.refusal('export_instances', { entity: 'Ordr', format: 'csv' }, tenant.key)).status).toBe(404)
  })

  it('holds what the caller sees: rows under the rules, and nothing of a hidden property', async () => {
    const { tenant, call } = await arranged()
    const reader = await tenant.keyWith(['DataView'])
    const rules = [
      { role: 'DataView', read: true, filter: open, hidden: ['Title'], seesSensitive: true },
      { role: 'BuilderAdmin', read: true, seesSensitive: true },
    ]
    await call('set_entity_access', { entity: 'Order', rules })
    const mine = await call('export_instances', { entity: 'Order', format: 'csv' }, reader)
    expect(await textOf(mine.assetKey, reader)).toBe('externalKey,Title,Status,Cost\r\nWO-1,,open,1.5\r\nWO-3,,open,\r\n')
    // A file is its maker's: nobody else reads in it what they may not see.
    await expect(textOf(mine.assetKey, tenant.key)).rejects.toMatchObject({ status: 404 })
  })

  it('is a job past five thousand, which writes as whoever asked, under the rules of its time', async () => {
    const { tenant, call } = await arranged()
    for (const part of [0, 1]) {
      const rows = Array.from({ length: 3_000 }, (_, index) => ({ key1: `K${part}-${index}`, data: { Title: `${part} ${index}` } }))
      expect(await call('save_instances_bulk', { entity: 'Order', rows })).toMatchObject({ inserted: 3_000 })
    }
    const queued = await call('export_instances', { entity: 'Order', format: 'json', properties: ['Title'] })
    expect(queued).toMatchObject({ kind: 'instanceExport', state: 'queued' })
    await call('set_entity_access', {
      entity: 'Order',
      rules: [{ tenantUserId: tenant.tenantUserId, read: true, filter: [{ property: 'key1', op: 'startsWith', value: 'K1' }] }],
    })
    const job = await readJobForRun(world.platform.services, { tenantId: tenant.tenantId, jobId: queued.jobId, attempt: 1 })
    if (!job) throw new Error('The job has nothing to do')
    expect(await instanceExportRunner.step(world.platform.services, job, new AbortController().signal)).toBe('done')
    const { state, result } = await call('get_job', { jobId: queued.jobId })
    expect({ state, result }).toEqual({ state: 'succeeded', result: { assetKey: expect.any(String), rows: 3_000 } })
    expect(JSON.parse(await textOf(result.assetKey, tenant.key))).toHaveLength(3_000)
  })
})
