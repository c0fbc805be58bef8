import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { isListing } from '#platform/answer.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { showing } from '#tools/query/document.rules.ts'
import { listDocuments } from '#tools/query/read.store.ts'
import type { SortKey } from '#tools/query/tree.types.ts'

import './support/seed.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

interface Row {
  readonly eiRecordId: number
  readonly key1: string
  readonly parentEIRecordId: number | null
  readonly data: Readonly<Record<string, unknown>>
}

async function page(input: object, name = 'list_instances'): Promise<{ rows: Row[]; nextCursor: string | undefined }> {
  const found = await world.run(name, input)
  if (!isListing(found)) throw new Error('no listing')
  return { rows: JSON.parse('text' in found.items ? found.items.text : JSON.stringify(found.items)), nextCursor: found.nextCursor }
}

async function walk(input: object, name?: string): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const at = await page({ ...input, ...(cursor === undefined ? {} : { cursor }) }, name)
    expect(at.rows.length).toBeGreaterThan(0)
    rows.push(...at.rows)
    cursor = at.nextCursor
  } while (cursor !== undefined)
  return rows
}

describe('paging in any order', () => {
  const states = ['new', 'open', 'done']
  const own = ['Size', 'Cost', 'Day', 'At', 'IsNew', 'State', 'Name', 'key1', 'key2', 'eiRecordId', 'modifiedDate', 'createdBy']
  // A crate stands below a dock, which may stand below a harbour, or below a harbour itself.
  const above = ['Size', 'Cost', 'Day', 'At', 'IsNew', 'State', 'Name', 'key2', 'eiRecordId', 'entityId', 'modifiedDate', 'createdBy']
  const fields = [
    ...own.map((property) => ({ property })),
    ...above.flatMap((property) => ['Dock', 'Harbour'].map((entity) => ({ entity, property }))),
  ]
  const count = 61
  /** Docks and harbours by their ids. */
  const parents = new Map<number, Row & { readonly entity: string }>()

  beforeAll(async () => {
    const propertyOptions = states.map((internalName) => ({ internalName }))
    const types = { Size: 'Number', Cost: 'Currency', Day: 'DateOnly', At: 'DateTime', IsNew: 'Boolean', State: 'Choice', Name: 'Text' }
    for (const [internalName, dataType] of Object.entries(types))
      await world.call('create_property', { internalName, dataType, ...(dataType === 'Choice' ? { propertyOptions } : {}) })
    for (const internalName of ['Harbour', 'Dock', 'Crate'])
      await world.call('create_entity', { internalName, properties: Object.keys(types).map((property) => ({ property })) })
    for (const [entity, childEntity] of [
      ['Harbour', 'Dock'],
      ['Dock', 'Crate'],
      ['Harbour', 'Crate'],
    ])
      await world.call('attach_child_entity', { entity, childEntity, isList: true })
    // Few values, so that ties and empty ones are everywhere.
    const of = <T>(index: number, values: readonly T[]): T | null => values[index % (values.length + 1)] ?? null
    const rowOf = (index: number, under?: readonly number[]) => ({
      key1: `k${index}`,
      key2: index % 3 === 0 ? '' : `part ${index % 4}`,
      ...(under === undefined ? {} : { parentEIRecordId: of(index * 3 + (index >> 3), under) ?? undefined }),
      data: {
        Size: of(index * 7, [0.1, -3, 1e21]),
        Cost: of(index * 3, [12.5, 0]),
        Day: of(index, ['2026-01-01', '2025-12-31', '2026-01-02']),
        At: of(index * 5, ['2026-01-01T00:00:00.123Z', '2026-01-01T00:00:00Z']),
        IsNew: of(index * 2, [true, false]),
        State: of(index * 11, states),
        Name: of(index * 13, ['b', 'A', 'a', 'ä', '', 'x'.repeat(300), `${'x'.repeat(300)}y`]),
      },
    })
    const idsOf = async (entity: string, rows: readonly object[]) => {
      const { results } = await world.call('save_instances_bulk', { entity, rows })
      return results.map((row: { eiRecordId: number }) => row.eiRecordId) as number[]
    }
    const harbours = await idsOf(
      'Harbour',
      Array.from({ length: 4 }, (_, index) => rowOf(index)),
    )
    const docks = await idsOf(
      'Dock',
      Array.from({ length: 9 }, (_, index) => rowOf(index, harbours)),
    )
    for (const entity of ['Harbour', 'Dock'])
      for (const row of (await page({ entity, pageSize: 100 })).rows) parents.set(row.eiRecordId, { ...row, entity })
    expect(parents.size).toBe(13)
    const rows = Array.from({ length: count }, (_, index) => rowOf(index, [...docks, ...harbours]))
    // In several transactions, so that dates differ too.
    for (let from = 0; from < count; from += 20)
      await world.call('save_instances_bulk', { entity: 'Crate', rows: rows.slice(from, from + 20) })
  })

  const sortOf = fc.uniqueArray(
    fc
      .record({ field: fc.constantFrom<{ entity?: string; property: string }[]>(...fields), direction: fc.constantFrom('asc', 'desc') })
      .map(({ field, direction }) => ({ ...field, direction })),
    { selector: ({ entity, property }) => `${entity}.${property}`, maxLength: 3 },
  )

  it.each(['list_instances', 'list_instances_as_of'])('of %s gives every row once, in the order of the whole list', async (name) => {
    const asked = { entity: 'Crate', ...(name === 'list_instances' ? {} : { asOfDate: '2999-01-01T00:00:00Z' }) }
    await fc.assert(
      fc.asyncProperty(sortOf, fc.integer({ min: 3, max: 40 }), async (sort, pageSize) => {
        const whole = await page({ ...asked, sort, pageSize: 1000 }, name)
        expect(new Set(whole.rows.map((row) => row.key1)).size).toBe(count)
        const walked = await walk({ ...asked, sort, pageSize }, name)
        expect(walked.map((row) => row.key1)).toEqual(whole.rows.map((row) => row.key1))
      }),
      { numRuns: 25 },
    )
  })

  it('puts values in their order, empty ones last in both directions, and equal ones by their ids', async () => {
    const aboveOf = (row: Row, entity: string): Row | undefined => {
      const parent = row.parentEIRecordId === null ? undefined : parents.get(row.parentEIRecordId)
      return parent === undefined || parent.entity === entity ? parent : aboveOf(parent, entity)
    }
    const valueOf = (own: Row, { entity, property }: { entity?: string; property: string }): number | null => {
      const row = entity === undefined ? own : aboveOf(own, entity)
      if (property === 'eiRecordId') return row?.eiRecordId ?? null
      const value = row?.data[property] ?? null
      if (typeof value !== 'string') return value === null ? null : Number(value)
      return property === 'State' ? states.indexOf(value) : Date.parse(value)
    }
    const compare = (sort: readonly { entity?: string; property: string; direction: string }[]) => (one: Row, other: Row) => {
      for (const { direction, ...field } of sort) {
        const [a, b] = [valueOf(one, field), valueOf(other, field)]
        if (a === b) continue
        if (a === null || b === null) return a === null ? 1 : -1
        return (a - b) * (direction === 'asc' ? 1 : -1)
      }
      return one.eiRecordId - other.eiRecordId
    }
    const known = ['Size', 'Cost', 'Day', 'At', 'IsNew', 'State', 'eiRecordId']
    const plain = sortOf.filter((sort) => sort.every(({ property }) => known.includes(property)))
    await fc.assert(
      fc.asyncProperty(plain, async (sort) => {
        const walked = await walk({ entity: 'Crate', sort, pageSize: 17 })
        expect(walked).toHaveLength(count)
        expect(walked.map((row) => row.key1)).toEqual(walked.toSorted(compare(sort)).map((row) => row.key1))
      }),
      { numRuns: 25 },
    )
  })

  it('compares texts in the order that it sorts them in', async () => {
    const sort = [{ property: 'Name', direction: 'asc' }]
    const named = await walk({ entity: 'Crate', sort, pageSize: 40, filterRules: [{ property: 'Name', op: 'isNotEmpty' }] })
    const names = named.map((row) => row.data.Name)
    expect(new Set(names)).toEqual(new Set(['a', 'A', 'ä', 'b', 'x'.repeat(300), `${'x'.repeat(300)}y`]))
    const keysOf = (rows: readonly Row[]) => rows.map((row) => row.key1)
    const matching = async (op: string, value: unknown) =>
      keysOf((await page({ entity: 'Crate', sort, pageSize: 1000, filterRules: [{ property: 'Name', op, value }] })).rows)
    for (const value of ['a', 'A', 'ä', 'b']) {
      const [first, last] = [names.indexOf(value), names.lastIndexOf(value)]
      expect(await matching('lt', value), `lt ${value}`).toEqual(keysOf(named.slice(0, first)))
      expect(await matching('lte', value), `lte ${value}`).toEqual(keysOf(named.slice(0, last + 1)))
      expect(await matching('gt', value), `gt ${value}`).toEqual(keysOf(named.slice(last + 1)))
      expect(await matching('gte', value), `gte ${value}`).toEqual(keysOf(named.slice(first)))
    }
    expect(await matching('between', ['A', 'b'])).toEqual(keysOf(named.slice(names.indexOf('A'), names.lastIndexOf('b') + 1)))
  })
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

function scansOf(plan: Plan): Plan[] {
  const own = plan['Node Type'].endsWith(' Scan') && /^(?:Index|Bitmap|Seq)/.test(plan['Node Type']) ? [plan] : []
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)]
}

describe('a page behind a cursor', () => {
  let due: CatalogProperty
  let rank: CatalogProperty
  let entity: CatalogEntity
  const total = 20_000

  beforeAll(async () => {
    for (const [internalName, dataType] of Object.entries({ Due: 'DateOnly', Rank: 'Number' }))
      await world.call('create_property', { internalName, dataType })
    const { entityId } = await world.call('create_entity', {
      internalName: 'Order',
      properties: [{ property: 'Due' }, { property: 'Rank' }],
    })
    await world.call('save_instance', { entity: 'Order', key1: 'first', data: { Due: '2026-01-01', Rank: 1 } })
    const columns = await world.sql<{ columnId: number; internalName: string }[]>`
      select a.column_id, p.internal_name from platform.entity_property a join platform.property p using (tenant_id, property_id)
      where a.tenant_id = ${world.tenant.tenantId} and a.entity_id = ${entityId}`
    const propertyOf = (name: string, dataType: 'DateOnly' | 'Number') => {
      const columnId = columns.find(({ internalName }) => internalName === name)?.columnId ?? 0
      // What compiling looks at of a property.
      return {
        columnId,
        propertyId: columnId,
        entityPropertyId: columnId,
        internalName: name,
        dataType,
        isList: false,
        options: [],
      } as never
    }
    due = propertyOf('Due', 'DateOnly')
    rank = propertyOf('Rank', 'Number')
    // What compiling looks at of an entity.
    entity = { entityId, internalName: 'Order', properties: [due, rank] } as never
    const table = `"t_${world.tenant.tenantId}"."e_${entityId}"`
    await world.sql.unsafe(`
      insert into ${table} (id, row_hash, version, valid_from, created_at, created_change_no, change_no, c${due.columnId}, c${rank.columnId})
      select 900000000 + n, '', 1, now(), now(), 1, 1, case when n % 10 > 0 then date '2020-01-01' + n / 20 end, n % 7
      from generate_series(1, ${total}) n`)
    await world.sql.unsafe(`create index order_due on ${table} (c${due.columnId}, id)`)
    await world.sql.unsafe(`vacuum analyze ${table}`)
  })

  /** The scans of the statement that a list runs. */
  async function scansBehind(
    sort: readonly { property: CatalogProperty; direction: SortKey['direction'] }[],
    position: readonly unknown[],
  ): Promise<Plan[]> {
    const present = new Set(['created_by', `c${due.columnId}`, `c${rank.columnId}`])
    const statement = showing({ catalog: { tenantId: world.tenant.tenantId }, entity, present, sight: undefined })
    const sent: { text: string; parameters: readonly unknown[] }[] = []
    const unsafe = (text: string, parameters: readonly unknown[]) => {
      sent.push({ text, parameters })
      return { execute: async () => [{ items: '[]', fitting: 0, found: 0, position: null }] }
    }
    // The store calls nothing else of a transaction.
    const tx = { unsafe } as unknown as Tx
    const keys = sort.map(({ property, direction }) => ({
      field: { source: statement.source, property, dataType: property.dataType },
      direction,
    }))
    const size = { pageSize: 50, offset: 0, cursor: 'c', isNumbered: false, bytes: 4_000_000, countTo: undefined }
    await listDocuments(tx, statement, size, { filter: undefined, sort: keys, after: position })
    const [{ text, parameters } = { text: '', parameters: [] }] = sent
    const [row] = await world.sql.unsafe(`explain (analyze, format json) ${text}`, [...parameters] as never[])
    const [{ Plan: plan }] = row?.['QUERY PLAN'] ?? row?.['queryPlan'] ?? []
    return scansOf(plan)
  }

  const looked = (scans: readonly Plan[]) =>
    scans.reduce((sum, scan) => sum + (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)) * scan['Actual Loops'], 0)

  it.each(['asc', 'desc'] as const)('begins inside the index, %s, and looks at no more than the page', async (direction) => {
    const scans = await scansBehind([{ property: due, direction }], ['2021-05-05', '900009795'])
    const used = scans.filter((scan) => scan['Actual Loops'] > 0 && scan['Index Name'] !== undefined)
    expect(used.map((scan) => scan['Index Name'])).toContain('order_due')
    expect(used.find((scan) => scan['Index Name'] === 'order_due')?.['Index Cond']).toMatch(/>=|<=/)
    expect(scans.filter((scan) => scan['Node Type'] === 'Seq Scan' && scan['Actual Loops'] > 0)).toEqual([])
    expect(looked(scans)).toBeLessThan(total / 40)
  })

  it('does so in two terms, and behind the last value among the empty ones', async () => {
    const both = [
      { property: due, direction: 'desc' as const },
      { property: rank, direction: 'asc' as const },
    ]
    const inside = await scansBehind(both, ['2021-05-05', '3', '900009795'])
    expect(looked(inside)).toBeGreaterThan(50)
    expect(looked(inside)).toBeLessThan(total / 20)
    const empty = await scansBehind([{ property: due, direction: 'asc' }], [null, '900009800'])
    expect(looked(empty)).toBeGreaterThan(50)
    expect(looked(empty)).toBeLessThan(total / 20)
    const tail = await scansBehind([{ property: due, direction: 'desc' }], ['2020-01-01', '900000019'])
    expect(looked(tail)).toBeLessThan(total / 20)
    expect(looked(tail)).toBeGreaterThan(50)
  })
})
