/** Rows of a bulk whose parents other rows of the same bulk make. */
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import type * as Generations from '#tools/instances/save/generations.ts'

import { patience } from './support/patience.ts'
import { useWorld } from './support/world.ts'

/** How many steps each call has taken. */
const steps = vi.hoisted(() => [] as number[])
vi.mock('#tools/instances/save/generations.ts', async (original) => {
  const real = await original<typeof Generations>()
  const inGenerations: typeof real.inGenerations = async (...input) => {
    const generations = await real.inGenerations(...input)
    steps.push(generations.steps.length)
    return generations
  }
  return { ...real, inGenerations }
})

const world = useWorld()

interface Row {
  readonly key1: string
  readonly parentKey1?: string
  readonly parentEntity?: string
  readonly data?: Record<string, unknown>
}
interface Result {
  readonly index: number
  readonly outcome: string
  readonly eiRecordId: number
  readonly moved?: true
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
}

beforeAll(async () => {
  await world.call('create_property', { internalName: 'Size', dataType: 'Number' })
  await world.call('create_entity', { internalName: 'Place', properties: [{ property: 'Size' }] })
  await world.call('create_entity', { internalName: 'Region' })
  await world.call('attach_child_entity', { entity: 'Place', childEntity: 'Place', isList: true })
  await world.call('attach_child_entity', { entity: 'Region', childEntity: 'Place', isList: true })
})

// A prefix of its own for each test: keys are unique in the entity.
let test = 0
beforeEach(() => void test++)
const named = (name: string) => `${test}-${name}`

async function save(rows: readonly Row[], more: object = {}): Promise<{ results: readonly Result[]; inserted: number; failed: number }> {
  const drafts = rows.map((row) => ({
    data: {},
    ...row,
    key1: named(row.key1),
    ...(row.parentKey1 === undefined ? {} : { parentKey1: named(row.parentKey1) }),
  }))
  return world.call('save_instances_bulk', { entity: 'Place', rows: drafts, ...more })
}
const parentOf = async (name: string) =>
  (await world.call('get_instance_by_key', { entity: 'Place', key1: named(name) })).parentEIRecordId as number | null

describe('a row that names a parent that an earlier row makes', () => {
  it('stands under it, level below level, and answers at its own index', async () => {
    const { results, inserted } = await save([
      { key1: 'root' },
      { key1: 'hall', parentKey1: 'root' },
      { key1: 'other' },
      { key1: 'desk', parentKey1: 'hall', parentEntity: 'Place' },
      { key1: 'room', parentKey1: 'root' },
    ])
    expect(inserted).toBe(5)
    const [root, hall, other, desk, room] = results
    expect(results.map(({ index, outcome }) => [index, outcome])).toEqual([0, 1, 2, 3, 4].map((index) => [index, 'inserted']))
    expect(await parentOf('root')).toBeNull()
    expect(await parentOf('hall')).toBe(root?.eiRecordId)
    expect(await parentOf('desk')).toBe(hall?.eiRecordId)
    expect(await parentOf('room')).toBe(root?.eiRecordId)
    expect(await parentOf('other')).toBeNull()
    expect(new Set([root, hall, other, desk, room].map((one) => one?.eiRecordId)).size).toBe(5)
  })

  it('fails with it, and so do those below, each at its own path; the others are saved', async () => {
    const { results, inserted, failed } = await save([
      { key1: 'bad', data: { Size: 'wide' } },
      { key1: 'below', parentKey1: 'bad' },
      { key1: 'deeper', parentKey1: 'below' },
      { key1: 'good' },
    ])
    expect([inserted, failed]).toEqual([1, 3])
    expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed', 'inserted'])
    const said = (index: number, earlier: number) => ({
      path: `$.rows[${index}].parentKey1`,
      severity: 'error',
      message: `$.rows[${earlier}], which would make this parent, was not saved. Mend that row, then send both.`,
    })
    expect(results[1]?.errors).toEqual([said(1, 0)])
    expect(results[2]?.errors).toEqual([said(2, 1)])
  })

  it('stands under the record that is there where the earlier row only changes it, even if that fails', async () => {
    const first = await save([{ key1: 'there', data: { Size: 1 } }])
    const { results } = await save([
      { key1: 'there', data: { Size: 'wide' } },
      { key1: 'child', parentKey1: 'there' },
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'inserted'])
    expect(await parentOf('child')).toBe(first.results[0]?.eiRecordId)
  })

  it('moves an existing record below it where the call moves', async () => {
    await save([{ key1: 'old' }, { key1: 'chair', parentKey1: 'old' }])
    const refused = await save([{ key1: 'new' }, { key1: 'chair', parentKey1: 'new' }])
    expect(refused.results.map(({ outcome }) => outcome)).toEqual(['inserted', 'failed'])
    const { results } = await save([{ key1: 'newer' }, { key1: 'chair', parentKey1: 'newer' }], { moveParent: true })
    expect(results[1]).toMatchObject({ outcome: 'updated', moved: true })
    expect(await parentOf('chair')).toBe(results[0]?.eiRecordId)
  })

  it('is asked which parent it means where another entity has the key too', async () => {
    await world.call('save_instance', { entity: 'Region', key1: named('twin'), data: {} })
    const { results } = await save([
      { key1: 'twin' },
      { key1: 'one', parentKey1: 'twin' },
      { key1: 'two', parentKey1: 'twin', parentEntity: 'Place' },
      { key1: 'three', parentKey1: 'twin', parentEntity: 'Region' },
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual(['inserted', 'failed', 'inserted', 'inserted'])
    expect(results[1]?.errors?.[0]?.path).toBe('$.rows[1].parentEntity')
    expect(await parentOf('two')).toBe(results[0]?.eiRecordId)
    expect(await parentOf('three')).not.toBe(results[0]?.eiRecordId)
  })

  it('is told to come later where the row with the parent stands behind it, or is its own', async () => {
    const { results } = await save([{ key1: 'early', parentKey1: 'late' }, { key1: 'late' }, { key1: 'self', parentKey1: 'self' }])
    expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'inserted', 'failed'])
    for (const index of [0, 2])
      expect(results[index]?.errors?.[0]?.message).toMatch(/no parent with the key .* in an earlier row of the call/)
  })

  it('stands at most 100 levels deep in one call; what is deeper goes into the next', async () => {
    const chain = Array.from({ length: 103 }, (_, level) => ({
      key1: `c${level}`,
      ...(level === 0 ? {} : { parentKey1: `c${level - 1}` }),
    }))
    const { results, inserted, failed } = await save(chain)
    expect([inserted, failed]).toEqual([100, 3])
    expect(results[100]?.errors?.[0]?.message).toContain('more than 99 levels below')
    expect(results[101]?.errors?.[0]?.path).toBe('$.rows[101].parentKey1')
    expect((await save(chain)).inserted).toBe(3)
  })

  it('takes no more steps however deep the call goes', async () => {
    const chain = Array.from({ length: 5_000 }, (_, level) => ({
      key1: `d${level}`,
      ...(level === 0 ? {} : { parentKey1: `d${level - 1}` }),
    }))
    steps.length = 0
    const { results, inserted, failed } = await save(chain)
    expect([inserted, failed, steps]).toEqual([100, 4_900, [101]])
    expect(results[4_999]?.errors?.[0]?.message).toContain('more than 99 levels below')
  })

  it('is made once by two calls at once that make the same tree', async () => {
    const tree = [{ key1: 'top' }, { key1: 'mid', parentKey1: 'top' }, { key1: 'leaf', parentKey1: 'mid' }]
    const both = await Promise.all([save(tree), save(tree)])
    const ids = both.map(({ results }) => results.map(({ eiRecordId }) => eiRecordId))
    expect(ids[0]).toEqual(ids[1])
    expect(both.map(({ inserted, failed }) => [inserted, failed]).toSorted((one, other) => Number(one[0]) - Number(other[0]))).toEqual([
      [0, 0],
      [3, 0],
    ])
    expect([await parentOf('mid'), await parentOf('leaf')]).toEqual([ids[0]?.[0], ids[0]?.[1]])
  })

  it('leaves nothing of its call where the connection is killed between two generations', async () => {
    await save([{ key1: 'held' }])
    const { entity } = await world.call('describe_entity', { entity: 'Place' })
    const table = `t_${world.tenant.tenantId}.e_${entity.entityId}`
    const tree = [{ key1: 'first' }, { key1: 'second', parentKey1: 'first' }, { key1: 'held', parentKey1: 'second' }]
    await world.sql.begin(async (sql) => {
      await sql.unsafe(`select 1 from ${table} where key1 = '${named('held')}' for update`)
      const call = save(tree).catch((error: unknown) => error)
      const pid = await vi.waitFor(async () => {
        const [waiting, ...more] = await world.sql<{ pid: number }[]>`
          select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`
        expect([waiting !== undefined, more.length]).toEqual([true, 0])
        return waiting?.pid ?? 0
      }, patience)
      await world.sql`select pg_terminate_backend(${pid})`
      expect(await call).toMatchObject({ code: 'unavailable' })
    })
    const left = await world.call('list_instances', {
      entity: 'Place',
      filterRules: [{ property: 'key1', op: 'startsWith', value: `${test}-` }],
    })
    expect(left.map(({ key1 }: { key1: string }) => key1)).toEqual([named('held')])
    expect((await save(tree)).results.map(({ outcome }) => outcome)).toEqual(['inserted', 'inserted', 'updated'])
  })
})
