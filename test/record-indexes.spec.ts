import fc from 'fast-check'
import postgres from 'postgres'
import { beforeAll, describe, expect, it } from 'vitest'

import { isListing } from '#platform/answer.ts'
import { type IndexedBy, indexName, namedIndex, type RecordIndex, withIndexing } from '#platform/db/record-indexes.ts'
import type { Tx } from '#platform/db/pool.ts'
import { showing } from '#tools/query/document.rules.ts'
import { listDocuments } from '#tools/query/read.store.ts'
import { flushUses, keepIndexes } from '#tools/query/service.ts'
import { type CountedUse, indexFor, planIndexes, type Use } from '#tools/query/uses.rules.ts'

import './support/seed.ts'
import { useWorld } from './support/world.ts'

const use = (parts: Partial<Use>): Use => ({ equals: [], texts: [], ranges: [], contains: [], order: null, ...parts })
const often = (parts: Partial<Use>, costMs = 1_000): CountedUse => ({ use: use(parts), times: 10, costMs })
const day = 86_400_000

describe('which indexes use asks for', () => {
  const table = (indexes: readonly string[] = [], lastUsed: string | null = null) => ({
    rows: 100_000,
    distinct: new Map([
      ['c1', 3],
      ['c2', 500],
      ['c9', 4],
    ]),
    indexes: indexes.map((name) => ({ name, isValid: true, lastUsed })),
  })
  const planned = (uses: readonly CountedUse[], of = table()) =>
    planIndexes(of, uses, () => undefined, Date.now()).build.map(({ index }) => indexName(index))

  it.each<[string, Partial<Use>, string | undefined]>([
    ['a sort', { order: 's7' }, 'o_s7'],
    ['a range', { ranges: ['c4'] }, 'o_c4'],
    ['an equal value below a sort, by the one with the most values', { equals: ['c1', 'c2'], order: 'c4' }, 'o_c2_c4'],
    ['an equal value alone', { equals: ['c1'] }, 'o_c1'],
    ['a whole text', { texts: ['c3'], order: 'c4' }, 'h_c3'],
    ['a text of few values, by the order beside it', { texts: ['c9'], order: 'c4' }, 'o_c4'],
    ['a part of a text', { contains: ['c3'], order: 'c4' }, 't_c3'],
    ['a part of a text among equal values', { contains: ['c3'], equals: ['c2'] }, 'o_c2'],
    ['nothing', {}, undefined],
  ])('%s', (_, asked, name) => {
    const index = indexFor(use(asked), table().distinct)
    expect(index && indexName(index)).toBe(name)
    expect(index).toEqual(name === undefined ? undefined : namedIndex(name))
  })

  it('builds for what cost most, and nothing twice that another serves', () => {
    expect(planned([often({ order: 'c4' }, 200), often({ contains: ['c3'] }, 900)])).toEqual(['t_c3', 'o_c4'])
    expect(planned([often({ equals: ['c2'] }, 900), often({ equals: ['c2'], order: 'c4' }, 200)])).toEqual(['o_c2_c4'])
    expect(planned([often({ equals: ['c2'] })], table(['o_c2_c4']))).toEqual([])
    expect(planned([often({ order: 'c2' })], table(['o_c2_c4']))).toEqual(['o_c2'])
  })

  it('leaves small tables, rare and cheap uses alone, and ends at its budget', () => {
    expect(planned([often({ order: 'c4' })], { ...table(), rows: 4_000 })).toEqual([])
    expect(planned([{ use: use({ order: 'c4' }), times: 2, costMs: 9_000 }])).toEqual([])
    expect(planned([often({ order: 'c4' }, 30)])).toEqual([])
    const many = Array.from({ length: 30 }, (_, index) => often({ order: `c${index + 20}`, contains: [] }))
    expect(planned(many)).toHaveLength(8)
    const texts = Array.from({ length: 5 }, (_, index) => often({ contains: [`c${index + 20}`] }))
    expect(planned(texts)).toHaveLength(2)
  })

  it('drops what nothing used for a fortnight, and what a killed build left', () => {
    const now = Date.now()
    const at = (days: number) => new Date(now - days * day).toISOString()
    const of = (name: string, lastUsed: string | null, isValid = true) => ({ name, lastUsed, isValid })
    const indexes = [of('o_c1', at(20)), of('o_c2', at(2)), of('o_c3', null), of('o_c4', null), of('o_c5', at(1), false)]
    const builtAt = new Map([
      ['o_c3', now - 20 * day],
      ['o_c4', now - 3 * day],
    ])
    const plan = planIndexes({ ...table(), indexes }, [], (name) => builtAt.get(name) ?? now - 90 * day, now)
    expect(plan.drop).toEqual(['o_c1', 'o_c3', 'o_c5'])
  })
})

const world = useWorld()

async function columnsOf(entityId: number): Promise<Record<string, number>> {
  const columns = await world.sql<{ columnId: number; internalName: string }[]>`
    select a.column_id, p.internal_name from platform.entity_property a join platform.property p using (tenant_id, property_id)
    where a.tenant_id = ${world.tenant.tenantId} and a.entity_id = ${entityId}`
  return Object.fromEntries(columns.map(({ internalName, columnId }) => [internalName, columnId]))
}

interface Row {
  readonly key1: string
}

async function keysOf(input: object): Promise<{ keys: string[]; nextCursor: string | undefined }> {
  const found = await world.run('list_instances', input)
  if (!isListing(found)) throw new Error('no listing')
  const rows: Row[] = JSON.parse('text' in found.items ? found.items.text : JSON.stringify(found.items))
  return { keys: rows.map((row) => row.key1), nextCursor: found.nextCursor }
}

async function walk(input: object): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const page = await keysOf({ ...input, ...(cursor === undefined ? {} : { cursor }) })
    keys.push(...page.keys)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return keys
}

const validIndexes = (entityId: number) => world.sql<{ name: string; isValid: boolean }[]>`
  select substring(i.relname from '^e_[0-9]+_([oht]_.*)$') as name, x.indisvalid as "isValid" from pg_index x join pg_class i on i.oid = x.indexrelid
  where x.indrelid = ${`t_${world.tenant.tenantId}.e_${entityId}`}::text::regclass and i.relname ~ '^e_[0-9]+_[oht]_' order by 1`

describe('lists over indexes', () => {
  const states = ['new', 'open', 'done']
  const types = { Size: 'Number', Day: 'DateOnly', State: 'Choice', Name: 'Text', IsNew: 'Boolean' }
  const count = 53
  let indexedId: number

  beforeAll(async () => {
    const propertyOptions = states.map((internalName) => ({ internalName }))
    for (const [internalName, dataType] of Object.entries(types))
      await world.call('create_property', { internalName, dataType, ...(dataType === 'Choice' ? { propertyOptions } : {}) })
    const of = <T>(index: number, values: readonly T[]): T | null => values[index % (values.length + 1)] ?? null
    const rows = Array.from({ length: count }, (_, index) => ({
      key1: `k${index}`,
      data: {
        Size: of(index * 7, [0.1, -3, 1e21]),
        Day: of(index, ['2026-01-01', '2025-12-31', '2026-01-02']),
        State: of(index * 11, states),
        Name: of(index * 13, ['b', 'A', 'a', 'ä', '', 'x'.repeat(300), `${'x'.repeat(300)}y`]),
        IsNew: of(index * 2, [true, false]),
      },
    }))
    for (const internalName of ['Plain', 'Indexed']) {
      const made = await world.call('create_entity', { internalName, properties: Object.keys(types).map((property) => ({ property })) })
      await world.call('save_instances_bulk', { entity: internalName, rows })
      if (internalName === 'Plain') continue
      const columns = await columnsOf(made.entityId)
      const by = (name: string): IndexedBy => (name === 'Name' ? `s${columns[name] ?? 0}` : `c${columns[name] ?? 0}`)
      const indexes: RecordIndex[] = [
        ...Object.keys(types).map((name): RecordIndex => ({ kind: 'ordered', by: [by(name)] })),
        { kind: 'ordered', by: [by('State'), by('Day')] },
        { kind: 'ordered', by: ['modified'] },
        { kind: 'ordered', by: ['key1'] },
        { kind: 'equal', by: [`c${columns['Name'] ?? 0}`] },
        { kind: 'contains', by: [`c${columns['Name'] ?? 0}`] },
      ]
      const place = { tenantId: world.tenant.tenantId, entityId: made.entityId }
      await withIndexing(world.platform.services.databases, async (indexing) => {
        for (const index of indexes) await indexing.build(place, index)
      })
      expect(await validIndexes(made.entityId)).toHaveLength(indexes.length)
      indexedId = made.entityId
    }
    // A process looks again at a table's columns, and with them at its indexes, where one is missing that it looks for.
    await world.call('create_property', { internalName: 'Later', dataType: 'Text' })
    for (const entity of ['Plain', 'Indexed']) {
      await world.call('attach_property', { entity, property: 'Later' })
      await world.call('save_instance', { entity, key1: 'k0', data: { Later: 'x' } })
    }
    // The planner would read so small a table whole. Connections that are open do not hear of it.
    await world.sql.unsafe(`alter role fieldloop_app in database ${world.sql.options.database} set enable_seqscan = off`)
    await world.sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'fieldloop_app' and datname = current_database()`
    // Those that are lost are found by whoever takes them next.
    const lost = await Promise.allSettled(Array.from({ length: 10 }, () => world.call('count_instances', { entity: 'Plain' })))
    expect(lost).toHaveLength(10)
  })

  it('have the same rows in the same order as lists without, whatever is asked and wherever pages end', async () => {
    const sort = fc.uniqueArray(
      fc.record({ property: fc.constantFrom(...Object.keys(types), 'key1'), direction: fc.constantFrom('asc', 'desc') }),
      { selector: ({ property }) => property, minLength: 1, maxLength: 3 },
    )
    const rule = fc.constantFrom(
      { property: 'State', op: 'eq', value: 'open' },
      { property: 'State', op: 'ne', value: 'open' },
      { property: 'Size', op: 'gt', value: 0 },
      { property: 'Name', op: 'eq', value: 'a' },
      { property: 'Name', op: 'gte', value: 'ä' },
      { property: 'Name', op: 'contains', value: 'x' },
      { property: 'Day', op: 'between', value: ['2025-12-31', '2026-01-01'] },
    )
    const filterRules = fc.array(rule, { maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(sort, filterRules, fc.integer({ min: 2, max: 30 }), async (sorted, rules, pageSize) => {
        const asked = { sort: sorted, filterRules: rules, pageSize }
        expect(await walk({ entity: 'Indexed', ...asked })).toEqual(await walk({ entity: 'Plain', ...asked }))
      }),
      { numRuns: 80 },
    )
    expect(await walk({ entity: 'Indexed', sort: [{ property: 'State', direction: 'desc' }], pageSize: 7 })).toHaveLength(count)
    const used = () => world.sql`
      select 1 from pg_stat_user_indexes where relid = ${`t_${world.tenant.tenantId}.e_${indexedId}`}::text::regclass
        and indexrelname ~ '^e_[0-9]+_[oht]_' and idx_scan > 0`
    await expect.poll(async () => (await used()).length).toBeGreaterThan(6)
  })
})

describe('the statement of a list over indexes', () => {
  const option = (optionId: number) => ({ optionId, internalName: `o${optionId}`, parentOptionId: null })
  const property = (columnId: number, dataType: 'Choice' | 'Number') =>
    ({
      columnId,
      propertyId: columnId,
      entityPropertyId: columnId,
      internalName: `P${columnId}`,
      dataType,
      isList: false,
      options: dataType === 'Choice' ? [1, 2, 3].map(option) : [],
    }) as never
  const [size, state] = [property(11, 'Number'), property(12, 'Choice')]
  // What compiling looks at of an entity.
  const entity = { entityId: 1, internalName: 'Thing', properties: [size, state] } as never

  /** Runs a list whose statement goes nowhere, and answers which of its parameters the text names. */
  async function parametersNamed(sort: readonly (readonly ['size' | 'state', 'asc' | 'desc'])[], after?: readonly unknown[]) {
    const present = new Set(['created_by', 'c11', 'c12', 'o_c11', 'o_c12'])
    const statement = showing({ catalog: { tenantId: 1 }, entity, present, sight: undefined })
    const sent: { text: string; parameters: readonly unknown[] }[] = []
    const unsafe = (text: string, parameters: readonly unknown[]) => {
      sent.push({ text, parameters })
      return { execute: async () => [{ items: '[]', fitting: 0, found: 0, position: null }] }
    }
    const keys = sort.map(([name, direction]) => {
      const own = name === 'size' ? size : state
      return { field: { source: statement.source, property: own, dataType: name === 'size' ? 'Number' : 'Choice' }, direction } as never
    })
    const page = { pageSize: 50, offset: 0, cursor: undefined, isNumbered: false, bytes: 4_000_000, countTo: undefined }
    // The store calls nothing else of a transaction.
    await listDocuments({ unsafe } as unknown as Tx, statement, page, { filter: undefined, sort: keys, after })
    const [{ text, parameters } = { text: '', parameters: [] }] = sent
    const named = parameters.map((_, index) => new RegExp(`\\$${index + 1}\\b`).test(text))
    return { named, text }
  }

  it('names every parameter that it sends, since PostgreSQL refuses one that it does not', async () => {
    let ranges = 0
    for (const first of ['size', 'state'] as const)
      for (const direction of ['asc', 'desc'] as const)
        for (const others of [[], [['size', 'asc']], [['state', 'desc']]] as const)
          for (const place of [
            undefined,
            ['1', ...others.map(() => '0'), '7'],
            [null, ...others.map(() => null), '7'],
            ['500', ...others.map(() => '0'), '7'],
          ]) {
            const { named, text } = await parametersNamed([[first, direction], ...others], place)
            expect(named).not.toContain(false)
            if (text.includes('c12 = 1')) ranges++
          }
    expect(ranges).toBeGreaterThan(10)
  })
})

describe('indexes that follow use', () => {
  const total = 60_000
  let entityId: number
  let columns: Record<string, number>

  beforeAll(async () => {
    const options = ['low', 'high'].map((internalName) => ({ internalName }))
    for (const [internalName, dataType] of Object.entries({ Title: 'Text', Due: 'DateOnly', Rank: 'Choice' }))
      await world.call('create_property', { internalName, dataType, ...(dataType === 'Choice' ? { propertyOptions: options } : {}) })
    const made = await world.call('create_entity', {
      internalName: 'Task',
      properties: ['Title', 'Due', 'Rank'].map((property) => ({ property })),
    })
    entityId = made.entityId
    columns = await columnsOf(entityId)
    await world.call('save_instance', { entity: 'Task', key1: 'first', data: { Title: 'first', Due: '2020-01-01', Rank: 'low' } })
    const table = `"t_${world.tenant.tenantId}"."e_${entityId}"`
    await world.sql.unsafe(`
      insert into ${table} (id, key1, row_hash, version, valid_from, created_at, created_change_no, change_no, c${columns['Title']}, c${columns['Due']}, c${columns['Rank']})
      select 800000000 + n, 'k' || n, '', 1, now(), now(), 1, 1, 'Task ' || md5(n::text), case when n % 10 > 0 then date '2020-01-01' + n % 2000 end,
        (select c${columns['Rank']} from ${table} limit 1)
      from generate_series(1, ${total}) n`)
    await world.sql.unsafe(`analyze ${table}`)
  })

  const newest = { entity: 'Task', sort: [{ property: 'Due', direction: 'desc' }], pageSize: 20, includeTotal: true }
  const found = { entity: 'Task', filterRules: [{ property: 'Title', op: 'contains', value: 'c4ca4238' }] }

  it('are made for what was slow several times, without a change of any answer', async () => {
    const before = [await keysOf(newest), await keysOf(found)]
    expect(before.map(({ keys }) => keys.length)).toEqual([20, 1])
    expect(await keepIndexes(world.platform.services)).toMatchObject({ built: [] })
    for (let time = 0; time < 12; time++) for (const asked of [newest, found]) await keysOf(asked)
    await flushUses(world.platform.services)
    const kept = await keepIndexes(world.platform.services)
    expect(kept).toEqual({ built: expect.arrayContaining([`o_c${columns['Due']}`, `t_c${columns['Title']}`]), dropped: [], failed: [] })
    const indexes = await validIndexes(entityId)
    expect(indexes).toEqual(
      expect.arrayContaining([
        { name: `o_c${columns['Due']}`, isValid: true },
        { name: `t_c${columns['Title']}`, isValid: true },
      ]),
    )
    expect([await keysOf(newest), await keysOf(found)]).toEqual(before)
    expect(await keepIndexes(world.platform.services)).toMatchObject({ built: [], dropped: [] })
  })

  const build = (by: IndexedBy): Promise<'built' | 'ended'> =>
    withIndexing(world.platform.services.databases, (indexing) =>
      indexing.build({ tenantId: world.tenant.tenantId, entityId }, { kind: 'ordered', by: [by] }),
    ).then(
      () => 'built',
      () => 'ended',
    )

  /** Holds a snapshot, for which builds wait at their end, until `work` is over. */
  async function whileBuildWaits<T>(begin: () => Promise<T>, work: (building: Promise<T>) => Promise<void>): Promise<void> {
    const holder = postgres(world.urls.owner, { max: 1 })
    const other = postgres(world.urls.owner, { max: 1 })
    try {
      await holder.unsafe('begin isolation level repeatable read')
      await holder.unsafe('select 1 from pg_class limit 1')
      const building = begin()
      const waiting = () => other`
        select 1 from pg_stat_activity
        where application_name = 'fieldloop indexes' and datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(waiting).toHaveLength(1)
      await work(building)
    } finally {
      await holder.unsafe('rollback')
      await Promise.all([holder.end(), other.end()])
    }
  }

  it('hold up no write, give way to a change of schema, and are made whole by the next look', async () => {
    const rank = `o_c${columns['Rank']}`
    const buildRank = () => build(`c${columns['Rank'] ?? 0}`)
    await whileBuildWaits(buildRank, async (building) => {
      expect(await world.call('save_instance', { entity: 'Task', key1: 'during', data: { Title: 'during' } })).toMatchObject({
        outcome: 'inserted',
      })
      await world.call('create_property', { internalName: 'Note', dataType: 'Text' })
      await world.call('attach_property', { entity: 'Task', property: 'Note' })
      expect(await world.call('save_instance', { entity: 'Task', key1: 'during', data: { Note: 'new column' } })).toMatchObject({
        outcome: 'updated',
      })
      expect(await building).toBe('ended')
    })
    expect(await validIndexes(entityId)).toContainEqual({ name: rank, isValid: false })
    expect(await keepIndexes(world.platform.services)).toMatchObject({ dropped: [rank], failed: [] })
    expect((await validIndexes(entityId)).every(({ isValid }) => isValid)).toBe(true)
  })

  it('give way one after the other, however many are begun on a table', async () => {
    const ends: string[] = []
    const buildTwo = async () => {
      for (const by of ['created', 'modified'] as const) ends.push(await build(by))
    }
    await whileBuildWaits(buildTwo, async (building) => {
      await world.call('create_property', { internalName: 'Remark', dataType: 'Text' })
      await world.call('attach_property', { entity: 'Task', property: 'Remark' })
      const row = { entity: 'Task', key1: 'during', data: { Remark: 'new column' } }
      expect(await world.call('save_instance', row)).toMatchObject({ outcome: 'updated' })
      await building
      expect(ends).toEqual(['ended', 'ended'])
    })
    const left = (await keepIndexes(world.platform.services))?.dropped
    expect(left?.toSorted()).toEqual(['o_created', 'o_modified'])
  })

  it('are left to the next look, all of a table, once one gave way', async () => {
    for (const order of ['created', 'modified'])
      await world.sql`
        insert into platform.record_use (tenant_id, entity_id, use, times, cost_ms, last_at)
        values (${world.tenant.tenantId}, ${entityId}, ${JSON.stringify(use({ order } as Partial<Use>))}::text::jsonb, 10, 1000, now())`
    let looked: Promise<unknown> | undefined
    const look = () => (looked = keepIndexes(world.platform.services))
    await whileBuildWaits(look, async () => {
      await world.call('create_property', { internalName: 'Hint', dataType: 'Text' })
      await world.call('attach_property', { entity: 'Task', property: 'Hint' })
      const row = { entity: 'Task', key1: 'during', data: { Hint: 'new column' } }
      expect(await world.call('save_instance', row)).toMatchObject({ outcome: 'updated' })
    })
    const one = expect.stringMatching(/^o_(?:created|modified)$/)
    expect(await looked).toEqual({ built: [], dropped: [], failed: [one] })
    const next = await keepIndexes(world.platform.services)
    expect(next).toEqual({ built: expect.arrayContaining(['o_created', 'o_modified']), dropped: [one], failed: [] })
  })

  it('are not begun again at every look where they cannot be built, nor more than two of a tenant at one', async () => {
    const uses = ['c999999901', 'c999999902', 'c999999903'].map((order) => JSON.stringify(use({ order } as Partial<Use>)))
    for (const asked of uses)
      await world.sql`
        insert into platform.record_use (tenant_id, entity_id, use, times, cost_ms, last_at)
        values (${world.tenant.tenantId}, ${entityId}, ${asked}::text::jsonb, 10, 1000, now())`
    const failed: string[] = []
    for (const count of [2, 1, 0]) {
      const looked = await keepIndexes(world.platform.services)
      expect(looked?.failed).toHaveLength(count)
      failed.push(...(looked?.failed ?? []))
    }
    expect(new Set(failed)).toEqual(new Set(['o_c999999901', 'o_c999999902', 'o_c999999903']))
  })

  it('are kept by one process at a time', async () => {
    await withIndexing(world.platform.services.databases, async () => {
      expect(await keepIndexes(world.platform.services)).toBeUndefined()
    })
  })
})
