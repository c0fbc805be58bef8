/** Reports in contexts: which a context may name, what they bring into its bundle, and what texts make of it. */
import { beforeAll, describe, expect, it } from 'vitest'

import { inSystemTransaction } from '#platform/system.ts'
import { openReports } from '#tools/context/reporting.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { findReports } from '#tools/reports/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { call, refusal } = world

const hoursOfOrder = {
  primaryEntityId: 'Log',
  joins: [{ entityId: 'Order', joinType: 'parent' }],
  groupBy: [
    { entity: 'Order', property: 'key1' },
    { entity: 'Order', property: 'Status' },
  ],
  aggregates: [{ property: 'Hours', fn: 'SUM', alias: 'hours' }],
  computed: [{ alias: 'twice', $expr: ['*', '[[hours]]', 2] }],
  filters: [
    { entity: 'Order', property: 'key1', op: 'eq', value: '[[$param.order]]' },
    { property: 'Hours', op: 'gte', value: '[[$param.least]]' },
  ],
  parameters: [
    { name: 'order', dataType: 'Text', isRequired: true },
    { name: 'least', dataType: 'Number', value: 0 },
  ],
}
const logsOfSite = {
  primaryEntityId: 'Log',
  joins: [{ entityId: 'Order', joinType: 'parent' }],
  columns: [{ property: 'Hours' }, { property: 'Note', alias: 'note' }, { property: 'key1', alias: 'the key' }],
  filters: [{ entity: 'Order', property: 'Name', op: 'eq', value: '[[$param.site]]' }],
  sort: [{ property: 'key1', direction: 'asc' }],
  parameters: [{ name: 'site', dataType: 'Text' }],
  pageSize: 2,
}
const allLogs = { primaryEntityId: 'Log', columns: [{ property: 'key1', alias: 'key' }, { property: 'Note' }], pageSize: 1000 }
const ofOrder = { name: 'hours', report: 'HoursOfOrder', params: { order: '[[Order.key1]]' } }

const save = (entity: string, rows: object[]) => call('save_instances_bulk', { entity, rows })
const hydrate = (context: string, key1: string, more: object = {}, as: object = {}) =>
  call('hydrate_context', { context, key1, ...more }, as)

beforeAll(async () => {
  for (const [internalName, dataType] of [
    ['Name', 'Text'],
    ['Note', 'Text'],
    ['Hours', 'Number'],
  ] as const)
    await call('create_property', { internalName, dataType })
  const propertyOptions = [{ internalName: 'open', displays: [{ languageCode: 'en-US', name: 'To be done' }] }]
  await call('create_property', { internalName: 'Status', dataType: 'Choice', propertyOptions })
  const entities = [
    ['Site', ['Name']],
    ['Order', ['Name', 'Status']],
    ['Log', ['Hours', 'Note']],
  ] as const
  for (const [internalName, names] of entities)
    await call('create_entity', { internalName, properties: names.map((property) => ({ property })) })
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Order', isList: true })
  await call('attach_child_entity', { entity: 'Order', childEntity: 'Log', isList: true })
  await save('Site', [{ key1: 'S1', data: { Name: 'Mill' } }])
  await save('Order', [
    { key1: 'O1', parentKey1: 'S1', data: { Name: 'Mill', Status: 'open' } },
    { key1: 'O2', data: { Name: 'Alone', Status: 'open' } },
  ])
  await save('Log', [
    { key1: 'L1', parentKey1: 'O1', data: { Hours: 1.5, Note: 'a' } },
    { key1: 'L2', parentKey1: 'O1', data: { Hours: 2, Note: 'b' } },
    { key1: 'L3', parentKey1: 'O1', data: { Hours: 4, Note: 'c' } },
    { key1: 'L4', parentKey1: 'O2', data: { Hours: 8, Note: 'd' } },
  ])
  // Not shared: a context brings its rows to whoever reads the context, as they see the records.
  await call('create_report', { internalName: 'HoursOfOrder', isShared: false, definitionJson: hoursOfOrder })
  await call('create_report', { internalName: 'LogsOfSite', definitionJson: logsOfSite })
  await call('create_report', { internalName: 'AllLogs', definitionJson: allLogs })
  await call('create_context', {
    internalName: 'OrderWithHours',
    entity: 'Order',
    includes: [{ name: 'site', via: 'parent' }],
    reports: [ofOrder, { name: 'logs', report: 'LogsOfSite', params: { site: '[[site.Name]]' } }],
  })
})

describe('a bundle with reports', () => {
  it('has their rows by name, for the values that the record and its includes have', async () => {
    const { data, truncated, withheld } = await hydrate('OrderWithHours', 'O1')
    expect(data.hours).toEqual([{ Order_key1: 'O1', Order_Status: 'open', hours: 7.5, twice: 15 }])
    expect(data.logs).toEqual([
      { Log_Hours: 1.5, note: 'a', 'the key': 'L1' },
      { Log_Hours: 2, note: 'b', 'the key': 'L2' },
    ])
    expect([truncated, withheld]).toEqual([['logs'], []])
  })

  it('has no row of a report where what its parameter is taken from is empty, and not those of all records', async () => {
    const { data, truncated } = await hydrate('OrderWithHours', 'O2')
    expect(data).toMatchObject({ site: null, hours: [{ hours: 8 }], logs: [] })
    expect(truncated).toEqual([])
  })

  it('tells of the time that it is asked for', async () => {
    const { asOfUtc } = await hydrate('OrderWithHours', 'O2')
    const then = new Date(Date.parse(asOfUtc) + 1).toISOString()
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(then) + 1)
    await save('Log', [{ key1: 'L5', parentKey1: 'O2', data: { Hours: 100 } }])
    expect((await hydrate('OrderWithHours', 'O2', { asOfDate: then })).data.hours).toMatchObject([{ hours: 8 }])
    expect((await hydrate('OrderWithHours', 'O2')).data.hours).toMatchObject([{ hours: 108 }])
    await call('delete_instance_by_key', { entity: 'Log', key1: 'L5' })
  })

  it('has what its reader may see, and names the columns that are withheld', async () => {
    const key = await world.tenant.keyWith(['DataView'])
    const all = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true }
    const some = { role: 'DataView', read: true, hidden: ['Note'], filter: [{ property: 'Hours', op: 'gte', value: 2 }] }
    await call('set_entity_access', { entity: 'Log', rules: [all, some] })
    const { data, withheld } = await hydrate('OrderWithHours', 'O1', {}, { key })
    await call('set_entity_access', { entity: 'Log', rules: [] })
    expect(data.hours).toMatchObject([{ hours: 6 }])
    expect(data.logs).toEqual([
      { Log_Hours: 2, note: null, 'the key': 'L2' },
      { Log_Hours: 4, note: null, 'the key': 'L3' },
    ])
    expect(withheld).toEqual(['logs.note'])
  })

  it('says which report was refused, and why', async () => {
    const params = { order: 'O1', least: '[[Order.Name]]' }
    await call('create_context', { internalName: 'Wrong', entity: 'Order', reports: [{ ...ofOrder, params }] })
    const { code, message } = await refusal('hydrate_context', { context: 'Wrong', key1: 'O1' })
    expect([code, message]).toEqual(['invalid_input', expect.stringContaining('The report HoursOfOrder cannot be run as the context says')])
  })

  it('is refused as one to ask for again, and not for ever, where the database goes away meanwhile', async () => {
    const { tenantId, tenantUserId } = world.tenant
    let isSeen = false
    const asked = inSystemTransaction(world.platform.services, tenantId, async (context) => {
      const acting = { ...context, actor: { ...context.actor, tenantUserId } }
      const { byIdOrName } = await findReports(acting, await cachedCatalog(acting), ['AllLogs'])
      const report = byIdOrName.get('alllogs')
      if (!report) throw new Error('There is no report')
      const read = await openReports(acting, {}, undefined)
      const one = { name: 'all', report, params: {}, roots: new Set<string>() }
      expect((await read(one, 100_000)).rows.length).toBeGreaterThan(0)
      const [backend] = await context.tx<{ pid: number }[]>`select pg_backend_pid() as pid`
      await world.sql`select pg_terminate_backend(${backend?.pid ?? 0})`
      const codeOf = () =>
        read(one, 100_000).then(
          () => 'none',
          (error: { code?: string }) => error.code,
        )
      await expect.poll(codeOf).toBe('unavailable')
      isSeen = true
    })
    await expect(asked).rejects.toThrow('The database connection was lost')
    expect(isSeen).toBe(true)
  })

  it('ends at 10,000 rows, those of its reports among them, and at its bytes', async () => {
    const rows = Array.from({ length: 1000 }, (_, n) => ({ key1: `M${n}`, parentKey1: 'O2', data: { Note: 'x'.repeat(300) } }))
    await save('Log', rows.slice(0, 500))
    await save('Log', rows.slice(500))
    const reports = Array.from({ length: 10 }, (_, n) => ({ name: `r${n}`, report: 'AllLogs' }))
    await call('create_context', { internalName: 'Much', entity: 'Site', reports })
    const { data, truncated } = await hydrate('Much', 'S1')
    expect(truncated).toEqual(reports.map(({ name }) => name))
    expect(reports.map(({ name }) => data[name].length)).toEqual([...Array.from({ length: 9 }, () => 1000), 999])
    const bundle = await hydrate('Much', 'S1', {}, { transport: 'mcp' })
    expect(Buffer.byteLength(JSON.stringify(bundle))).toBeLessThan(256 * 1024)
    expect(bundle.data.r0.length).toBeGreaterThan(500)
    expect([bundle.truncated, bundle.data.r9]).toEqual([truncated, []])
  }, 120_000)
})

describe('a text over a context with reports', () => {
  it('names their rows and columns, and has the labels of options', async () => {
    const text =
      '[[hours[first].hours]] h, [[hours[0].twice]], [[hours[0].Order_Status|label]]; [[logs|count]]: [[logs[*].note|join:"/"]] [[logs[0].nte]]'
    expect(await call('resolve_tokens', { context: 'OrderWithHours', key1: 'O1', text })).toEqual({
      text: '7.5 h, 15, To be done; 2: a/b ',
      unresolved: ['logs[0].nte'],
    })
  })

  it('can name each token that the context offers', async () => {
    const tokens: { token: string; type: string; isList: boolean }[] = await call('list_context_tokens', { context: 'OrderWithHours' })
    const byToken = new Map(tokens.map(({ token, type, isList }) => [token, [type, isList]]))
    expect(byToken.get('[[hours]]')).toEqual(['record', true])
    expect(byToken.get('[[hours[first].hours]]')).toEqual(['number', false])
    expect(byToken.get('[[hours[first].twice]]')).toEqual(['any', false])
    expect(byToken.get('[[logs[first].note]]')).toEqual(['text', false])
    const text = tokens.map(({ token }) => token).join('\n')
    expect((await call('resolve_tokens', { context: 'OrderWithHours', key1: 'O1', text })).unresolved).toEqual([])
  })
})

describe('a context with reports', () => {
  it('is held against them: names, parameters, values and tokens, each mistake with its path and the nearest name', async () => {
    const { valid, issues } = await call('validate_context', {
      entity: 'Order',
      includes: [{ name: 'site', via: 'parent' }],
      reports: [
        { name: 'a', report: 'HoursOfOrdr' },
        { name: 'b', report: 'HoursOfOrder', params: { ordr: 'O1' } },
        { name: 'c', report: 'HoursOfOrder', params: { order: '[[site.Nam]]', least: 'much' } },
        { name: 'SITE', report: 'LogsOfSite', params: { sit: '[[site.Name]]' } },
        { name: 'a', report: 'LogsOfSite', parms: {} },
      ],
    })
    expect(valid).toBe(false)
    expect(issues.map(({ path, suggestion }: { path: string; suggestion?: string }) => [path, suggestion])).toEqual([
      ['$.reports[4].parms', 'params'],
      ['$.reports[0].report', 'HoursOfOrder'],
      ['$.reports[1].params.ordr', 'order'],
      ['$.reports[1].params.order', undefined],
      ['$.reports[2].params.least', undefined],
      ['$.reports[2].params.order', 'Name'],
      ['$.reports[3].name', undefined],
      ['$.reports[3].params.sit', 'site'],
      ['$.reports[4].name', undefined],
    ])
    const unknown = await refusal('create_context', { internalName: 'Bad', entity: 'Order', reports: [{ name: 'a', report: 'Nope' }] })
    expect([unknown.code, unknown.issues?.[0]?.path]).toEqual(['invalid_input', '$.reports[0].report'])
    const long = [{ name: 'a', report: 'LogsOfSite', params: { site: 'x'.repeat(10_000) } }]
    const tooLong = await refusal('create_context', { internalName: 'Bad', entity: 'Order', reports: long })
    expect([tooLong.code, tooLong.issues?.[0]?.path]).toEqual(['invalid_input', '$.reports[0].params'])
    const many = Array.from({ length: 11 }, (_, n) => ({ name: `r${n}`, report: 'AllLogs' }))
    expect((await refusal('create_context', { internalName: 'Bad', entity: 'Order', reports: many })).code).toBe('invalid_input')
  })

  it('keeps to its reports and to what their parameters name when these get other names, and tells once they are gone', async () => {
    await call('create_property', { internalName: 'Colour', dataType: 'Text' })
    await call('create_entity', { internalName: 'Door', properties: [{ property: 'Colour' }] })
    await call('create_entity', { internalName: 'Key', properties: [{ property: 'Colour' }] })
    await call('attach_child_entity', { entity: 'Door', childEntity: 'Key', isList: true })
    const definitionJson = {
      primaryEntityId: 'Key',
      aggregates: [{ fn: 'COUNT', alias: 'n' }],
      filters: [{ property: 'Colour', op: 'eq', value: '[[$param.colour]]' }],
      parameters: [{ name: 'colour', dataType: 'Text', isList: true }],
    }
    const { reportDefinitionId } = await call('create_report', { internalName: 'Keys', definitionJson })
    await save('Door', [{ key1: 'D1', data: { Colour: 'red' } }])
    await save('Key', [
      { key1: 'K1', parentKey1: 'D1', data: { Colour: 'red' } },
      { key1: 'K2', data: { Colour: 'blue' } },
    ])
    await call('create_context', {
      internalName: 'Doors',
      entity: 'Door',
      includes: [{ name: 'keys', via: { child: 'Key' } }],
      reports: [{ name: 'count', report: reportDefinitionId, params: { colour: ['[[Door.Colour]]', '[[keys[*].Colour]]'] } }],
    })
    await call('update_property', { property: 'Colour', internalName: 'Color' })
    await call('update_entity', { entity: 'Door', internalName: 'Gate' })
    await call('update_report', { report: 'Keys', internalName: 'KeysByColor' })
    const params = { colour: ['[[Gate.Color]]', '[[keys[*].Color]]'] }
    expect(await call('get_context', { context: 'Doors' })).toMatchObject({
      reports: [{ name: 'count', report: 'KeysByColor', params }],
      validation: null,
    })
    expect((await hydrate('Doors', 'D1')).data.count).toEqual([{ n: 1 }])
    const used = await refusal('delete_report', { report: 'KeysByColor' })
    expect([used.code, used.message]).toEqual(['conflict', expect.stringContaining('the context Doors')])

    await call('update_report', { report: 'KeysByColor', definitionJson: { ...definitionJson, filters: [], parameters: [] } })
    const changed = await call('get_context', { context: 'Doors' })
    expect(changed.validation.issues.map(({ path }: { path: string }) => path)).toEqual(['$.reports[0].params.colour'])
    await call('delete_report', { report: 'KeysByColor', force: true })
    expect((await call('get_context', { context: 'Doors' })).validation.issues).toMatchObject([{ path: '$.reports[0].report' }])
    expect((await refusal('hydrate_context', { context: 'Doors', key1: 'D1' })).code).toBe('conflict')
    await call('update_context', { context: 'Doors', reports: [] })
    expect(Object.keys((await hydrate('Doors', 'D1')).data)).toEqual(['Gate', 'keys'])
  })
})
