import { beforeAll, describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld({ REPORT_SECONDS: '5' })
const { refusal } = world

const input = (more: Record<string, unknown>) => ({ entity: 'Order', ...more })
const aggregate = (more: Record<string, unknown>) => world.call('aggregate_instances', input(more))
const dataOf = ({ rows }: { rows: { data: Record<string, unknown> }[] }) => rows.map((row) => row.data)

beforeAll(async () => {
  const { call } = world
  await call('create_property', { internalName: 'Title', dataType: 'Text' })
  await call('create_property', {
    internalName: 'Status',
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'closed' }, { internalName: 'archived' }],
  })
  await call('create_property', { internalName: 'Cost', dataType: 'Number' })
  await call('create_property', { internalName: 'Price', dataType: 'Currency' })
  await call('create_property', { internalName: 'DueAt', dataType: 'DateTime' })
  await call('create_property', { internalName: 'Day', dataType: 'DateOnly' })
  await call('create_property', { internalName: 'Secret', dataType: 'Number' })
  const names = ['Title', 'Status', 'Cost', 'Price', 'DueAt', 'Day', 'Secret']
  await call('create_entity', { internalName: 'Order', properties: names.map((property) => ({ property })) })
  await call('create_entity', { internalName: 'Nothing', properties: [{ property: 'Cost' }] })
  const rows = [
    { Title: 'b', Status: 'open', Cost: 0.1, Price: 1.5, DueAt: '2026-03-31T22:30:00Z', Day: '2026-01-01', Secret: 1 },
    { Title: 'a', Status: 'open', Cost: 0.2, Price: 2.25, DueAt: '2026-04-01T10:00:00Z', Day: '2025-12-29', Secret: 2 },
    { Title: 'Z', Status: 'closed', Cost: 10, DueAt: '2026-03-02T00:00:00Z', Day: '2026-03-01', Secret: 4 },
    { Title: 'b', Status: 'closed', Cost: 10, Price: 0.5, Secret: 8 },
    { Cost: 7, Secret: 16 },
  ]
  await call('save_instances_bulk', { entity: 'Order', rows: rows.map((data, index) => ({ key1: `O${index}`, data })) })
})

describe('aggregates of records', () => {
  it('answers one row of all of them, numbers exact, with alias and by Entity_Property', async () => {
    const answer = await aggregate({
      aggregates: [
        { fn: 'COUNT' },
        { fn: 'SUM', property: 'Cost', alias: 'cost' },
        { fn: 'AVG', property: 'Cost' },
        { fn: 'MIN', property: 'Title' },
        { fn: 'MAX', property: 'Title', alias: 'last' },
        { fn: 'COUNT', property: 'Price' },
        { fn: 'COUNT', property: 'Title', distinct: true, alias: 'titles' },
        { fn: 'SUM', property: 'Cost', filter: [{ property: 'Status', op: 'eq', value: 'open' }], alias: 'openCost' },
        { fn: 'MAX', property: 'DueAt' },
      ],
    })
    const data = {
      Order_COUNT: 5,
      cost: 27.3,
      Order_Cost: 5.46,
      Order_Title: 'a',
      last: 'Z',
      Order_Price: 3,
      titles: 3,
      openCost: 0.3,
      Order_DueAt: '2026-04-01T10:00:00.000Z',
    }
    expect(answer).toEqual({ rows: [{ combinedPivotJson: expect.any(String), data }], totalCount: 1 })
    expect(JSON.parse(answer.rows[0].combinedPivotJson)).toMatchObject({ Order_COUNT: 5, Order_Cost: 27.3, Order_Cost_AVG: 5.46 })
  })

  it('adds numbers up exactly, whatever their size and places', async () => {
    await world.call('create_entity', { internalName: 'Exact', properties: [{ property: 'Cost' }] })
    const costs = [1e21, 0.1, 0.2, 12_345.678912, 0.00001, 99_999.9999, -1e21, 0.1]
    await world.call('save_instances_bulk', { entity: 'Exact', rows: costs.map((Cost) => ({ data: { Cost } })) })
    const sum = { fn: 'SUM', property: 'Cost' }
    const { rows } = await world.call('aggregate_instances', {
      entity: 'Exact',
      aggregates: [
        { ...sum, alias: 'all' },
        { ...sum, distinct: true, alias: 'different' },
        {
          ...sum,
          filter: [
            { property: 'Cost', op: 'lt', value: 1 },
            { property: 'Cost', op: 'gt', value: 0 },
          ],
          alias: 'small',
        },
        { fn: 'AVG', property: 'Cost', filter: [{ property: 'Cost', op: 'lt', value: 0 }], alias: 'average' },
      ],
    })
    expect(rows[0].data).toEqual({ all: 112_346.078822, different: 112_345.978822, small: 0.40001, average: -1e21 })
  })

  it('groups, puts options in their own order, and empty values into a group that comes last in both directions', async () => {
    const by = (direction: string) =>
      aggregate({ groupBy: [{ property: 'Status' }], aggregates: [{ fn: 'COUNT', alias: 'n' }], sort: [{ property: 'Status', direction }] })
    const [asc, desc] = [await by('asc'), await by('desc')]
    expect(dataOf(asc)).toEqual([
      { Order_Status: 'open', n: 2 },
      { Order_Status: 'closed', n: 2 },
      { Order_Status: null, n: 1 },
    ])
    expect(dataOf(desc).map((row) => row['Order_Status'])).toEqual(['closed', 'open', null])
    expect(asc.totalCount).toBe(3)
  })

  it('filters groups by their aliases, sorts by them, and pages with the count of all', async () => {
    const answer = await aggregate({
      groupBy: [{ property: 'Status' }],
      aggregates: [{ fn: 'SUM', property: 'Cost', alias: 'cost' }],
      having: { logic: 'AND', rules: [{ property: 'cost', op: 'gt', value: 0.25 }] },
      sort: [{ property: 'cost', direction: 'desc' }],
      page: 2,
      pageSize: 2,
    })
    expect(dataOf(answer)).toEqual([{ Order_Status: 'open', cost: 0.3 }])
    expect(answer.totalCount).toBe(3)
    const byOption = await aggregate({
      groupBy: [{ property: 'Status', alias: 'state' }],
      aggregates: [{ fn: 'COUNT' }],
      having: [{ property: 'state', op: 'ne', value: 'open' }],
    })
    expect(dataOf(byOption).map((row) => row['state'])).toEqual(['closed', null])
  })

  it('counts nothing as nothing: SUM null, COUNT 0, no groups, also where nobody has written yet', async () => {
    const aggregates = [
      { fn: 'COUNT', alias: 'n' },
      { fn: 'SUM', property: 'Cost', alias: 'sum' },
    ]
    const none = { filterRules: [{ property: 'Cost', op: 'gt', value: 1000 }], aggregates }
    expect(dataOf(await aggregate(none))).toEqual([{ n: 0, sum: null }])
    expect(dataOf(await aggregate({ ...none, groupBy: [{ property: 'Status' }] }))).toEqual([])
    expect(dataOf(await world.call('aggregate_instances', { entity: 'Nothing', aggregates }))).toEqual([{ n: 0, sum: null }])
  })

  it('takes parts of dates in the zone of the caller', async () => {
    const { tenantUserId } = await world.call('whoami', {})
    const parts = async (property: string, datePart: string) =>
      dataOf(await aggregate({ groupBy: [{ property, datePart, alias: 'part' }], aggregates: [{ fn: 'COUNT', alias: 'n' }] })).map(
        (row) => row['part'],
      )
    expect(await parts('DueAt', 'month')).toEqual(['2026-03', '2026-04', null])
    await world.call('set_user_timezone', { tenantUserId, timezone: 'Europe/Madrid' })
    expect(await parts('DueAt', 'month')).toEqual(['2026-03', '2026-04', null])
    expect(await parts('DueAt', 'day')).toEqual(['2026-03-02', '2026-04-01', null])
    expect(await parts('DueAt', 'hourOfDay')).toEqual([0, 1, 12, null])
    expect(await parts('Day', 'week')).toEqual(['2026-W01', '2026-W09', null])
    expect(await parts('Day', 'quarter')).toEqual(['2025-Q4', '2026-Q1', null])
    expect(await parts('Day', 'year')).toEqual(['2025', '2026', null])
    expect(await parts('Day', 'dayOfWeek')).toEqual([1, 4, 7, null])
    expect(await parts('Day', 'monthOfYear')).toEqual([1, 3, 12, null])
    await world.call('set_user_timezone', { tenantUserId, timezone: 'UTC' })
  })

  it('tells each mistake with its place and the nearest right name', async () => {
    const error = await refusal(
      'aggregate_instances',
      input({
        filterRules: [{ property: 'Costt', op: 'gt', value: 1 }],
        groupBy: [{ property: 'Title', datePart: 'month' }],
        aggregates: [{ fn: 'SUM', property: 'Title' }, { fn: 'SUM' }, { fn: 'COUNT', alias: 'n' }, { fn: 'COUNT', alias: 'N' }],
        having: [{ property: 'nn', op: 'gt', value: 1 }],
        sort: [{ property: 'Cost' }],
      }),
    )
    expect(error.status).toBe(400)
    expect(error.issues?.map((one) => one.path).sort()).toEqual([
      '$.aggregates[0].fn',
      '$.aggregates[1].property',
      '$.aggregates[3].alias',
      '$.filterRules[0].property',
      '$.groupBy[0].datePart',
      '$.having[0].property',
      '$.sort[0].property',
    ])
    const found = new Map(error.issues?.map((one) => [one.path, one.suggestion]))
    expect(found.get('$.filterRules[0].property')).toBe('Cost')
    expect(found.get('$.having[0].property')).toBe('n')
    expect((await refusal('aggregate_instances', { entity: 'Ordr', aggregates: [{ fn: 'COUNT' }] })).status).toBe(404)
  })

  it('refuses what is withheld everywhere, and takes what only some rules hide as empty there', async () => {
    const key = await world.tenant.keyWith(['DataView'])
    const { tenantUserId } = await world.call('whoami', {}, { key })
    const openOnly = [{ property: 'Status', op: 'eq', value: 'open' }]
    const rules = (hidden: readonly string[]) => [
      { tenantUserId, read: true, filter: openOnly, hidden },
      { tenantUserId, read: true, hidden: ['Secret', 'Cost'] },
    ]
    const sums = (property: string) => [
      { fn: 'SUM', property, alias: 'sum' },
      { fn: 'COUNT', alias: 'n' },
    ]
    await world.call('set_entity_access', { entity: 'Order', rules: rules(['Cost']) })
    expect(dataOf(await world.call('aggregate_instances', input({ aggregates: sums('Secret') }), { key }))).toEqual([{ sum: 3, n: 5 }])
    const refused = await refusal('aggregate_instances', input({ aggregates: sums('Cost') }), key)
    expect([refused.status, refused.issues?.[0]?.path]).toEqual([400, '$.aggregates[0].property'])
    await world.call('set_entity_access', { entity: 'Order', rules: [{ tenantUserId, read: true, filter: openOnly }] })
    expect(dataOf(await world.call('aggregate_instances', input({ aggregates: sums('Cost') }), { key }))).toEqual([{ sum: 0.3, n: 2 }])
    await world.call('set_entity_access', { entity: 'Order', rules: [] })
  })

  it('is ended by its limit of time with 503, and says how to narrow it', async () => {
    const [row] =
      await world.sql`select entity_id from platform.entity where tenant_id = ${world.tenant.tenantId} and internal_name = 'Order'`
    const [locked, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held = world.sql.begin(async (sql) => {
      await sql.unsafe(`lock table "t_${world.tenant.tenantId}"."e_${row?.['entityId']}" in access exclusive mode`)
      locked.resolve()
      await done.promise
    })
    await locked.promise
    const began = performance.now()
    const error = await refusal('aggregate_instances', input({ aggregates: [{ fn: 'COUNT' }] }))
    done.resolve()
    await held
    expect([error.status, error.code]).toEqual([503, 'timeout'])
    // Once, although the access rules changed just before.
    expect(performance.now() - began).toBeLessThan(9_900)
    expect(error.message).toContain('Narrow it')
  })
})
