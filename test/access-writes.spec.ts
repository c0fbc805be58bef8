/** Access rules in every writer: what may be made, changed, moved and deleted, and what a refusal tells. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'

import { openWorld, type World } from './support/world.ts'

let world: World
/** A key that is bound by the rules of a test. */
let key: string

const everything = { read: true, create: true, edit: true, delete: true }
const builders = { role: 'BuilderAdmin', ...everything, seesSensitive: true }
const northern = { rules: [{ property: 'Site', op: 'eq', value: 'north' }] }

beforeAll(async () => {
  world = await openWorld()
  const { call } = world
  for (const internalName of ['Site', 'Title', 'Cost', 'Secret']) await call('create_property', { internalName, dataType: 'Text' })
  const attached = (names: string[]) => names.map((property) => ({ property }))
  await call('create_entity', { internalName: 'Order', properties: attached(['Site', 'Title', 'Cost', 'Secret']) })
  await call('create_entity', { internalName: 'Place', properties: attached(['Site']) })
  await call('attach_child_entity', { entity: 'Place', childEntity: 'Order' })
  ;({ apiKey: key } = await call('create_api_key', { name: 'bound', roles: ['DataView', 'DataEdit', 'DataImport', 'DataDelete'] }))
})

afterAll(async () => world?.close())

const setRules = (rules: object[], entity = 'Order') => world.call('set_entity_access', { entity, rules })
let n1: number
let s1: number

beforeEach(async () => {
  await setRules([])
  await setRules([], 'Place')
  const save = (key1: string, Site: string) =>
    world.call('save_instance', { entity: 'Order', key1, importMode: 'overwrite', data: { Site, Title: 't', Cost: '1', Secret: 'x' } })
  ;({ eiRecordId: n1 } = await save('n1', 'north'))
  ;({ eiRecordId: s1 } = await save('s1', 'south'))
})

async function refusal(name: string, input: object): Promise<AppError> {
  const error: unknown = await world.run(name, { entity: 'Order', ...input }, { key }).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`${name} was not refused: ${String(error)}`)
  return error
}
const mine = (name: string, input: object) => world.call(name, { entity: 'Order', ...input }, { key })
const whole = (record: number) => world.call('get_instance', { entity: 'Order', record: String(record) })

describe('saving', () => {
  it('answers a row outside by its id as absent, by its key as taken, and says no more', async () => {
    await setRules([builders, { role: 'DataImport', ...everything, filter: northern }])
    const byId = await refusal('upsert_instance', { record: String(s1), data: { Title: 'mine' } })
    const absent = await refusal('upsert_instance', { record: '999999999', data: { Title: 'mine' } })
    expect([byId.status, byId.message]).toEqual([404, absent.message])
    const byKey = await refusal('save_instance', { key1: 's1', data: { Site: 'north' } })
    expect([byKey.status, byKey.code]).toEqual([409, 'already_exists'])
    expect(JSON.stringify([byKey.message, byKey.issues])).not.toContain(String(s1))
    const renamed = await refusal('upsert_instance', { record: String(n1), key1: 's1', data: {} })
    expect([renamed.status, renamed.code]).toEqual([409, 'already_exists'])
    expect(JSON.stringify([renamed.message, renamed.issues])).not.toContain(String(s1))
    expect((await whole(s1)).data.Title).toBe('t')
  })

  it('asks an edit rule before and after, and a create rule of what is made', async () => {
    await setRules([builders, { role: 'DataImport', read: true }, { role: 'DataImport', create: true, edit: true, filter: northern }])
    expect((await mine('upsert_instance', { record: String(n1), data: { Title: 'mine' } })).data.Title).toBe('mine')
    expect((await refusal('upsert_instance', { record: String(n1), data: { Site: 'south' } })).status).toBe(403)
    expect((await refusal('upsert_instance', { record: String(s1), data: { Site: 'north' } })).status).toBe(403)
    expect((await refusal('save_instance', { key1: 'new', data: { Site: 'south' } })).status).toBe(403)
    expect((await mine('save_instance', { key1: 'new', data: { Site: 'north' } })).outcome).toBe('inserted')
    await setRules([builders, { role: 'DataImport', read: true, edit: true }])
    expect((await refusal('save_instance', { key1: 'newer', data: { Site: 'north' } })).status).toBe(403)
  })

  it('takes withheld values back as null and no other way, and read-only ones unchanged', async () => {
    await setRules([builders, { role: 'DataImport', ...everything, hidden: ['Secret'], readOnly: ['Cost'] }])
    const saved = await mine('upsert_instance', { record: String(n1), data: { Title: 'a', Secret: null, Cost: '1' } })
    expect(saved).toMatchObject({ outcome: 'updated', data: { Title: 'a', Secret: null, Cost: '1' }, withheld: ['Secret'] })
    for (const data of [{ Secret: 'x' }, { Secret: 'y' }, { Cost: '2' }, { Cost: null }])
      expect((await refusal('upsert_instance', { record: String(n1), data })).status).toBe(403)
    await mine('upsert_instance', { record: String(n1), importMode: 'overwrite', data: { Title: 'b' } })
    expect((await whole(n1)).data).toEqual({ Site: null, Title: 'b', Cost: '1', Secret: 'x' })
    expect((await refusal('save_instance', { key1: 'fresh', data: { Secret: 'z' } })).status).toBe(403)
    expect((await mine('save_instance', { key1: 'fresh', data: { Title: 'z', Secret: null } })).outcome).toBe('inserted')
  })

  it('compares expectedRowHash with the hash that its caller was shown', async () => {
    await setRules([builders, { role: 'DataImport', ...everything, hidden: ['Secret'] }])
    const { rowHash } = await mine('get_instance', { record: String(n1) })
    const { rowHash: stored } = await whole(n1)
    expect((await refusal('upsert_instance', { record: String(n1), data: { Title: 'a' }, expectedRowHash: stored })).status).toBe(409)
    const saved = await mine('upsert_instance', { record: String(n1), data: { Title: 'a' }, expectedRowHash: rowHash })
    expect([saved.outcome, saved.rowHash === rowHash]).toEqual(['updated', false])
  })

  it('answers who may make a record and not read it that it is there, and nothing of it', async () => {
    await setRules([builders, { role: 'DataImport', create: true }])
    const saved = await mine('save_instance', { key1: 'blind', data: { Title: 'a', Site: 'b' } })
    expect(saved).toMatchObject({ outcome: 'inserted', data: { Title: null, Site: null }, withheld: ['Site', 'Title', 'Cost', 'Secret'] })
    expect((await refusal('get_instance', { record: 'blind' })).status).toBe(404)
  })

  it('fails rows of a bulk alone', async () => {
    await setRules([builders, { role: 'DataImport', ...everything, filter: northern, readOnly: ['Cost'] }])
    const rows = [
      { key1: 'n1', data: { Title: 'b' } },
      { key1: 's1', data: { Title: 'b' } },
      { key1: 'b1', data: { Site: 'north' } },
      { key1: 'b2', data: { Site: 'south' } },
      { key1: 'b3', data: { Site: 'north', Cost: '5' } },
    ]
    const { results, failed } = await mine('save_instances_bulk', { rows })
    expect(results.map((one: { outcome: string }) => one.outcome)).toEqual(['updated', 'failed', 'inserted', 'failed', 'failed'])
    expect(failed).toBe(3)
    expect(results[1]).not.toHaveProperty('eiRecordId')
    const skipped = await mine('save_instances_bulk', { importMode: 'insertOnly', rows: rows.slice(0, 2) })
    expect(skipped.results.map((one: { outcome: string }) => one.outcome)).toEqual(['skipped', 'failed'])
  })
})

describe('parents', () => {
  it('are absent where they are not seen, and a move takes sight of both', async () => {
    const places = new Map<string, number>()
    for (const Site of ['north', 'south'])
      places.set(Site, (await world.call('save_instance', { entity: 'Place', key1: Site, data: { Site } })).eiRecordId)
    await world.call('upsert_instance', { entity: 'Order', record: String(s1), parentKey1: 'south', data: {} })
    await setRules([builders, { role: 'DataImport', read: true, filter: northern }], 'Place')
    const unseen = await refusal('upsert_instance', { record: String(n1), parentEIRecordId: places.get('south'), data: {} })
    expect([unseen.status, unseen.message]).toEqual([400, expect.stringContaining('There is no live parent')])
    const named = await refusal('upsert_instance', { record: String(n1), parentKey1: 'south', data: {} })
    const absent = await refusal('upsert_instance', { record: String(n1), parentKey1: 'nowhere', data: {} })
    expect(named.message.replace('south', 'nowhere')).toBe(absent.message)
    expect((await refusal('upsert_instance', { record: String(s1), parentKey1: 'north', data: {} })).status).toBe(403)
    expect((await mine('upsert_instance', { record: String(n1), parentKey1: 'north', data: {} })).parentEIRecordId).toBe(
      places.get('north'),
    )
  })
})

describe('a key that follows from a withheld property', () => {
  beforeAll(async () => {
    const properties = [{ property: 'Secret', keyPart: 1 }, { property: 'Title' }]
    await world.call('create_entity', { internalName: 'Locker', properties })
    await world.call('create_entity', { internalName: 'Item', properties: [{ property: 'Title' }] })
    await world.call('attach_child_entity', { entity: 'Locker', childEntity: 'Item' })
    await world.call('attach_peer_entity', { entity: 'Locker', peerEntity: 'Item' })
  })

  it('names no record to who guesses it', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Locker', data: { Secret: 'k1', Title: 't' } })
    const { eiRecordId: item } = await world.call('save_instance', { entity: 'Item', data: { Title: 't' } })
    await setRules([builders, { role: 'DataImport', ...everything, hidden: ['Secret'] }], 'Locker')
    const entity = 'Locker'
    const guesses: [string, object, number][] = [
      ['upsert_instance', { record: 'k1', data: { Title: 'mine' } }, 409],
      ['save_instance', { key1: 'k1', data: { Title: 'mine' } }, 409],
      ['delete_instance', { record: 'k1' }, 404],
      ['delete_instance_by_key', { key1: 'k1' }, 404],
      ['get_instance', { record: 'k1' }, 404],
      ['get_instance_history', { record: 'k1' }, 404],
      ['save_instance', { entity: 'Item', parentKey1: 'k1', data: { Title: 'mine' } }, 400],
      ['set_instance_parent', { record: 'k1', parentEIRecordId: null }, 404],
      ['list_child_instances', { record: 'k1', childEntity: 'Item' }, 404],
      ['link_peer_instances', { record: 'k1', peerEntity: 'Item', eiRecordIds: [item] }, 404],
      ['link_peer_instances', { entity: 'Item', record: String(item), peerEntity: 'Locker', keys: [{ key1: 'k1' }] }, 400],
      ['unlink_peer_instances', { entity: 'Item', record: String(item), peerEntity: 'Locker', keys: [{ key1: 'k1' }] }, 400],
    ]
    for (const [name, input, status] of guesses) {
      const error = await refusal(name, { entity, ...input })
      expect([name, error.status]).toEqual([name, status])
      expect(JSON.stringify([error.message, error.issues ?? []])).not.toContain(String(eiRecordId))
    }
    const bulk = await mine('save_instances_bulk', { entity, rows: [{ key1: 'k1', data: { Title: 'mine' } }] })
    expect(bulk.results).toEqual([
      { index: 0, outcome: 'failed', errors: [expect.objectContaining({ message: 'A record has this key already.' })] },
    ])
    const gone = await mine('delete_instances_bulk', { entity, keys: [{ key1: 'k1' }, { key1: 'k2' }] })
    expect(gone).toMatchObject({ deleted: 0, failed: 2 })
    expect(new Set(gone.results.map((one: { errors: { message: string }[] }) => one.errors[0]?.message)).size).toBe(1)
    expect((await mine('upsert_instance', { entity, record: String(eiRecordId), data: { Title: 'mine' } })).outcome).toBe('updated')
  })
})

describe('deleting', () => {
  it('answers a record outside word for word as one that is not there', async () => {
    await setRules([builders, { role: 'DataImport', ...everything, filter: northern }])
    for (const [outside, absent] of [
      [String(s1), '999999999'],
      ['s1', 'nowhere'],
    ])
      expect((await refusal('delete_instance', { record: outside })).message).toBe(
        (await refusal('delete_instance', { record: absent })).message,
      )
  })

  it('takes a delete rule, of the record and of all that goes with it', async () => {
    await setRules([builders, { role: 'DataImport', read: true, filter: northern }])
    expect((await refusal('delete_instance', { record: String(n1) })).status).toBe(403)
    expect((await refusal('delete_instance_by_key', { key1: 's1' })).status).toBe(404)
    expect((await refusal('delete_instance', { record: String(s1) })).status).toBe(404)
    const { results } = await mine('delete_instances_bulk', { keys: [{ key1: 'n1' }, { key1: 's1' }] })
    expect(results.map((one: { outcome: string }) => one.outcome)).toEqual(['failed', 'failed'])
    await world.call('save_instance', { entity: 'Place', key1: 'yard', data: {} })
    await world.call('upsert_instance', { entity: 'Order', record: String(n1), parentKey1: 'yard', data: {} })
    const above = await world.run('delete_instance', { entity: 'Place', record: 'yard' }, { key }).catch((thrown: unknown) => thrown)
    expect(above).toMatchObject({ status: 403 })
    await setRules([builders, { role: 'DataImport', read: true, delete: true, filter: northern }])
    const gone = await world.call('delete_instance', { entity: 'Place', record: 'yard' }, { key })
    expect(gone).toMatchObject({ deleted: true, deletedChildren: 1 })
    expect((await whole(s1)).key1).toBe('s1')
  })
})
