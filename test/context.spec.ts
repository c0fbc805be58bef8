/** Contexts: what they name, what their bundles hold, and what texts make of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { linkTable } from '#platform/db/records.ts'
import type { Platform } from '#platform/platform.ts'

import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'

let opened: PipelineWorld
let counting: Platform
let statements = 0

const call = (name: string, input: unknown = {}) => opened.world.call(name, input)

async function refusal(name: string, input: unknown): Promise<AppError> {
  const error: unknown = await opened.world.run(name, input).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`${name} was not refused: ${String(error)}`)
  return error
}

const ids: Record<string, number> = {}
async function save(entity: string, key1: string, data: object, parent?: { parentEntity: string; parentKey1: string }): Promise<void> {
  ids[key1] = (await call('save_instance', { entity, key1, data, ...parent })).eiRecordId
}

const orderContext = {
  internalName: 'OrderForCustomer',
  displays: [{ languageCode: 'en-US', name: 'An order for its customer' }],
  entity: 'Order',
  includes: [
    { name: 'site', via: 'parent', properties: ['Name'] },
    {
      name: 'visits',
      via: { child: 'Visit' },
      sort: [{ property: 'Day', direction: 'desc' }],
      limit: 3,
      includes: [{ name: 'readings', via: { child: 'Reading' }, filter: [{ property: 'Amount', op: 'gt', value: 1 }], limit: 2 }],
    },
    { name: 'tools', via: { peer: 'Tool' } },
  ],
}

beforeAll(async () => {
  opened = await openPipelineWorld()
  counting = await opened.open({}, { onStatement: () => void statements++ })
  await call('create_property', { internalName: 'Name', dataType: 'Text' })
  await call('create_property', { internalName: 'Day', dataType: 'DateOnly' })
  await call('create_property', { internalName: 'Amount', dataType: 'Number' })
  await call('create_property', { internalName: 'Email', dataType: 'Text', isIdentityEmail: true })
  await call('create_property', {
    internalName: 'Status',
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open', displays: [{ languageCode: 'en-US', name: 'To be done' }] }, { internalName: 'done' }],
  })
  const entities = [
    ['Site', ['Name']],
    ['Order', ['Name', 'Status', 'Amount']],
    ['Visit', ['Day', 'Name']],
    ['Reading', ['Amount']],
    ['Tool', ['Name']],
    ['Person', ['Name', 'Email']],
  ] as const
  for (const [internalName, properties] of entities)
    await call('create_entity', { internalName, properties: properties.map((property) => ({ property })) })
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Order' })
  await call('attach_child_entity', { entity: 'Order', childEntity: 'Visit' })
  await call('attach_child_entity', { entity: 'Visit', childEntity: 'Reading' })
  await call('attach_peer_entity', { entity: 'Order', peerEntity: 'Tool' })
  await save('Site', 'S1', { Name: 'Mill & Sons' })
  await save('Order', 'O1', { Name: 'Fix [[site.Name]]', Status: 'open', Amount: 1234.5 }, { parentEntity: 'Site', parentKey1: 'S1' })
  for (const n of [1, 2, 3, 4]) {
    await save('Visit', `V${n}`, { Day: `2026-03-0${n}`, Name: `<visit ${n}>` }, { parentEntity: 'Order', parentKey1: 'O1' })
    for (const m of [1, 2, 3, 4]) await save('Reading', `R${n}${m}`, { Amount: m }, { parentEntity: 'Visit', parentKey1: `V${n}` })
  }
  await save('Order', 'O2', { Name: 'Alone' })
  await save('Tool', 'T1', { Name: 'Ladder' })
  await save('Tool', 'T2', { Name: 'Saw' })
  const { sql, tenant } = opened.world
  const link = (a: string, b: string, unlinked: string | null) =>
    sql.unsafe(
      `insert into ${linkTable(tenant.tenantId)} (entity_a, record_a, entity_b, record_b, linked_at, unlinked_at, change_no)
       values (1, $1, 2, $2, '2026-01-01', $3::text::timestamptz, 1)`,
      [ids[a] ?? 0, ids[b] ?? 0, unlinked],
    )
  await link('O1', 'T1', null)
  await link('T2', 'O1', '2026-02-01T00:00:00Z')
  await call('create_context', orderContext)
}, 120_000)
afterAll(() => opened?.close())

describe('a bundle', () => {
  it('holds the record and what its context names, each in its place', async () => {
    const bundle = await call('hydrate_context', { context: 'OrderForCustomer', eiRecordId: ids['O1'] })
    expect(bundle.anchor).toEqual({ entity: 'Order', entityId: expect.any(Number), eiRecordId: ids['O1'], externalKey: 'O1' })
    expect(Object.keys(bundle.data)).toEqual(['Order', 'site', 'visits', 'tools'])
    expect(bundle.data.Order).toMatchObject({
      eiRecordId: ids['O1'],
      key1: 'O1',
      Name: 'Fix [[site.Name]]',
      Status: 'open',
      Amount: 1234.5,
    })
    expect(bundle.data.site).toMatchObject({ eiRecordId: ids['S1'], Name: 'Mill & Sons' })
    const { visits, tools } = bundle.data
    expect(visits.map((visit: { Day: string }) => visit.Day)).toEqual(['2026-03-04', '2026-03-03', '2026-03-02'])
    expect(visits.map((visit: { readings: { Amount: number }[] }) => visit.readings.map(({ Amount }) => Amount))).toEqual([
      [2, 3],
      [2, 3],
      [2, 3],
    ])
    expect(tools).toMatchObject([{ Name: 'Ladder' }])
    expect(bundle.truncated).toEqual(['visits', 'visits.readings'])
    expect(bundle).toMatchObject({ context: 'OrderForCustomer', withheld: [] })
    expect(Math.abs(Date.now() - Date.parse(bundle.asOfUtc))).toBeLessThan(60_000)
  })

  it('is that of a key as well, and empty where nothing is related', async () => {
    const { data, truncated } = await call('hydrate_context', { context: 'orderforcustomer', key1: 'O2' })
    expect(data).toMatchObject({ Order: { Name: 'Alone' }, site: null, visits: [], tools: [] })
    expect(truncated).toEqual([])
  })

  it('is read by as many statements for a hundred rows as for one', async () => {
    for (let n = 0; n < 100; n++) await save('Order', `M${n}`, { Name: `Many ${n}` }, { parentEntity: 'Site', parentKey1: 'S1' })
    for (let n = 0; n < 100; n++) await save('Visit', `MV${n}`, {}, { parentEntity: 'Order', parentKey1: `M${n}` })
    await save('Site', 'S2', {})
    await save('Order', 'S2O', {}, { parentEntity: 'Site', parentKey1: 'S2' })
    await save('Visit', 'S2V', {}, { parentEntity: 'Order', parentKey1: 'S2O' })
    const includes = [
      {
        name: 'orders',
        via: { child: 'Order' },
        limit: 500,
        includes: [
          { name: 'visits', via: { child: 'Visit' } },
          { name: 'site', via: 'parent' },
        ],
      },
    ]
    await call('create_context', { internalName: 'SiteOrders', entity: 'Site', includes })
    const statementsFor = async (key1: string) => {
      const input = { context: 'SiteOrders', key1 }
      await opened.call('hydrate_context', input, { on: counting })
      statements = 0
      const { data } = await opened.call('hydrate_context', input, { on: counting })
      return { statements, orders: data.orders.length, visits: data.orders.flatMap((order: { visits: unknown[] }) => order.visits).length }
    }
    const few = await statementsFor('S2')
    expect(few).toMatchObject({ orders: 1, visits: 1 })
    expect(few.statements).toBeGreaterThan(5)
    expect(await statementsFor('S1')).toEqual({ statements: few.statements, orders: 101, visits: 104 })
  }, 120_000)

  it('is filtered by records that are related to its own', async () => {
    const filter = { groups: [{ entity: 'Visit', has: 'some', rules: [{ property: 'Day', op: 'isNotEmpty' }] }] }
    const visited = { name: 'visited', via: { child: 'Order' }, filter, limit: 500 }
    await call('create_context', { internalName: 'Visited', entity: 'Site', includes: [visited] })
    const { data } = await call('hydrate_context', { context: 'Visited', key1: 'S1' })
    expect(data.visited).toMatchObject([{ key1: 'O1' }])
  })

  it('has at most 10,000 rows, however often a record stands in it', async () => {
    const orders = (more: object) => ({ name: 'orders', via: { child: 'Order' }, properties: [], limit: 500, ...more })
    const site = (more: object) => ({ name: 'site', via: 'parent', properties: [], ...more })
    const includes = [orders({ includes: [site({ includes: [orders({})] })] })]
    await call('create_context', { internalName: 'RoundAndRound', entity: 'Site', includes })
    const { data, truncated } = await call('hydrate_context', { context: 'RoundAndRound', key1: 'S1' })
    expect(truncated).toEqual(['orders.site.orders'])
    const inside = data.orders.flatMap(({ site }: { site: { orders: unknown[] } }) => [site, ...site.orders])
    expect(1 + data.orders.length + inside.length).toBe(10_000)
  })

  it('shows everything as it was at a time', async () => {
    await save('Order', 'H1', { Name: 'before' }, { parentEntity: 'Site', parentKey1: 'S1' })
    await save('Visit', 'HV1', { Name: 'first' }, { parentEntity: 'Order', parentKey1: 'H1' })
    const { asOfUtc } = await call('hydrate_context', { context: 'OrderForCustomer', key1: 'H1' })
    const then = new Date(Date.parse(asOfUtc) + 1).toISOString()
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(then) + 1)
    await save('Order', 'H1', { Name: 'after' })
    await save('Visit', 'HV1', { Name: 'changed' })
    await save('Visit', 'HV2', { Name: 'second' }, { parentEntity: 'Order', parentKey1: 'H1' })
    const bundle = await call('hydrate_context', { context: 'OrderForCustomer', key1: 'H1', asOfDate: then })
    expect(bundle).toMatchObject({ asOfUtc: then, data: { Order: { Name: 'before' }, visits: [{ Name: 'first' }] } })
    expect((await call('hydrate_context', { context: 'OrderForCustomer', key1: 'H1' })).data.visits).toHaveLength(2)
    const old = await call('hydrate_context', { context: 'OrderForCustomer', eiRecordId: ids['O1'], asOfDate: '2999-01-01' })
    expect(old.data.tools).toMatchObject([{ Name: 'Ladder' }])
    expect((await refusal('hydrate_context', { context: 'OrderForCustomer', key1: 'H1', asOfDate: '2020-01-01' })).code).toBe('not_found')
  })

  it('ends at its limit of bytes, says of what there is more, and stays whole JSON', async () => {
    const long = 'x'.repeat(30_000)
    for (let n = 0; n < 20; n++) await save('Visit', `L${n}`, { Name: long }, { parentEntity: 'Order', parentKey1: 'O2' })
    await call('create_context', {
      internalName: 'AllVisits',
      entity: 'Order',
      includes: [{ name: 'visits', via: { child: 'Visit' }, limit: 500 }],
    })
    const { world } = opened
    const bundle = await world.call('hydrate_context', { context: 'AllVisits', key1: 'O2' }, { transport: 'mcp' })
    expect(bundle.truncated).toEqual(['visits'])
    expect(bundle.data.visits.length).toBeGreaterThan(3)
    expect(Buffer.byteLength(JSON.stringify(bundle))).toBeLessThan(256 * 1024)
    expect((await call('hydrate_context', { context: 'AllVisits', key1: 'O2' })).data.visits).toHaveLength(20)
  })

  it('is found by the user whom its record is linked to, and tells of the user', async () => {
    const user = await call('create_user', { userName: 'ada', displayName: 'Ada', email: 'ada@example.com', roles: ['DataView'] })
    await call('set_entity_identity_bridge', { entity: 'Person', isTenantUserRole: true, identityEmailProperty: 'Email' })
    await save('Person', 'P1', { Name: 'Ada L', Email: 'ada@example.com' })
    await call('create_context', { internalName: 'Me', entity: 'Person', user: true })
    const { tenantUserId } = user
    const bundle = await call('hydrate_context', { context: 'Me', tenantUserId })
    expect(bundle.data).toMatchObject({ Person: { Name: 'Ada L' }, user: { tenantUserId, displayName: 'Ada', email: 'ada@example.com' } })
    expect((await refusal('hydrate_context', { context: 'Me', tenantUserId: 1 })).code).toBe('not_found')
    await save('Person', 'P2', { Name: 'Ada again', Email: 'ada@example.com' })
    const two = await refusal('hydrate_context', { context: 'Me', tenantUserId })
    expect(two).toMatchObject({ code: 'conflict', message: expect.stringContaining(String(ids['P1'])) })
  })

  it('holds no record that its reader may not see, and names the values that are withheld', async () => {
    const { tenant } = opened.world
    await call('create_property', { internalName: 'Cost', dataType: 'Number' })
    await call('create_entity', { internalName: 'Job', properties: [{ property: 'Name' }, { property: 'Cost' }] })
    await call('create_entity', { internalName: 'Step', properties: [{ property: 'Name' }, { property: 'Cost' }] })
    await call('attach_child_entity', { entity: 'Job', childEntity: 'Step' })
    await save('Job', 'J1', { Name: 'a', Cost: 5 })
    await save('Job', 'J2', { Name: 'secret', Cost: 5 })
    await save('Step', 'SA', { Name: 'a', Cost: 1 }, { parentEntity: 'Job', parentKey1: 'J1' })
    await save('Step', 'SB', { Name: 'b', Cost: 2 }, { parentEntity: 'Job', parentKey1: 'J1' })
    const visible = { read: true, filter: [{ property: 'Name', op: 'eq', value: 'a' }], hidden: ['Cost'] }
    for (const entity of ['Job', 'Step']) {
      const all = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true }
      await call('set_entity_access', { entity, rules: [all, { role: 'DataView', ...visible }] })
    }
    const steps = { name: 'steps', via: { child: 'Step' } }
    await call('create_context', { internalName: 'Jobs', entity: 'Job', includes: [steps] })
    await call('create_context', { internalName: 'JobsByCost', entity: 'Job', includes: [{ ...steps, sort: [{ property: 'Cost' }] }] })
    const key = await tenant.keyWith(['DataView'])
    const bundle = await opened.world.call('hydrate_context', { context: 'Jobs', key1: 'J1' }, { key })
    expect(bundle.data).toMatchObject({ Job: { Name: 'a', Cost: null }, steps: [{ Name: 'a', Cost: null }] })
    expect(bundle.data.steps).toHaveLength(1)
    expect(bundle.withheld).toEqual(['Job.Cost', 'steps.Cost'])
    const { text } = await opened.world.call(
      'resolve_tokens',
      { context: 'Jobs', key1: 'J1', text: '[[Job.Cost]] [[steps|sum:Cost]]' },
      { key },
    )
    expect(text).toBe(' 0')
    const refused = (context: string, key1: string) =>
      opened.world.run('hydrate_context', { context, key1 }, { key }).catch((error: AppError) => error.code)
    expect([await refused('Jobs', 'J2'), await refused('JobsByCost', 'J1')]).toEqual(['not_found', 'invalid_input'])
  })

  it('is of exactly one record, which has to be there', async () => {
    const context = 'OrderForCustomer'
    for (const anchor of [{}, { eiRecordId: ids['O1'], key1: 'O1' }, { key2: 'x' }, { key1: '' }])
      expect((await refusal('hydrate_context', { context, ...anchor })).code).toBe('invalid_input')
    for (const anchor of [{ eiRecordId: ids['S1'] }, { eiRecordId: 9_007_199_254_740_991 }, { key1: 'nobody' }])
      expect((await refusal('hydrate_context', { context, ...anchor })).code).toBe('not_found')
    expect((await refusal('hydrate_context', { context: 'OrderForCustomr', key1: 'O1' })).issues).toMatchObject([
      { suggestion: 'OrderForCustomer' },
    ])
  })
})

describe('a text over a context', () => {
  const resolve = (text: string, more: object = {}) => call('resolve_tokens', { context: 'OrderForCustomer', key1: 'O1', text, ...more })

  it('has the values in place of the tokens, and reads none of them again', async () => {
    expect(
      await resolve('[[Order.Name]] at [[site.Name]]: [[visits|count]] visits, [[visits[0].readings|sum:Amount]]; [[Order.Status|label]]'),
    ).toEqual({
      text: 'Fix [[site.Name]] at Mill & Sons: 3 visits, 5; To be done',
      unresolved: [],
    })
    expect((await resolve('[[$tenant.tenantId]] [[$user.tenantUserId]]')).text).toBe(
      `${opened.world.tenant.tenantId} ${opened.world.tenant.tenantUserId}`,
    )
    expect((await resolve('[[$today]]')).text).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  it('tells what names nothing, though a default stands in for it', async () => {
    expect(await resolve('[[Ordr.Name]] [[Order.Nam|default:"-"]] [[visits[0].Dai]] [[visits[9].Day]]')).toEqual({
      text: ' -  ',
      unresolved: ['Ordr.Name', 'Order.Nam', 'visits[0].Dai'],
    })
  })

  it('escapes the values, not the text around them', async () => {
    expect((await resolve('<b>[[visits[first].Name]]</b>', { format: 'html' })).text).toBe('<b>&lt;visit 4&gt;</b>')
    expect((await resolve('**[[visits[first].Name]]**', { format: 'markdown' })).text).toBe(String.raw`**\<visit 4\>**`)
  })

  it('is refused where a filter does not exist, with the nearest, and where it grows too large', async () => {
    expect(await refusal('resolve_tokens', { context: 'OrderForCustomer', key1: 'O1', text: '[[Order.Name|uper]]' })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.text', suggestion: 'upper' }],
    })
    const text = '[[visits|json]]'.repeat(900)
    expect((await refusal('resolve_tokens', { context: 'AllVisits', key1: 'O2', text })).code).toBe('too_large')
  })

  it('can name what the context offers, and each of these is found', async () => {
    const tokens: { token: string; type: string; isList: boolean }[] = await call('list_context_tokens', { context: 'OrderForCustomer' })
    const byToken = new Map(tokens.map((one) => [one.token, one]))
    expect(byToken.get('[[visits]]')).toMatchObject({ type: 'record', isList: true })
    expect(byToken.get('[[visits[first].readings[first].Amount]]')).toMatchObject({ type: 'number', isList: false })
    expect(byToken.get('[[site.Name]]')).toMatchObject({ type: 'text' })
    expect(byToken.has('[[$now]]')).toBe(true)
    expect((await resolve(tokens.map(({ token }) => token).join('\n'))).unresolved).toEqual([])
    const first = await opened.world.run('list_context_tokens', { context: 'OrderForCustomer', pageSize: 4 })
    expect(first).toMatchObject({ nextCursor: expect.any(String) })
    const { nextCursor } = first as { nextCursor: string }
    expect(await call('list_context_tokens', { context: 'OrderForCustomer', pageSize: 4, cursor: nextCursor })).toEqual(tokens.slice(4, 8))
  })
})

describe('a context', () => {
  it('is shown as it was written, with its language by id', async () => {
    const shown = await call('get_context', { context: 'OrderForCustomer' })
    expect(shown).toMatchObject({
      internalName: 'OrderForCustomer',
      entity: 'Order',
      includes: orderContext.includes,
      user: false,
      validation: null,
    })
    expect(shown.displays).toEqual([{ languageRegionId: 1, name: 'An order for its customer', description: '' }])
    expect((await call('list_contexts')).map((one: { internalName: string }) => one.internalName)).toContain('OrderForCustomer')
    expect(await call('get_context', { context: String(shown.contextId) })).toEqual(shown)
  })

  it('is held against the catalog, every mistake with its path and the nearest name', async () => {
    const { ok, valid, issues } = await call('validate_context', {
      entity: 'Order',
      includes: [
        { name: 'a', via: { child: 'Visitt' } },
        { name: 'b', via: { parent: 'Visit' } },
        {
          name: 'c',
          via: { child: 'Visit' },
          properties: ['Dai'],
          filter: [{ property: 'Nam', op: 'eq', value: 'x' }],
          sort: [{ property: 'Dy' }],
        },
        { name: 'd', via: {} },
        { name: 'C', via: 'parent', limit: 5 },
        { name: 'order', via: 'parent', includes: [{ name: 'name', via: { child: 'Order' } }] },
        { name: 'e', via: { child: 'Visit' }, includes: [{ name: 'x', vai: 'parent', via: 'parent' }] },
      ],
      reports: [{ name: 'r', report: 'x' }],
    })
    expect([ok, valid]).toEqual([false, false])
    expect(issues.map(({ path, suggestion }: { path: string; suggestion?: string }) => [path, suggestion])).toEqual([
      ['$.includes[0].via.child', 'Visit'],
      ['$.includes[1].via.parent', undefined],
      ['$.includes[2].filter[0].property', 'Name'],
      ['$.includes[2].sort[0].property', 'Day'],
      ['$.includes[2].properties[0]', 'Day'],
      ['$.includes[3].via', undefined],
      ['$.includes[4].limit', undefined],
      ['$.includes[4].name', undefined],
      ['$.includes[5].includes[0].name', undefined],
      ['$.includes[5].name', undefined],
      ['$.includes[6].includes[0].vai', 'via'],
      ['$.reports[0].report', undefined],
    ])
    expect((await refusal('create_context', { internalName: 'Bad', entity: 'Ordr' })).code).toBe('unknown_entity')
    expect((await refusal('create_context', { internalName: 'Bad', entity: 'Order', reports: [{ name: 'r' }] })).issues).toMatchObject([
      { path: '$.reports[0].report' },
    ])
  })

  it('has at most 40 includes in all, four deep', async () => {
    const nested = (depth: number): object[] =>
      depth === 0
        ? []
        : [{ name: `n${depth}`, via: 'parent', includes: [{ name: 'o', via: { child: 'Order' }, includes: nested(depth - 2) }] }]
    const issuesOf = async (includes: object[]) =>
      (await call('validate_context', { entity: 'Order', includes })).issues.map(({ message }: { message: string }) => message)
    expect(await issuesOf(nested(4))).toEqual([])
    expect(await issuesOf(nested(6))).toEqual(['Includes stand at most 4 deep.'])
    const wide = Array.from({ length: 8 }, (_, n) => ({
      name: `w${n}`,
      via: 'parent',
      includes: Array.from({ length: 6 }, (_, m) => ({ name: `v${m}`, via: { child: 'Order' } })),
    }))
    expect(await issuesOf(wide)).toEqual(['A context has at most 40 includes in all.'])
  })

  it('keeps what it names under a new name, and what it uses cannot go without force', async () => {
    await call('create_property', { internalName: 'Colour', dataType: 'Text' })
    await call('create_entity', { internalName: 'Door', properties: [{ property: 'Colour' }] })
    await call('create_entity', { internalName: 'Key', properties: [{ property: 'Colour' }] })
    await call('attach_child_entity', { entity: 'Door', childEntity: 'Key' })
    const includes = [{ name: 'keys', via: { child: 'Key' }, properties: ['Colour'], filter: [{ property: 'Colour', op: 'isNotEmpty' }] }]
    await call('create_context', { internalName: 'Doors', entity: 'Door', includes })
    await save('Door', 'D1', { Colour: 'red' })
    await save('Key', 'K1', { Colour: 'brass' }, { parentEntity: 'Door', parentKey1: 'D1' })
    await call('update_property', { property: 'Colour', internalName: 'Color' })
    await call('update_entity', { entity: 'Key', internalName: 'DoorKey' })
    expect(await call('get_context', { context: 'Doors' })).toMatchObject({
      includes: [{ name: 'keys', via: { child: 'DoorKey' }, properties: ['Color'], filter: [{ property: 'Color', op: 'isNotEmpty' }] }],
      validation: null,
    })
    expect((await call('hydrate_context', { context: 'Doors', key1: 'D1' })).data).toMatchObject({
      Door: { Color: 'red' },
      keys: [{ Color: 'brass' }],
    })
    await call('delete_instance_by_key', { entity: 'DoorKey', key1: 'K1' })
    const kept = await refusal('detach_child_entity', { entity: 'Door', childEntity: 'DoorKey' })
    expect(kept).toMatchObject({ code: 'conflict', message: expect.stringContaining('the context Doors') })
    await call('detach_child_entity', { entity: 'Door', childEntity: 'DoorKey', force: true })
    const { validation } = await call('get_context', { context: 'Doors' })
    expect(validation).toMatchObject({ ok: false, valid: false })
    expect((await refusal('hydrate_context', { context: 'Doors', key1: 'D1' })).code).toBe('conflict')
    await call('update_context', { context: 'Doors', includes: [], internalName: 'JustDoors' })
    expect((await call('hydrate_context', { context: 'JustDoors', key1: 'D1' })).data).toEqual({
      Door: expect.objectContaining({ Color: 'red' }),
    })
  })

  it('changes what is named and keeps the rest, and is gone once it is deleted', async () => {
    await call('create_context', { internalName: 'Short', entity: 'Order', includes: [{ name: 'site', via: 'parent' }] })
    expect(await call('update_context', { context: 'Short', user: true })).toMatchObject({
      entity: 'Order',
      includes: [{ name: 'site' }],
      user: true,
    })
    expect((await refusal('create_context', { internalName: 'SHORT', entity: 'Order' })).code).toBe('already_exists')
    const { contextId } = await call('get_context', { context: 'Short' })
    expect(await call('delete_context', { context: 'Short' })).toEqual({ contextId, deleted: true })
    expect((await refusal('get_context', { context: 'Short' })).code).toBe('not_found')
  })
})
