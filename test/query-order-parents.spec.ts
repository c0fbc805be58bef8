/** Lists in the order of what stands above their records. */
import { beforeAll, describe, expect, it } from 'vitest'

import { isListing } from '#platform/answer.ts'
import { indexName } from '#platform/db/record-indexes.ts'
import { openSource } from '#tools/query/source.rules.ts'
import type { SortKey } from '#tools/query/tree.types.ts'
import { isOrderIndexed, useOf } from '#tools/query/uses.rules.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world

/** Of docks by their key1. */
const dockIds = new Map<string, number>()

const byDock = [{ entity: 'Dock', property: 'Rank', direction: 'desc' }]
const ofDock = (key: string) => ({ parentEIRecordId: dockIds.get(key) })

async function keysOf(input: object = {}, name = 'list_instances'): Promise<string[]> {
  const rows = (await world.call(name, { entity: 'Crate', sort: byDock, ...input })) as { key1: string }[]
  return rows.map((row) => row.key1)
}

beforeAll(async () => {
  const { call } = world
  await call('create_property', { internalName: 'Rank', dataType: 'Number' })
  await call('create_property', { internalName: 'Marks', dataType: 'Text' })
  for (const internalName of ['Dock', 'Crate', 'Label', 'Driver', 'Cloud'])
    await call('create_entity', { internalName, properties: [{ property: 'Rank' }, { property: 'Marks', isList: true }] })
  await call('attach_child_entity', { entity: 'Dock', childEntity: 'Crate', isList: true })
  await call('attach_child_entity', { entity: 'Crate', childEntity: 'Label', isList: true })
  await call('attach_child_entity', { entity: 'Cloud', childEntity: 'Label', isList: true })
  await call('attach_peer_entity', { entity: 'Driver', peerEntity: 'Crate', isList: true })
  for (const [key1, Rank] of [
    ['low', 1],
    ['high', 9],
  ] as const)
    dockIds.set(key1, (await call('save_instance', { entity: 'Dock', key1, data: { Rank } })).eiRecordId)
  await call('save_instance', { entity: 'Crate', key1: 'loose', data: { Rank: 5 } })
  await call('save_instance', { entity: 'Crate', key1: 'l', ...ofDock('low'), data: { Rank: 3 } })
  await call('save_instance', { entity: 'Crate', key1: 'h', ...ofDock('high'), data: { Rank: 2 } })
})

describe('a sort by a parent', () => {
  it('puts records without one last, in both directions', async () => {
    expect(await keysOf()).toEqual(['h', 'l', 'loose'])
    expect(await keysOf({ sort: [{ entity: 'dock', property: 'rank' }] })).toEqual(['l', 'h', 'loose'])
  })

  it('goes with the filter on another one, and on from a cursor between equal values', async () => {
    await world.call('save_instance', { entity: 'Crate', key1: 'h2', ...ofDock('high'), data: { Rank: 1 } })
    const filterRules = [{ entity: 'Dock', property: 'Rank', op: 'isNotEmpty' }]
    const keys: string[] = []
    let cursor: string | undefined
    do {
      const found = await world.run('list_instances', { entity: 'Crate', sort: byDock, filterRules, pageSize: 1, cursor })
      if (!isListing(found)) throw new Error('no listing')
      keys.push(...JSON.parse('text' in found.items ? found.items.text : '[]').map((row: { key1: string }) => row.key1))
      cursor = found.nextCursor
    } while (cursor !== undefined)
    expect(keys).toEqual(['h', 'h2', 'l'])
    await world.call('delete_instance', { entity: 'Crate', record: 'h2' })
  })

  it('counts a parent whose entity has no records yet as none', async () => {
    await world.call('save_instance', { entity: 'Label', key1: 'one', data: {} })
    await world.call('save_instance', { entity: 'Label', key1: 'two', data: {} })
    for (const property of ['Rank', 'key1', 'createdDate', 'createdBy'])
      expect(await keysOf({ entity: 'Label', sort: [{ entity: 'Cloud', property, direction: 'desc' }] })).toEqual(['one', 'two'])
  })

  it('has the values of the time in a list as of then', async () => {
    const [last] = await world.call('list_instances', { entity: 'Crate', filterRules: [{ property: 'key1', op: 'eq', value: 'h' }] })
    await world.call('save_instance', { entity: 'Dock', key1: 'high', data: { Rank: 0 } })
    expect(await keysOf()).toEqual(['l', 'h', 'loose'])
    expect(await keysOf({ asOfDate: last.modifiedDate }, 'list_instances_as_of')).toEqual(['h', 'l', 'loose'])
    await world.call('save_instance', { entity: 'Dock', key1: 'high', data: { Rank: 9 } })
  })

  it.each([
    ['a child', 'Label', 'A list of Crate cannot be sorted by Label: one Crate may have several of it.'],
    ['a peer', 'Driver', 'A list of Crate cannot be sorted by Driver: one Crate may have several of it.'],
    ['what is not related', 'Cloud', 'Cloud is not related to Crate. Related to it:'],
  ])('refuses %s, and says why', async (_what, entity, message) => {
    const error = await refusal('list_instances', { entity: 'Crate', sort: [{ entity, property: 'Rank' }] })
    expect(error).toMatchObject({ status: 400, issues: [{ path: '$.sort[0].entity' }] })
    expect(error.issues?.[0]?.message).toContain(message)
  })

  it('refuses names that are none, with the nearest, and lists', async () => {
    const refused = (key: object) => refusal('list_instances', { entity: 'Crate', sort: [key] })
    const issueOf = async (key: object) => (await refused(key)).issues?.[0]
    const unknown = { code: 'unknown_entity', issues: [{ path: '$.sort[0].entity', suggestion: 'Dock' }] }
    expect(await refused({ entity: 'Dok', property: 'Rank' })).toMatchObject(unknown)
    expect(await issueOf({ entity: 'Dock', property: 'Rnk' })).toMatchObject({ path: '$.sort[0].property', suggestion: 'Rank' })
    expect(await issueOf({ entity: 'Dock', property: 'Marks' })).toMatchObject({ message: expect.stringContaining('is a list') })
  })

  it('asks for no index of the list itself, and reads by none', () => {
    const entityOf = (entityId: number) => ({ entityId, properties: [] }) as never
    const open = (entityId: number, alias: string) =>
      openSource(
        {
          catalog: { tenantId: 1 },
          entity: entityOf(entityId),
          present: new Set(['c7', indexName({ kind: 'ordered', by: ['c7'] })]),
          sight: undefined,
        },
        { alias },
      )
    const [crates, docks] = [open(1, 'e'), open(2, 'r1')]
    // What compiling looks at of a property.
    const property = { columnId: 7, isList: false, options: [] } as never
    const own: SortKey = { field: { source: crates, property, dataType: 'Number' }, direction: 'asc' }
    const key: SortKey = {
      field: { source: docks, property, dataType: 'Number' },
      direction: 'asc',
      reached: { from: crates, chains: [[docks]] },
    }
    expect(useOf(crates, undefined, [own])?.order).toBe('c7')
    expect(useOf(crates, undefined, [key])).toBeUndefined()
    expect([own, key].map(({ field }) => isOrderIndexed(crates, undefined, field))).toEqual([true, false])
  })
})

describe('a stored sort by a parent', () => {
  it('runs in a view, goes on after renames, and is told before', async () => {
    const viewJson = { columns: ['Rank'], sort: byDock }
    const { call } = world
    expect(await call('validate_view', { entity: 'Crate', viewJson })).toMatchObject({ issues: [] })
    const wrong = await call('validate_view', { entity: 'Crate', viewJson: { sort: [{ entity: 'Label', property: 'Rank' }] } })
    expect(wrong.issues).toMatchObject([{ path: '$.viewJson.sort[0].entity', message: expect.stringContaining('several') }])
    await call('save_view', { entity: 'Crate', internalName: 'ByDock', viewJson })
    const keysInView = async () => keysOf({ view: 'ByDock', sort: undefined }, 'execute_view')
    expect(await keysInView()).toEqual(['h', 'l', 'loose'])
    await call('update_entity', { entity: 'Dock', internalName: 'Quay' })
    await call('update_property', { property: 'Rank', internalName: 'Place' })
    const shown = JSON.parse((await call('get_view', { entity: 'Crate', view: 'ByDock' })).viewJson)
    expect(shown.sort).toEqual([{ entity: 'Quay', property: 'Place', direction: 'desc' }])
    expect(await keysInView()).toEqual(['h', 'l', 'loose'])
    await call('update_property', { property: 'Place', internalName: 'Rank' })
    await call('update_entity', { entity: 'Quay', internalName: 'Dock' })
  })

  it('orders what a context brings', async () => {
    const { call } = world
    const { eiRecordId } = await call('save_instance', { entity: 'Driver', key1: 'd', data: {} })
    const keys = ['loose', 'l', 'h'].map((key1) => ({ key1 }))
    await call('link_peer_instances', { entity: 'Driver', record: 'd', peerEntity: 'Crate', keys })
    const includes = [{ name: 'crates', via: { peer: 'Crate' }, sort: byDock, limit: 2 }]
    await call('create_context', { internalName: 'Load', entity: 'Driver', includes })
    const { data } = await call('hydrate_context', { context: 'Load', eiRecordId })
    expect(JSON.stringify(data).match(/"key1":"\w+"/g)).toEqual(['"key1":"d"', '"key1":"h"', '"key1":"l"'])
  })
})
