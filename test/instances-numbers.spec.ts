import { Readable } from 'node:stream'

import { beforeAll, describe, expect, it } from 'vitest'

import type { AppError } from '#platform/errors.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import { importRunner } from '#tools/instances/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world

beforeAll(async () => {
  const { call } = world
  for (const internalName of ['OrderNumber', 'Title', 'Tags']) await call('create_property', { internalName, dataType: 'Text' })
  await call('create_property', { internalName: 'Amount', dataType: 'Number' })
})

let entities = 0
/** An entity whose records are numbered WO-001, WO-002 and so on. */
async function numbered(more: object = {}): Promise<string> {
  const entity = `Order${++entities}`
  await world.call('create_entity', { internalName: entity, properties: [{ property: 'Title' }] })
  await world.call('attach_property', { entity, property: 'OrderNumber', numbering: { prefix: 'WO-', digits: 3 }, ...more })
  return entity
}

const save = (entity: string, key1: string, data: object = {}, more: object = {}) =>
  world.call('save_instance', { entity, key1, data, ...more })
const numberOf = async (entity: string, record: string): Promise<string> =>
  (await world.call('get_instance', { entity, record })).data.OrderNumber

describe('a numbered property', () => {
  it('gives each new record the next number, and never changes one that there is', async () => {
    const entity = await numbered()
    expect((await save(entity, 'a', { Title: 'x' })).data.OrderNumber).toBe('WO-001')
    expect((await save(entity, 'b', { OrderNumber: null })).data.OrderNumber).toBe('WO-002')
    expect((await save(entity, 'a', { Title: 'y' })).data.OrderNumber).toBe('WO-001')
    expect((await save(entity, 'a', { Title: 'z' }, { importMode: 'overwrite' })).data).toEqual({ Title: 'z', OrderNumber: 'WO-001' })
    expect((await save(entity, 'a', { Title: 'z' }, { importMode: 'overwrite' })).outcome).toBe('skipped')
    const rows = ['b', 'c', 'd'].map((key1) => ({ key1, data: { Title: key1 } }))
    expect(await world.call('save_instances_bulk', { entity, rows })).toMatchObject({ updated: 1, inserted: 2 })
    expect([await numberOf(entity, 'b'), await numberOf(entity, 'c'), await numberOf(entity, 'd')]).toEqual(['WO-002', 'WO-003', 'WO-004'])
  })

  it('leaves out numbers that people have saved themselves, in the same call too', async () => {
    const entity = await numbered()
    const own = Array.from({ length: 40 }, (_, n) => ({ key1: `own${n}`, data: { OrderNumber: `WO-${String(n + 1).padStart(3, '0')}` } }))
    await world.call('save_instances_bulk', { entity, rows: own })
    const rows = [
      { key1: 'said', data: { OrderNumber: 'WO-041' } },
      { key1: 'given', data: {} },
    ]
    expect(await world.call('save_instances_bulk', { entity, rows })).toMatchObject({ inserted: 2 })
    expect(await numberOf(entity, 'given')).toBe('WO-042')
  })

  it('refuses a number that another record or an earlier row has, and lets a record keep its own', async () => {
    const entity = await numbered()
    const first = await save(entity, 'a')
    const taken = await refusal('save_instance', { entity, key1: 'b', data: { OrderNumber: 'WO-001' } })
    expect(taken).toMatchObject({ code: 'already_exists', issues: [{ path: '$.data.OrderNumber' }] })
    expect(taken.message).toContain(`Record ${first.eiRecordId} has the OrderNumber "WO-001" already`)
    expect((await save(entity, 'a', { OrderNumber: 'WO-001', Title: 'q' })).outcome).toBe('updated')
    const result = await world.call('save_instances_bulk', {
      entity,
      rows: [
        { key1: 'c', data: { OrderNumber: 'own' } },
        { key1: 'd', data: { OrderNumber: 'own' } },
        { key1: 'e', data: { OrderNumber: 'x'.repeat(201) } },
      ],
    })
    expect(result).toMatchObject({ inserted: 1, failed: 2 })
    expect(result.results[1].errors[0].message).toContain('An earlier row of this call')
    expect(result.results[2].errors[0].message).toContain('at most 200 characters')
    await world.call('delete_instance', { entity, record: 'a' })
    expect((await save(entity, 'f', { OrderNumber: 'WO-001' })).outcome).toBe('inserted')
  })

  it('stays unique however many write at once, with their own numbers and without', async () => {
    const entity = await numbered()
    const saves = Array.from({ length: 24 }, (_, n) => save(entity, `w${n}`, n % 3 === 0 ? { OrderNumber: `WO-0${10 + (n % 4)}` } : {}))
    const settled = await Promise.allSettled(saves)
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as AppError] : []))
    expect(refused.map((error) => error.code)).toEqual(refused.map(() => 'already_exists'))
    const records = await world.call('list_instances', { entity })
    const numbers = new Set(records.map((record: { data: { OrderNumber: string } }) => record.data.OrderNumber))
    expect(records.length).toBe(24 - refused.length)
    // Every number that was said is there once, and every record that said none has one.
    expect(records.length).toBeGreaterThanOrEqual(16)
    expect(numbers.size).toBe(records.length)
    expect(numbers.has(null)).toBe(false)
  })

  it('can make the key, so that records come without any', async () => {
    const entity = `Order${++entities}`
    await world.call('create_entity', {
      internalName: entity,
      properties: [{ property: 'OrderNumber', isRequired: true, keyPart: 1, numbering: { prefix: 'K' } }],
    })
    const first = await world.call('save_instance', { entity, data: {} })
    const second = await world.call('save_instance', { entity, data: {} })
    expect([first.key1, second.key1, second.data.OrderNumber]).toEqual(['K1', 'K2', 'K2'])
    expect(await world.call('save_instance', { entity, data: { OrderNumber: 'K1' } })).toMatchObject({
      outcome: 'skipped',
      eiRecordId: first.eiRecordId,
    })
  })

  it('numbers the rows of a file that has no column for it', async () => {
    const entity = await numbered()
    const stream = Readable.from([Buffer.from('key1,Title\nf1,a\nf2,b\n')])
    const upload = { stream, fileName: 'orders.csv', mimeType: undefined, isTruncated: () => false }
    const { assetKey } = await world.call('upload_asset', {}, { upload })
    const { jobId } = await world.call('import_instances', { entity, assetKey, importMode: 'overwrite' })
    const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })
    if (!job) throw new Error('there is no job')
    await importRunner.step(world.platform.services, job, new AbortController().signal)
    expect(await world.call('get_job', { jobId })).toMatchObject({ result: { inserted: 2 } })
    expect([await numberOf(entity, 'f1'), await numberOf(entity, 'f2')]).toEqual(['WO-001', 'WO-002'])
  })

  it('begins on an entity that has records already, which stay without', async () => {
    const entity = `Order${++entities}`
    await world.call('create_entity', { internalName: entity, properties: [{ property: 'Title' }] })
    await save(entity, 'old', { Title: 'x' })
    await world.call('attach_property', { entity, property: 'OrderNumber', numbering: {} })
    expect((await save(entity, 'new')).data.OrderNumber).toBe('1')
    expect(await numberOf(entity, 'old')).toBeNull()
  })
})

describe('the definition of numbers', () => {
  it('is refused on other types, on lists, and with a prefix that no key part can have', async () => {
    const entity = await numbered()
    const attach = (more: object) => refusal('attach_property', { entity, numbering: {}, ...more })
    expect(await attach({ property: 'Amount' })).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.numbering' }] })
    expect(await attach({ property: 'Tags', isList: true })).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.numbering' }] })
    expect((await attach({ property: 'Tags', numbering: { prefix: 'A / ' } })).code).toBe('invalid_input')
    expect((await attach({ property: 'Tags', numbering: { digits: 0 } })).code).toBe('invalid_input')
    const properties = [{ property: 'Amount', numbering: {} }]
    const refused = await refusal('create_entity', { internalName: 'Never', properties })
    expect(refused.issues?.[0]?.path).toBe('$.properties[0].numbering')
    expect(await world.call('validate_entity', { internalName: 'Never', properties })).toMatchObject({ ok: false })
  })

  it('is shown, changed, ended and copied', async () => {
    const entity = await numbered()
    const shown = async (of: string) =>
      (await world.call('describe_entity', { entity: of })).properties.find(
        (one: { propertyInternalName: string }) => one.propertyInternalName === 'OrderNumber',
      )
    expect((await shown(entity)).numbering).toEqual({ prefix: 'WO-', digits: 3 })
    await save(entity, 'a')
    const update = (numbering: object | null) =>
      world.call('update_entity_property', { entity, entityPropertyId: 'OrderNumber', numbering })
    expect(await update({ prefix: 'WX' })).toMatchObject({ numbering: { prefix: 'WX', digits: 1 } })
    expect((await save(entity, 'b')).data.OrderNumber).toMatch(/^WX\d$/)
    const clone = `Order${++entities}`
    await world.call('clone_entity', { entity, internalName: clone })
    expect((await shown(clone)).numbering).toEqual({ prefix: 'WX', digits: 1 })
    expect((await save(clone, 'a')).data.OrderNumber).toBe('WX1')
    expect(await update(null)).not.toHaveProperty('numbering')
    expect((await save(entity, 'c')).data.OrderNumber).toBeNull()
    const again = await refusal('update_entity_property', { entity, entityPropertyId: 'OrderNumber', numbering: {} })
    expect(again.code).toBe('conflict')
  })

  it('travels with the catalog', async () => {
    const entity = await numbered()
    const document = await world.call('export_catalog', { entities: [entity] })
    expect(document.entities[0].properties).toContainEqual({ property: 'OrderNumber', numbering: { prefix: 'WO-', digits: 3 } })
    const other = await world.newTenant()
    await world.call('import_catalog', { properties: document.properties, entities: document.entities }, { key: other.key })
    const saved = await world.call('save_instance', { entity, key1: 'a', data: {} }, { key: other.key })
    expect(saved.data.OrderNumber).toBe('WO-001')
  })
})
