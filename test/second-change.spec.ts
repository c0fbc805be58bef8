/** One record changed several times in one transaction: what is kept of it, and what is told. */
import { beforeAll, describe, expect, it, vi } from 'vitest'

import type { TxContext } from '#platform/operation.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { RecordChange } from '#tools/events/events.types.ts'
import type * as Links from '#tools/events/identity-links.ts'
import { saveRows } from '#tools/instances/save/save-rows.ts'
import { readWish } from '#tools/instances/save/understand-rows.ts'
import type { SaveRowInput } from '#tools/instances/save/understand-row.rules.ts'
import { writeFrame } from '#tools/instances/save/write-frame.ts'
import { entityInPath } from '#tools/query/service.ts'

import { useWorld } from './support/world.ts'

const told = vi.hoisted(() => [] as (readonly RecordChange[])[])

// Hears what a listener of the product hears.
vi.mock('#tools/events/identity-links.ts', async (original) => {
  const { identityLinks } = await original<typeof Links>()
  const hear: typeof identityLinks.hear = (context, of, changes) => {
    told.push(changes)
    return identityLinks.hear(context, of, changes)
  }
  return { identityLinks: { ...identityLinks, compares: () => true, hear } }
})

const world = useWorld()
const long = (letter: string) => letter.repeat(1_500)

beforeAll(async () => {
  for (const internalName of ['Text', 'Note', 'Words']) await world.call('create_property', { internalName, dataType: 'Text' })
  await world.call('create_entity', { internalName: 'Rack', properties: [{ property: 'Note' }] })
  await world.call('create_entity', {
    internalName: 'Card',
    properties: [{ property: 'Text' }, { property: 'Note' }, { property: 'Words', isList: true }],
  })
  await world.call('attach_child_entity', { entity: 'Rack', childEntity: 'Card', isList: true })
  for (const key1 of ['left', 'right', 'far']) await world.call('save_instance', { entity: 'Rack', key1, data: {} })
})

/** Saves the rows one after the other in one transaction: of the record with this id, else by their keys. */
async function together(rows: readonly SaveRowInput[], targetId?: number): Promise<number> {
  return inTransaction(async (context) => saveEach(context, rows, targetId))
}

function inTransaction<T>(work: (context: TxContext) => Promise<T>): Promise<T> {
  const { tenantId, tenantUserId } = world.tenant
  return inSystemTransaction(world.platform.services, tenantId, work, { tenantUserId, origin: { kind: 'call', depth: 0 } })
}

async function saveEach(context: TxContext, rows: readonly SaveRowInput[], targetId?: number): Promise<number> {
  let id = 0
  for (const row of rows) {
    const frame = await writeFrame(context, (catalog) => entityInPath(catalog, 'Card'))
    const [outcome] = await saveRows(context, frame, [await readWish(frame.entity, row, targetId)], { movesParents: true })
    if (outcome?.outcome === 'failed') throw new Error(outcome.errors[0]?.message)
    id = outcome?.eiRecordId ?? 0
  }
  return id
}

interface Version {
  readonly version: number
  readonly changeKind: string
  readonly changes: readonly { readonly property: string; readonly from: unknown; readonly to: unknown }[]
  readonly data: Record<string, unknown>
}

const historyOf = (id: number): Promise<Version[]> =>
  world.call('get_instance_history', { entity: 'Card', record: String(id) }) as Promise<Version[]>
const cardOf = (id: number) => world.call('get_instance', { entity: 'Card', record: String(id) })

const begin = { Text: long('a'), Note: 'begun', Words: ['one', 'two'] }
let count = 0
const begun = async () => {
  const { eiRecordId } = await world.call('save_instance', { entity: 'Card', key1: `C-${++count}`, parentKey1: 'left', data: begin })
  return eiRecordId as number
}

describe('a second change in one transaction', () => {
  it.each<[string, SaveRowInput, SaveRowInput, Record<string, unknown>]>([
    [
      'a long text that the first one left',
      { data: { Note: 'x' } },
      { data: { Text: long('b') } },
      { Text: long('b'), Note: 'x', Words: ['one', 'two'] },
    ],
    ['a long text twice', { data: { Text: long('b') } }, { data: { Text: long('c') } }, { ...begin, Text: long('c') }],
    ['a long text to nothing', { data: { Note: 'x' } }, { data: { Text: null } }, { ...begin, Text: null, Note: 'x' }],
    ['lists', { data: { Words: ['three'] } }, { data: { Words: ['four', 'five'] } }, { ...begin, Words: ['four', 'five'] }],
    ['a value back to what it was', { data: { Note: 'x' } }, { data: { Note: 'begun' } }, begin],
  ])('of %s makes one version and one row of history, which shows the record as it was before', async (_what, first, second, now) => {
    const id = await begun()
    await together([first, second], id)
    const history = await historyOf(id)
    expect(history.map(({ version, changeKind }) => [version, changeKind])).toEqual([
      [1, 'added'],
      [2, 'modified'],
    ])
    expect(history[0]?.data).toEqual(begin)
    expect(history[1]?.data).toEqual(now)
    expect((await cardOf(id)).data).toEqual(now)
  })

  it('of keys and parents tells where they ended, and frees the keys between', async () => {
    const id = await begun()
    await together(
      [
        { key1: 'between', parentKey1: 'right', data: {} },
        { key1: 'after', parentKey1: 'far', data: {} },
      ],
      id,
    )
    const [, last, ...more] = await historyOf(id)
    const far = await world.call('get_instance', { entity: 'Rack', record: 'far' })
    expect(more).toEqual([])
    expect(last?.changes).toEqual([
      { property: 'key1', from: `C-${count}`, to: 'after' },
      { property: 'parentEIRecordId', from: expect.any(Number), to: far.eiRecordId },
    ])
    expect((await world.call('save_instance', { entity: 'Card', key1: 'between', data: {} })).outcome).toBe('inserted')
  })

  it('of a record that it made itself leaves version 1 and no history', async () => {
    const id = await together([
      { key1: 'new', data: { Note: 'a', Text: long('a') } },
      { key1: 'new', data: { Text: long('b') } },
    ])
    const history = await historyOf(id)
    expect(history).toHaveLength(1)
    expect(history[0]).toMatchObject({ version: 1, changeKind: 'added', data: { Note: 'a', Text: long('b') } })
  })

  it('keeps every version before it whole, however many left their long text to the next', async () => {
    const id = await begun()
    for (const Note of ['second', 'third']) await world.call('upsert_instance', { entity: 'Card', record: String(id), data: { Note } })
    await together([{ data: { Note: 'x' } }, { data: { Text: long('b') } }, { data: { Text: long('c'), Note: 'y' } }], id)
    const history = await historyOf(id)
    expect(history.map(({ data }) => [data['Note'], data['Text']])).toEqual([
      ['begun', long('a')],
      ['second', long('a')],
      ['third', long('a')],
      ['y', long('c')],
    ])
  })

  it('compares with what the transaction has made of the record so far', async () => {
    const id = await begun()
    const { rowHash } = await cardOf(id)
    const stale = together([{ data: { Note: 'x' } }, { data: { Note: 'y' }, expectedRowHash: rowHash }], id)
    await expect(stale).rejects.toThrow('changed since it was read')
    // All or nothing.
    expect((await cardOf(id)).data).toEqual(begin)
  })
})

it('each change is told by itself, from what the one before it left', async () => {
  const { eiRecordId } = await world.call('save_instance', { entity: 'Card', key1: 'T-1', data: { Note: 'a' } })
  told.length = 0
  await together([{ data: { Note: 'b' } }, { data: { Note: 'c' } }], eiRecordId)
  const textOf = (values: RecordChange['before']) => values && [...values.values()].filter((value) => typeof value === 'string').join()
  expect(told.flat().map(({ kind, version, before, after }) => [kind, version, textOf(before), textOf(after)])).toEqual([
    ['modified', 2, 'a', 'b'],
    ['modified', 2, 'b', 'c'],
  ])
})
