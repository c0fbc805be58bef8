/** What stands below a record, and moving it: list_child_instances and set_instance_parent. */
import { beforeAll, describe, expect, it } from 'vitest'

import { bodyText, isListing } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'

import { openWire } from './contract/wire.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
const ids: Record<string, number> = {}

async function save(entity: string, key1: string, more: object = {}): Promise<number> {
  const { eiRecordId } = await world.call('save_instance', { entity, key1, data: {}, ...more })
  ids[key1] = eiRecordId
  return eiRecordId
}

beforeAll(async () => {
  const { call } = world
  await call('create_property', { internalName: 'Note', dataType: 'Text' })
  await call('create_property', { internalName: 'Size', dataType: 'Number' })
  await call('create_entity', { internalName: 'Site' })
  await call('create_entity', { internalName: 'Lonely' })
  await call('create_entity', { internalName: 'Pump', properties: [{ property: 'Note' }, { property: 'Size' }] })
  await call('create_entity', { internalName: 'Valve', properties: [{ property: 'Note' }] })
  await call('create_entity', { internalName: 'Gate', properties: [{ property: 'Note' }] })
  for (const childEntity of ['Pump', 'Valve', 'Gate']) await call('attach_child_entity', { entity: 'Site', childEntity, isList: true })
  await call('attach_child_entity', { entity: 'Pump', childEntity: 'Pump', isList: true })
  await save('Site', 'north')
  await save('Site', 'south')
  for (const size of [1, 2, 3])
    await save('Pump', `P-${size}`, { parentKey1: 'north', parentEntity: 'Site', data: { Size: size, Note: 'pump' } })
  for (const key1 of ['G-1', 'G-2']) await save('Gate', key1, { parentKey1: 'north', data: { Note: 'gate' } })
  await save('Pump', 'P-9', { parentKey1: 'south', parentEntity: 'Site' })
})

const children = (input: object) => world.call('list_child_instances', { entity: 'Site', record: 'north', ...input })
const keysOf = (rows: { key1: string }[]) => rows.map(({ key1 }) => key1)

/** A page with its cursor and count. */
async function page(input: object) {
  const answer = await world.run('list_child_instances', { entity: 'Site', record: 'north', ...input })
  if (!isListing(answer)) throw new Error('This is no list')
  const { nextCursor, totalCount, totalAtLeast } = answer
  return { keys: keysOf(JSON.parse(bodyText(answer))), nextCursor, totalCount, totalAtLeast }
}

describe('the records below a record', () => {
  it('are those directly below it, filtered, sorted and narrowed as in a list', async () => {
    expect(keysOf(await children({ childEntity: 'Pump' }))).toEqual(['P-1', 'P-2', 'P-3'])
    expect(keysOf(await children({ record: ids['south'], childEntity: 'Pump' }))).toEqual(['P-9'])
    const sorted = { childEntity: 'pump', sort: [{ property: 'Size', direction: 'desc' }] }
    expect(keysOf(await children({ ...sorted, filterRules: [{ property: 'Size', op: 'gt', value: 1 }] }))).toEqual(['P-3', 'P-2'])
    const [narrow] = await children({ ...sorted, pageSize: 1, properties: ['Size'] })
    expect(narrow.data).toEqual({ Size: 3 })
  })

  it('end with a cursor that goes on, and are counted', async () => {
    const first = await page({ childEntity: 'Pump', pageSize: 2 })
    expect(first).toMatchObject({ keys: ['P-1', 'P-2'], totalCount: 3 })
    expect(await page({ childEntity: 'Pump', pageSize: 2, cursor: first.nextCursor })).toMatchObject({
      keys: ['P-3'],
      nextCursor: undefined,
    })
  })

  it('come one entity after the other where none is named, and entities without any are passed over', async () => {
    const first = await page({ pageSize: 2 })
    expect(first).toMatchObject({ keys: ['P-1', 'P-2'], totalCount: 5 })
    const second = await page({ pageSize: 2, cursor: first.nextCursor })
    expect(second).toMatchObject({ keys: ['P-3'], totalCount: undefined })
    const third = await page({ pageSize: 2, cursor: second.nextCursor })
    expect(third).toMatchObject({ keys: ['G-1', 'G-2'], nextCursor: undefined })
    expect(await page({ filterRules: [{ property: 'Note', op: 'eq', value: 'gate' }] })).toMatchObject({
      keys: ['G-1', 'G-2'],
      totalCount: 2,
      nextCursor: undefined,
    })
    expect(await page({ record: 'south' })).toMatchObject({ keys: ['P-9'], nextCursor: undefined, totalCount: 1 })
  })

  it('are not paged by number, nor by a foreign cursor, where they are of several entities', async () => {
    for (const input of [{ page: 1 }, { cursor: Buffer.from('[9,null]').toString('base64url') }, { cursor: 'x' }])
      expect((await refusal('list_child_instances', { entity: 'Site', record: 'north', ...input })).status).toBe(400)
  })

  it('are deleted ones too where they are asked for', async () => {
    await save('Valve', 'V-1', { parentKey1: 'north' })
    await world.call('delete_instance', { entity: 'Valve', record: 'V-1' })
    expect(await children({ childEntity: 'Valve' })).toEqual([])
    expect(await children({ childEntity: 'Valve', includeDeleted: true })).toMatchObject([{ deletedDate: expect.any(String) }])
  })

  it('are none where no entity stands below, and 400 of one that does not, with the nearest name', async () => {
    await save('Lonely', 'alone')
    expect(await page({ entity: 'Lonely', record: 'alone' })).toMatchObject({ keys: [], totalCount: 0 })
    const { status, code, issues } = await refusal('list_child_instances', { entity: 'Site', record: 'north', childEntity: 'Pmp' })
    expect([status, code, issues?.[0]?.suggestion]).toEqual([400, 'unknown_entity', 'Pump'])
    for (const record of ['nowhere', 999_999_999])
      expect((await refusal('list_child_instances', { entity: 'Site', record })).status).toBe(404)
  })

  it('are named by entity in the body over REST, where one that repeats the path means nothing', async () => {
    const server = await openWire(world)
    try {
      const ask = async (body: object) => {
        const response = await fetch(`${server.url}/api/v1/entities/Site/instances/north/children`, {
          method: 'POST',
          headers: { authorization: `Bearer ${world.tenant.key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        return { status: response.status, rows: (await response.json()) as { key1: string }[] }
      }
      const gates = await ask({ entity: 'Gate' })
      expect([gates.status, keysOf(gates.rows)]).toEqual([200, ['G-1', 'G-2']])
      expect(keysOf((await ask({ entity: 'Site', pageSize: 2 })).rows)).toEqual(['P-1', 'P-2'])
      expect((await ask({ entity: 'Nothing' })).status).toBe(400)
    } finally {
      await server.close()
    }
  })
})

describe('moving a record', () => {
  const move = (record: string | number, parent: object, entity = 'Pump') =>
    world.call('set_instance_parent', { entity, record, ...parent })

  it('takes it to a parent by id, by key, or to none, with what stands below it, and tells it in history', async () => {
    await save('Pump', 'M-1', { parentKey1: 'north', parentEntity: 'Site', data: { Note: 'stays' } })
    await save('Pump', 'M-2', { parentKey1: 'M-1', parentEntity: 'Pump' })
    const moved = await move('M-1', { parentEIRecordId: ids['south'] })
    expect(moved).toMatchObject({ parentEIRecordId: ids['south'], outcome: 'updated', moved: true, data: { Note: 'stays' } })
    expect(await move('M-1', { parentKey1: 'south', parentEntity: 'Site' })).toMatchObject({ outcome: 'skipped' })
    expect((await world.call('get_instance', { entity: 'Pump', record: 'M-2' })).parentEIRecordId).toBe(ids['M-1'])
    expect(await move(ids['M-1'] ?? 0, { parentEIRecordId: null })).toMatchObject({ parentEIRecordId: null, moved: true })
    const taken = await move('M-1', { parentKey1: 'north', parentEntity: 'Site' })
    expect(taken.outcome).toBe('updated')
    expect(taken).not.toHaveProperty('moved')
    const history = await world.call('get_instance_history', { entity: 'Pump', record: 'M-1' })
    expect(history.map(({ changes }: { changes: { property: string; to: unknown }[] }) => changes.map(({ to }) => to))).toEqual([
      ['stays'],
      [ids['south']],
      [null],
      [ids['north']],
    ])
  })

  it('is refused without a parent, for one that is not there, for a record that is not there, and below itself', async () => {
    await save('Pump', 'R-1')
    await save('Pump', 'R-2', { parentKey1: 'R-1', parentEntity: 'Pump' })
    const refused = async (record: string | number, parent: object) => {
      const { status, code } = await refusal('set_instance_parent', { entity: 'Pump', record, ...parent })
      return [status, code]
    }
    expect(await refused('R-1', {})).toEqual([400, 'invalid_input'])
    expect(await refused('R-1', { parentEIRecordId: 999_999_999 })).toEqual([400, 'invalid_input'])
    expect(await refused('R-1', { parentEIRecordId: ids['R-2'] })).toEqual([409, 'conflict'])
    expect(await refused('R-1', { parentEIRecordId: null, expectedRowHash: 'A'.repeat(40) })).toEqual([409, 'conflict'])
    for (const record of ['absent', 999_999_999, '9'.repeat(30)])
      expect(await refused(record, { parentEIRecordId: null })).toEqual([404, 'not_found'])
  })

  it('by many at once never makes a circle: who would close it is refused with 409', async () => {
    for (let round = 0; round < 6; round++) {
      const names = ['a', 'b', 'c'].map((name) => `ring-${round}-${name}`)
      for (const name of names) await save('Pump', name)
      // Each under the next: the three of them would be a ring.
      const outcomes = await Promise.allSettled(
        names.map((name, index) => move(name, { parentKey1: names[(index + 1) % names.length], parentEntity: 'Pump' })),
      )
      const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
      expect(refused.length).toBeGreaterThan(0)
      for (const error of refused) expect(error instanceof AppError && [error.status, error.code]).toEqual([409, 'conflict'])
      const parents = new Map<number, number | null>()
      for (const name of names) {
        const { eiRecordId, parentEIRecordId } = await world.call('get_instance', { entity: 'Pump', record: name })
        parents.set(eiRecordId, parentEIRecordId)
      }
      for (const start of parents.keys()) {
        let at: number | null | undefined = start
        for (let steps = 0; at !== null && at !== undefined; steps++) {
          expect(steps).toBeLessThan(4)
          at = parents.get(at)
        }
      }
    }
  })

  it('takes the right to edit the record, and sight of both parents', async () => {
    const { apiKey: key } = await world.call('create_api_key', { name: 'mover', roles: ['DataView', 'DataEdit'] })
    const everybody = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true }
    const bind = (entity: string, rules: object[]) =>
      world.call('set_entity_access', { entity, rules: rules.length === 0 ? [] : [everybody, ...rules] })
    await save('Gate', 'A-1', { parentKey1: 'north' })
    const refused = async (parent: object) => {
      const { status } = await refusal('set_instance_parent', { entity: 'Gate', record: 'A-1', ...parent }, key)
      return status
    }
    const north = { role: 'DataEdit', read: true, filter: [{ property: 'key1', op: 'eq', value: 'north' }] }
    await bind('Site', [north])
    expect(await refused({ parentKey1: 'south' })).toBe(400)
    await bind('Site', [{ ...north, filter: [{ property: 'key1', op: 'eq', value: 'south' }] }])
    expect(await refused({ parentKey1: 'south' })).toBe(403)
    await bind('Site', [])
    await bind('Gate', [{ role: 'DataEdit', read: true }])
    expect(await refused({ parentKey1: 'south' })).toBe(403)
    await bind('Gate', [{ role: 'DataEdit', edit: true }])
    expect(await refused({ parentKey1: 'south' })).toBe(404)
    await bind('Gate', [])
    expect((await world.call('set_instance_parent', { entity: 'Gate', record: 'A-1', parentKey1: 'south' }, { key })).moved).toBe(true)
  })
})
