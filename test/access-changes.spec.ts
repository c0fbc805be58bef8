/** Access rules over time: change feeds, history, variance and earlier states. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'

import { openWorld, type World } from './support/world.ts'

let world: World
let key: string

const builders = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true, seesSensitive: true }
const northern = { role: 'DataImport', read: true, filter: { rules: [{ property: 'Site', op: 'eq', value: 'north' }] }, hidden: ['Secret'] }

beforeAll(async () => {
  world = await openWorld()
  const { call } = world
  for (const internalName of ['Site', 'Title', 'Secret']) await call('create_property', { internalName, dataType: 'Text' })
  await call('create_entity', { internalName: 'Area', properties: [{ property: 'Site' }] })
  ;({ apiKey: key } = await call('create_api_key', { name: 'bound', roles: ['DataView', 'DataImport'] }))
})

afterAll(async () => world?.close())

let made = 0
/** An entity with rules, and what its reader is told. */
async function entityWith(rules: object[]) {
  const entity = `Order${++made}`
  await world.call('create_entity', { internalName: entity, properties: ['Site', 'Title', 'Secret'].map((property) => ({ property })) })
  await world.call('set_entity_access', { entity, rules: [builders, ...rules] })
  const save = async (key1: string, data: object) =>
    (await world.call('save_instance', { entity, key1, data })) as { eiRecordId: number; modifiedDate: string }
  const told = async (name: string, input: object = {}) => {
    await world.settled()
    return world.call(name, { entity, ...input }, { key })
  }
  const changes = async (watermark?: string, more: object = {}) => {
    const { rows, ...rest } = await told('list_instances_changed_since', { ...(watermark === undefined ? {} : { watermark }), ...more })
    return { ...rest, rows, kinds: rows.map((row: { key1: string; changeKind: string }) => `${row.key1} ${row.changeKind}`) }
  }
  return { entity, save, told, changes }
}

async function refusal(call: Promise<unknown>): Promise<AppError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`Nothing was refused: ${String(error)}`)
  return error
}

describe('changed-since', () => {
  it('tells a record that left the sight of its reader as deleted, as it was, and leaves out what they never saw', async () => {
    const { save, changes } = await entityWith([northern])
    await save('goes', { Site: 'north', Title: 'was seen', Secret: 's' })
    await save('stays', { Site: 'north' })
    await save('never', { Site: 'south' })
    const first = await changes()
    expect(first.kinds).toEqual(['goes added', 'stays added'])
    await save('goes', { Site: 'south', Title: 'not to be seen' })
    await save('never', { Site: 'west' })
    await save('passes', { Site: 'north' })
    await save('passes', { Site: 'south' })
    const second = await changes(first.watermark)
    expect(second.kinds).toEqual(['goes deleted'])
    expect(second.rows[0].data).toEqual({ Site: 'north', Title: 'was seen', Secret: null })
    expect((await changes(second.watermark)).kinds).toEqual([])
    await save('goes', { Site: 'north' })
    expect((await changes(second.watermark)).kinds).toEqual(['goes modified'])
  })

  it('misses none of them where a drain goes on over several pages', async () => {
    const { save, changes } = await entityWith([northern])
    for (const key1 of ['a', 'b', 'c']) await save(key1, { Site: 'north' })
    const first = await changes()
    for (const key1 of ['a', 'b', 'c']) await save(key1, { Title: 'again' })
    const page = await changes(first.watermark, { pageSize: 1 })
    expect([page.kinds, page.hasMore]).toEqual([['a modified'], true])
    // One that this drain has shown, and two that it has not come to.
    for (const key1 of ['a', 'b', 'c']) await save(key1, { Site: 'south' })
    const rest = await changes(page.watermark)
    expect(rest.kinds.toSorted()).toEqual(['a deleted', 'b deleted', 'c deleted'])
  })

  it('tells from a time on, too, and deleted-since of what was deleted while it was seen', async () => {
    const { entity, save, changes, told } = await entityWith([northern])
    await save('n', { Site: 'north' })
    await save('s', { Site: 'south' })
    const { modifiedDate } = await save('moved', { Site: 'north' })
    const after = new Date(Date.parse(modifiedDate) + 1).toISOString()
    while (new Date().toISOString() <= after) await world.settled()
    await save('moved', { Site: 'south' })
    expect((await changes(after)).kinds).toEqual(['moved deleted'])
    for (const record of ['n', 's', 'moved']) await world.call('delete_instance', { entity, record })
    const { rows } = await told('list_instances_deleted_since', { watermark: after })
    expect(rows.map((row: { key1: string }) => row.key1).toSorted()).toEqual(['moved', 'n'])
  })

  it('begins anew when the rules, the roles or the value of a token have changed', async () => {
    const { entity, save, changes } = await entityWith([northern])
    await save('n', { Site: 'north' })
    const { watermark } = await changes()
    const rules = [builders, { ...northern, hidden: [] }]
    await world.call('set_entity_access', { entity, rules })
    expect((await refusal(changes(watermark))).code).toBe('watermark_reset')
    const next = await changes()
    expect((await changes(next.watermark)).kinds).toEqual([])
    await world.call('set_entity_access', { entity, rules: [] })
    expect((await refusal(changes(next.watermark))).code).toBe('watermark_reset')
    const open = await changes()
    await world.call('set_entity_access', { entity, rules })
    expect((await refusal(changes(open.watermark))).code).toBe('watermark_reset')
  })

  it('says where rules look at related records', async () => {
    const { entity, changes, told } = await entityWith([])
    await world.call('attach_child_entity', { entity: 'Area', childEntity: entity })
    const rule = { role: 'DataImport', read: true, filter: { rules: [{ entity: 'Area', property: 'Site', op: 'eq', value: 'north' }] } }
    await world.call('set_entity_access', { entity, rules: [builders, rule] })
    await world.call('save_instance', { entity: 'Area', key1: 'A', importMode: 'overwrite', data: { Site: 'north' } })
    await world.call('save_instance', { entity, key1: 'under', parentKey1: 'A', data: { Title: 'x' } })
    await world.call('save_instance', { entity, key1: 'alone', data: { Title: 'x' } })
    const { kinds, sightMayLag, watermark } = await changes()
    expect([kinds, sightMayLag]).toEqual([['under added'], true])
    expect((await told('list_instances_deleted_since')).sightMayLag).toBe(true)
    await world.call('save_instance', { entity: 'Area', key1: 'A', data: { Site: 'south' } })
    expect(await told('count_instances')).toEqual({ count: 0 })
    expect((await changes(watermark)).kinds).toEqual([])
  })
})

it('says where rules move with the time', async () => {
  const { entity, changes } = await entityWith([])
  const ruleOf = (value: unknown) => ({ role: 'DataImport', read: true, filter: { rules: [{ property: 'createdDate', op: 'in', value }] } })
  await world.call('save_instance', { entity, key1: 'now', data: { Title: 'x' } })
  await world.call('set_entity_access', { entity, rules: [builders, ruleOf(['2020-01-01', 'today'])] })
  expect(await changes()).toMatchObject({ kinds: ['now added'], sightMayLag: true })
  await world.call('set_entity_access', { entity, rules: [builders, ruleOf(['2020-01-01'])] })
  expect((await changes()).sightMayLag).toBeUndefined()
})

describe('earlier states', () => {
  it('are told of records that are seen as they stand, less what is withheld', async () => {
    const { save, told } = await entityWith([northern])
    const { eiRecordId, modifiedDate } = await save('n', { Site: 'south', Title: 'then', Secret: 'one' })
    await save('n', { Site: 'north', Secret: 'two' })
    const other = await save('s', { Site: 'north', Title: 'then' })
    await save('s', { Site: 'south' })
    const record = String(eiRecordId)
    const history = await told('get_instance_history', { record })
    expect(history.map((one: { data: object }) => one.data)).toEqual([
      { Site: 'south', Title: 'then', Secret: null },
      { Site: 'north', Title: 'then', Secret: null },
    ])
    expect(history[1]).toMatchObject({ withheld: ['Secret'], changes: [{ property: 'Site', from: 'south', to: 'north' }] })
    const { diffs } = await told('get_instance_variance', { record })
    expect(diffs.map((one: { property: string }) => one.property).toSorted()).toEqual(['Site', 'Site', 'Title'])
    const then = await told('get_instance_as_of', { record, utc: modifiedDate })
    expect(then).toMatchObject({ data: { Site: 'south', Secret: null }, withheld: ['Secret'] })
    const listed = await told('list_instances_as_of', { asOfDate: new Date().toISOString() })
    expect(listed.map((one: { key1: string }) => one.key1)).toEqual(['n'])
    for (const [name, input] of [
      ['get_instance_history', {}],
      ['get_instance_variance', {}],
      ['get_instance_as_of', { utc: other.modifiedDate }],
    ] as const)
      expect((await refusal(told(name, { record: String(other.eiRecordId), ...input }))).status).toBe(404)
  })
})
