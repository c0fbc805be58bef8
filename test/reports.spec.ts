import { beforeAll, describe, expect, it } from 'vitest'

import { inSystemTransaction } from '#platform/system.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { prepareRun, readAllRows, soundDraft } from '#tools/reports/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

const run = (definitionJson: Record<string, unknown>, more: Record<string, unknown> = {}, key?: string) =>
  world.call('execute_report_inline', { definitionJson, ...more }, key === undefined ? {} : { key })
const dataOf = ({ rows }: { rows: { data: Record<string, unknown> }[] }) => rows.map((row) => row.data)

/** Sites with orders, orders with logs, and people who are peers of orders. Site S3 has no order, order O4 no log and no site. */
beforeAll(async () => {
  const { call } = world
  const property = (internalName: string, dataType: string, more: object = {}) =>
    call('create_property', { internalName, dataType, ...more })
  await property('Name', 'Text')
  await property('Status', 'Choice', { propertyOptions: [{ internalName: 'open' }, { internalName: 'done' }] })
  await property('Cost', 'Number')
  await property('Hours', 'Number')
  await property('Due', 'DateOnly')
  const entity = (internalName: string, names: readonly string[]) =>
    call('create_entity', { internalName, properties: names.map((one) => ({ property: one })) })
  await entity('Site', ['Name'])
  await entity('Job', ['Name', 'Status', 'Cost', 'Due'])
  await entity('Log', ['Hours', 'Name'])
  await entity('Person', ['Name'])
  await entity('Idle', ['Name'])
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Job', isList: true })
  await call('attach_child_entity', { entity: 'Job', childEntity: 'Log', isList: true })
  await call('attach_child_entity', { entity: 'Job', childEntity: 'Idle', isList: true })
  await call('attach_peer_entity', { entity: 'Job', peerEntity: 'Person', isList: true })
  const save = (of: string, rows: object[]) => call('save_instances_bulk', { entity: of, rows })
  await save(
    'Site',
    [1, 2, 3].map((n) => ({ key1: `S${n}`, data: { Name: `Site ${n}` } })),
  )
  await save('Job', [
    { key1: 'J1', parentKey1: 'S1', data: { Name: 'a', Status: 'open', Cost: 10, Due: '2026-01-15' } },
    { key1: 'J2', parentKey1: 'S1', data: { Name: 'b', Status: 'done', Cost: 20.5, Due: '2026-02-10' } },
    { key1: 'J3', parentKey1: 'S2', data: { Name: 'c', Status: 'open', Cost: 0.2, Due: '2026-02-20' } },
    { key1: 'J4', data: { Name: 'd', Status: 'open' } },
  ])
  await save('Log', [
    { key1: 'L1', parentKey1: 'J1', data: { Hours: 1.5, Name: 'x' } },
    { key1: 'L2', parentKey1: 'J1', data: { Hours: 2, Name: 'y' } },
    { key1: 'L3', parentKey1: 'J2', data: { Hours: 4, Name: 'x' } },
    { key1: 'L4', parentKey1: 'J3', data: { Name: 'x' } },
  ])
})

const logs = { entityId: 'Log', joinType: 'child', joinMode: 'left' }

describe('joins', () => {
  it('sum children by values of a parent, over several hops, and keep what has none where they are joined left', async () => {
    const definition = {
      primaryEntityId: 'Site',
      joinMode: 'left',
      joins: [
        { entityId: 'Job', joinType: 'child' },
        { entityId: 'Log', parentEntityId: 'Job', joinType: 'child' },
      ],
      groupBy: [{ entity: 'Site', property: 'Name' }],
      aggregates: [
        { entity: 'Log', property: 'Hours', fn: 'SUM', alias: 'hours' },
        { entity: 'Job', fn: 'COUNT', distinct: true, alias: 'jobs' },
        { fn: 'COUNT', alias: 'rows' },
      ],
    }
    const answer = await run(definition)
    expect(dataOf(answer)).toEqual([
      { Site_Name: 'Site 1', hours: 7.5, jobs: 2, rows: 3 },
      { Site_Name: 'Site 2', hours: null, jobs: 1, rows: 1 },
      { Site_Name: 'Site 3', hours: null, jobs: 0, rows: 1 },
    ])
    expect(answer).toMatchObject({ page: 1, pageSize: 50, totalCount: 3 })
    expect(JSON.parse(answer.rows[0].combinedPivotJson)).toEqual({ Site_Name: 'Site 1', Log_Hours: 7.5, Job_COUNT: 2, Site_COUNT: 3 })
    expect(dataOf(await run({ ...definition, joinMode: 'inner' })).map((row) => row['Site_Name'])).toEqual(['Site 1', 'Site 2'])
  })

  it('show plain rows with columns of each entity, those of the parent too, in an order and by page', async () => {
    const definition = {
      primaryEntityId: 'Log',
      joins: [
        { entityId: 'Job', joinType: 'parent' },
        { entityId: 'Site', parentEntityId: 'Job' },
      ],
      columns: [
        { property: 'Hours' },
        { entity: 'Job', property: 'Status' },
        { entity: 'Site', property: 'externalKey', alias: 'site' },
        { entity: 'Job', property: 'Due' },
      ],
      sort: [
        { entity: 'Job', property: 'Cost', direction: 'desc' },
        { property: 'Hours', direction: 'asc' },
      ],
    }
    const answer = await run(definition, { pageSize: 3 })
    expect(dataOf(answer)).toEqual([
      { Log_Hours: 4, Job_Status: 'done', site: 'S1', Job_Due: '2026-02-10' },
      { Log_Hours: 1.5, Job_Status: 'open', site: 'S1', Job_Due: '2026-01-15' },
      { Log_Hours: 2, Job_Status: 'open', site: 'S1', Job_Due: '2026-01-15' },
    ])
    expect(answer).toMatchObject({ pageSize: 3, totalCount: 4 })
    expect(dataOf(await run(definition, { pageSize: 3, page: 2 }))).toEqual([
      { Log_Hours: null, Job_Status: 'open', site: 'S2', Job_Due: '2026-02-20' },
    ])
  })

  it('filter after the join, where a missing side counts as empty', async () => {
    const definition = {
      primaryEntityId: 'Job',
      joins: [logs],
      columns: [{ property: 'key1' }, { entity: 'Log', property: 'externalKey' }],
    }
    const keys = async (filters: unknown) =>
      dataOf(await run({ ...definition, filters })).map((row) => `${String(row['Job_key1'])} ${String(row['Log_externalKey'])}`)
    expect(await keys([{ entity: 'Log', property: 'Name', op: 'isEmpty' }])).toEqual(['J4 null'])
    expect(await keys([{ entity: 'Log', property: 'Name', op: 'ne', value: 'x' }])).toEqual(['J1 L2', 'J4 null'])
    expect(
      await keys({
        entity: 'Log',
        rules: [
          { property: 'Hours', op: 'gte', value: 2 },
          { entity: 'Job', property: 'Status', op: 'eq', value: 'done' },
        ],
      }),
    ).toEqual(['J2 L3'])
    // What is not joined is a related record, as in a list.
    expect(await keys([{ entity: 'Site', property: 'Name', op: 'eq', value: 'Site 2' }])).toEqual(['J3 L4'])
    // A group with has asks of related records, also where these are joined.
    expect(await keys({ groups: [{ entity: 'Log', has: 'none', rules: [{ property: 'Name', op: 'eq', value: 'y' }] }] })).toEqual([
      'J2 L3',
      'J3 L4',
      'J4 null',
    ])
    expect(await keys([{ entity: 'Log', property: 'entityId', op: 'isEmpty' }])).toEqual(['J4 null'])
  })

  it('take an entity twice by aliases, peers, and one whose table nobody has needed yet', async () => {
    const job = await world.call('get_instance', { entity: 'Job', record: 'J1' })
    const twice = {
      primaryEntityId: 'Job',
      joins: [
        { entityId: 'Log', alias: 'first' },
        { entityId: 'Log', alias: 'second' },
      ],
      columns: [
        { entity: 'first', property: 'key1' },
        { entity: 'second', property: 'key1' },
      ],
      filters: [
        { property: 'eiRecordId', op: 'eq', value: job.eiRecordId },
        { entity: 'second', property: 'Name', op: 'eq', value: 'y' },
      ],
    }
    expect(dataOf(await run(twice))).toEqual([
      { first_key1: 'L1', second_key1: 'L2' },
      { first_key1: 'L2', second_key1: 'L2' },
    ])
    const empty = (joinMode: string) => ({
      primaryEntityId: 'Job',
      joins: [
        { entityId: 'Idle', joinMode },
        { entityId: 'Person', joinMode },
      ],
      aggregates: [
        { fn: 'COUNT', alias: 'n' },
        { entity: 'Idle', fn: 'COUNT', alias: 'idle' },
        { entity: 'Person', property: 'Name', fn: 'MAX', alias: 'who' },
      ],
    })
    expect(dataOf(await run(empty('left')))).toEqual([{ n: 4, idle: 0, who: null }])
    expect(dataOf(await run(empty('inner')))).toEqual([{ n: 0, idle: 0, who: null }])
  })

  it('apply the sight of each entity, and refuse what is withheld of a joined one', async () => {
    const key = await world.tenant.keyWith(['DataView'])
    const { tenantUserId } = await world.call('whoami', {}, { key })
    await world.call('set_entity_access', {
      entity: 'Log',
      rules: [{ tenantUserId, read: true, hidden: ['Name'], filter: [{ property: 'Hours', op: 'gte', value: 2 }] }],
    })
    const definition = {
      primaryEntityId: 'Job',
      joins: [logs],
      groupBy: [{ property: 'key1' }],
      aggregates: [{ entity: 'Log', property: 'Hours', fn: 'SUM', alias: 'hours' }],
    }
    expect(dataOf(await run(definition, {}, key))).toEqual([
      { Job_key1: 'J1', hours: 2 },
      { Job_key1: 'J2', hours: 4 },
      { Job_key1: 'J3', hours: null },
      { Job_key1: 'J4', hours: null },
    ])
    const named = { ...definition, aggregates: [{ entity: 'Log', property: 'Name', fn: 'MAX' }] }
    const refused = await refusal('execute_report_inline', { definitionJson: named }, key)
    expect([refused.status, refused.issues?.[0]?.path]).toEqual([400, '$.definitionJson.aggregates[0].property'])
    await world.call('set_entity_access', { entity: 'Log', rules: [] })
  })
})

describe('a tenant without a record', () => {
  it('has reports without rows', async () => {
    const { key } = await world.newTenant()
    await world.call('create_property', { internalName: 'Name', dataType: 'Text' }, { key })
    await world.call('create_entity', { internalName: 'Site', properties: [{ property: 'Name' }] }, { key })
    const definitionJson = { primaryEntityId: 'Site', columns: [{ property: 'Name' }] }
    expect(await run(definitionJson, {}, key)).toMatchObject({ rows: [], totalCount: 0 })
    expect(await world.call('explain_report', { definitionJson }, { key })).toMatchObject({ verdict: 'light', reads: [] })
    await world.call('create_report', { internalName: 'Sites', definitionJson }, { key })
    expect(await world.call('export_report', { report: 'Sites', format: 'csv' }, { key })).toMatchObject({ assetKey: expect.any(String) })
  })
})

describe('parameters, tokens and computed values', () => {
  const definition = {
    primaryEntityId: 'Job',
    groupBy: [{ property: 'Status' }],
    aggregates: [
      { property: 'Cost', fn: 'SUM', alias: 'cost' },
      { fn: 'COUNT', alias: 'n' },
    ],
    computed: [
      { alias: 'each', $expr: ['round', ['/', '[[cost]]', '[[n]]'], 2] },
      { alias: 'isMuch', $expr: ['>', '[[each]]', '[[$param.much]]'] },
    ],
    filters: [
      { property: 'Due', op: 'between', value: ['[[$param.from]]', '[[$param.to]]'] },
      { property: 'Status', op: 'eq', value: '[[$param.states]]' },
      { property: 'Cost', op: 'gte', value: '[[$param.least]]' },
    ],
    parameters: [
      { name: 'from', dataType: 'DateOnly' },
      { name: 'to', dataType: 'DateOnly' },
      { name: 'states', dataType: 'Choice', isList: true },
      { name: 'least', dataType: 'Number', isRequired: true, value: 0 },
      { name: 'much', dataType: 'Number', value: 15 },
    ],
  }

  it('stand in values, keep their types, and leave a rule out that asks for one that nobody gave', async () => {
    const all = await run(definition)
    expect(dataOf(all)).toEqual([
      { Job_Status: 'open', cost: 10.2, n: 2, each: 5.1, isMuch: false },
      { Job_Status: 'done', cost: 20.5, n: 1, each: 20.5, isMuch: true },
    ])
    expect(JSON.parse(all.rows[1].combinedPivotJson)).toEqual({
      Job_Status: 'done',
      Job_Cost: 20.5,
      Job_COUNT: 1,
      each: 20.5,
      isMuch: true,
    })
    const counts = async (params: object) => dataOf(await run(definition, { params })).map((row) => [row['Job_Status'], row['n']])
    expect(await counts({ from: '2026-02-01' })).toEqual([
      ['open', 1],
      ['done', 1],
    ])
    expect(await counts({ to: '2026-01-31' })).toEqual([['open', 1]])
    expect(await counts({ from: '2026-02-01', to: '2026-02-15' })).toEqual([['done', 1]])
    expect(await counts({ states: ['done'], least: 0.2 })).toEqual([['done', 1]])
    expect(await counts({ states: ['done', 'open'], least: 0.2 })).toHaveLength(2)
  })

  it('are refused with the nearest name, another type, or where a required one is missing', async () => {
    const withoutValue = {
      ...definition,
      parameters: [...definition.parameters.slice(0, 3), { name: 'least', dataType: 'Number', isRequired: true }, definition.parameters[4]],
    }
    const error = await refusal('execute_report_inline', { definitionJson: withoutValue, params: { form: '2026-01-01', to: 5 } })
    expect(error.status).toBe(400)
    expect(error.issues?.map((one) => [one.path, one.suggestion])).toEqual([
      ['$.params.form', 'from'],
      ['$.params.to', undefined],
      ['$.params.least', undefined],
    ])
  })

  it('name the caller and the day', async () => {
    const { tenantUserId } = await world.call('whoami', {})
    const mine = {
      primaryEntityId: 'Job',
      aggregates: [{ fn: 'COUNT', alias: 'n' }],
      filters: [
        { property: 'createdBy', op: 'eq', value: '[[$user.tenantUserId]]' },
        { property: 'createdDate', op: 'gte', value: '[[$today]]' },
      ],
    }
    expect(tenantUserId).toBeGreaterThan(0)
    expect(dataOf(await run(mine))).toEqual([{ n: 4 }])
  })
})

describe('definitions', () => {
  it('are refused with every mistake at its place, which validate_report tells too, with names out of joins', async () => {
    const definitionJson = {
      primaryEntityId: 'Job',
      joins: [
        { entityId: 'Log', joinType: 'parent' },
        { entityId: 'Sit', parentEntityId: 'Job' },
        { entityId: 'Person', parentEntityId: 'Lob' },
      ],
      columns: [{ entity: 'Jop', property: 'Name' }, { property: 'Hourss' }],
      filters: {
        rules: [
          { property: 'Cost', op: 'gt', value: 'much' },
          { property: 'Due', op: 'eq', value: '[[$param.day]]' },
        ],
      },
      variance: { dateFrom: 'someday', cadence: 'dayly' },
      pageSize: 0,
      colour: 1,
    }
    const checked = await world.call('validate_report', { definitionJson })
    const error = await refusal('create_report', { internalName: unique('Report'), definitionJson: JSON.stringify(definitionJson) })
    expect(error.status).toBe(400)
    expect(checked.ok).toBe(false)
    expect(checked.issues).toEqual(error.issues)
    const found = new Map(
      checked.issues.map((one: { path: string; suggestion?: string }) => [one.path.replace('$.definitionJson.', ''), one.suggestion]),
    )
    expect([...found.keys()].map(String).toSorted()).toEqual(
      [
        'colour',
        'columns[0].entity',
        'columns[1].property',
        'filters.rules[0].value',
        'filters.rules[1].value',
        'joins[0].joinType',
        'joins[1].entityId',
        'joins[2].parentEntityId',
        'pageSize',
        'variance.cadence',
        'variance.dateFrom',
      ].toSorted(),
    )
    expect([
      found.get('columns[0].entity'),
      found.get('joins[0].joinType'),
      found.get('joins[1].entityId'),
      found.get('variance.cadence'),
    ]).toEqual(['Job', 'child', 'Site', 'day'])
    const unknown = await refusal('execute_report_inline', { definitionJson: { primaryEntityId: 'Nothing' } })
    expect([unknown.status, unknown.code]).toEqual([400, 'unknown_entity'])
    const near = await world.call('validate_report', {
      definitionJson: { primaryEntityId: 'Job', joins: [logs], columns: [{ property: 'Hour' }] },
    })
    expect(near.issues[0]).toMatchObject({ suggestion: 'Hours', message: expect.stringContaining('Log has Hours') })
    const settings = await world.call('validate_report', {
      definitionJson: { primaryEntityId: 'Job', dateFrom: '2026-01-01', cadence: 'day' },
    })
    expect(settings.issues.map(({ path, message, suggestion }: Record<string, unknown>) => [path, message, suggestion])).toEqual([
      ['$.definitionJson.dateFrom', 'dateFrom stands in variance: {dateFrom, dateTo, cadence}.', undefined],
      ['$.definitionJson.cadence', 'cadence stands in variance: {dateFrom, dateTo, cadence}.', undefined],
    ])
    expect(await world.call('validate_report', { definitionJson: '{"a":' })).toMatchObject({
      ok: false,
      issues: [{ path: '$.definitionJson' }],
    })
  })

  it('warn of a sum that a join multiplies, and of a left join that an inner one undoes', async () => {
    const warned = async (more: object) =>
      (
        await world.call('validate_report', {
          definitionJson: { primaryEntityId: 'Job', joins: [logs, { entityId: 'Person', joinMode: 'left' }], ...more },
        })
      ).issues.map((one: { path: string; severity: string }) => [one.path, one.severity])
    expect(await warned({ aggregates: [{ entity: 'Log', property: 'Hours', fn: 'SUM' }] })).toEqual([
      ['$.definitionJson.aggregates[0]', 'warning'],
    ])
    expect(
      await warned({
        joins: [logs],
        aggregates: [
          { entity: 'Log', property: 'Hours', fn: 'SUM' },
          { property: 'Cost', fn: 'MAX' },
        ],
      }),
    ).toEqual([])
    expect(
      await warned({
        joins: [
          { entityId: 'Site', joinMode: 'left' },
          { entityId: 'Job', alias: 'others', parentEntityId: 'Site', joinType: 'child' },
        ],
        columns: ['Name'],
      }),
    ).toEqual([['$.definitionJson.joins[1].joinMode', 'warning']])
  })

  it('are kept, listed, copied, changed and deleted, and are seen by their owner until they are shared', async () => {
    const internalName = unique('Report')
    const definitionJson = {
      primaryEntityId: 'Job',
      groupBy: [{ property: 'Status' }],
      aggregates: [{ fn: 'COUNT', alias: 'n' }],
      pageSize: 1,
    }
    const saved = await world.call('create_report', { internalName, definitionJson })
    expect(saved).toEqual({
      reportDefinitionId: expect.any(Number),
      internalName,
      description: '',
      isShared: false,
      isSystem: false,
      isApiVisible: true,
      definitionJson: JSON.stringify(definitionJson),
      createdDate: expect.any(String),
      modifiedDate: expect.any(String),
      ownerName: 'admin',
      validation: null,
      schedule: null,
    })
    expect(await world.call('list_reports', {})).toContainEqual(saved)
    expect(await world.call('get_report', { report: internalName.toUpperCase() })).toEqual(saved)
    expect(await world.call('execute_report', { report: saved.reportDefinitionId })).toMatchObject({
      pageSize: 1,
      totalCount: 2,
      rows: [{ data: { Job_Status: 'open', n: 3 } }],
    })
    const other = await world.tenant.keyWith(['DataView', 'DataEdit'])
    expect((await refusal('execute_report', { report: internalName }, other)).status).toBe(404)
    await world.call('update_report', { report: internalName, isShared: true, definitionJson: { ...definitionJson, pageSize: 7 } })
    expect((await world.call('execute_report', { report: internalName }, { key: other })).pageSize).toBe(7)
    expect((await refusal('update_report', { report: internalName, isShared: false }, other)).status).toBe(403)
    const copy = await world.call('clone_report', { report: internalName, internalName: unique('Report') }, { key: other })
    expect(copy).toMatchObject({ isShared: false, ownerName: expect.any(String) })
    expect((await refusal('create_report', { internalName: internalName.toLowerCase(), definitionJson })).status).toBe(409)
    expect(await world.call('delete_report', { report: internalName })).toEqual({
      reportDefinitionId: saved.reportDefinitionId,
      deleted: true,
    })
    expect((await refusal('delete_report', { report: internalName })).status).toBe(404)
  })

  it('go on after renames, in filters, orders and expressions too, and hold what they use', async () => {
    const [entity, property, option] = [unique('Machine'), unique('Power'), unique('State')]
    await world.call('create_property', { internalName: property, dataType: 'Number' })
    await world.call('create_property', { internalName: option, dataType: 'Choice', propertyOptions: [{ internalName: 'on' }] })
    await world.call('create_entity', { internalName: entity, properties: [{ property }, { property: option }] })
    await world.call('save_instance', { entity, key1: 'M1', data: { [property]: 5, [option]: 'on' } })
    const total = `${entity}_${property}`
    const report = unique('Report')
    const definitionJson = {
      primaryEntityId: entity,
      groupBy: [{ entity, property: option, alias: 'state' }],
      aggregates: [{ entity, property, fn: 'SUM' }],
      computed: [{ alias: 'twice', $expr: ['*', `[[${total}]]`, 2] }],
      filters: [{ property, op: 'gt', value: 1 }],
      having: [
        { property: total, op: 'gt', value: 1 },
        { property: 'state', op: 'eq', value: 'on' },
      ],
      sort: [{ property: total, direction: 'desc' }],
    }
    await world.call('create_report', { internalName: report, definitionJson })
    const held = await refusal('detach_property', { entity, entityPropertyId: property, discardsValues: true })
    expect([held.status, held.message]).toEqual([409, expect.stringContaining(`the report ${report}`)])
    const [machine, power] = [unique('Device'), unique('Watt')]
    await world.call('update_property', { property, internalName: power })
    await world.call('update_entity', { entity, internalName: machine })
    const renamed = JSON.parse((await world.call('get_report', { report })).definitionJson)
    expect(renamed).toMatchObject({
      primaryEntityId: machine,
      sort: [{ property: `${machine}_${power}` }],
      filters: [{ property: power }],
      computed: [{ $expr: ['*', `[[${machine}_${power}]]`, 2] }],
    })
    expect(dataOf(await world.call('execute_report', { report }))).toEqual([{ state: 'on', [`${machine}_${power}`]: 5, twice: 10 }])
    await world.call('detach_property', { entity: machine, entityPropertyId: power, force: true, discardsValues: true })
    const broken = await world.call('get_report', { report })
    expect(broken.validation.ok).toBe(false)
    const error = await refusal('execute_report', { report })
    expect([error.status, error.code]).toEqual([409, 'conflict'])
  })
})

describe('time', () => {
  const definition = {
    primaryEntityId: 'Tank',
    groupBy: [{ property: 'key1' }],
    aggregates: [{ property: 'Level', fn: 'SUM', alias: 'level' }],
  }
  const stamps: string[] = []

  beforeAll(async () => {
    const { call } = world
    await call('create_property', { internalName: 'Level', dataType: 'Number' })
    await call('create_entity', { internalName: 'Tank', properties: [{ property: 'Level' }] })
    const save = async (key1: string, level: number) =>
      void stamps.push((await call('save_instance', { entity: 'Tank', key1, data: { Level: level } })).modifiedDate)
    await save('T1', 1)
    await save('T2', 5)
    await save('T1', 2)
    await call('delete_instance_by_key', { entity: 'Tank', key1: 'T2' })
  })

  it('is one moment with asOfDate', async () => {
    expect(dataOf(await run({ ...definition, asOfDate: stamps[1] }))).toEqual([
      { Tank_key1: 'T1', level: 1 },
      { Tank_key1: 'T2', level: 5 },
    ])
    expect(dataOf(await run({ ...definition, asOfDate: stamps[2] }))).toEqual([
      { Tank_key1: 'T1', level: 2 },
      { Tank_key1: 'T2', level: 5 },
    ])
    expect(dataOf(await run(definition))).toEqual([{ Tank_key1: 'T1', level: 2 }])
  })

  it('is every change with variance, each cell flagged that differs from the snapshot before', async () => {
    const answer = await run({ ...definition, variance: { dateFrom: stamps[0], cadence: 'change' } })
    const rows = answer.rows.map((row: { snapshotDate: string; data: Record<string, unknown>; changeFlags: Record<string, boolean> }) => [
      row.snapshotDate,
      row.data['Tank_key1'],
      row.data['level'],
      row.changeFlags['level'],
    ])
    expect(rows).toEqual([
      [stamps[0], 'T1', 1, false],
      [stamps[1], 'T1', 1, false],
      [stamps[1], 'T2', 5, true],
      [stamps[2], 'T1', 2, true],
      [stamps[2], 'T2', 5, false],
      [expect.any(String), 'T1', 2, false],
    ])
    expect(answer.totalCount).toBe(6)
    expect(answer.rows[3].changeFlags).toEqual({ Tank_key1: false, level: true })
  })

  it('has no snapshot with rows of an entity that was never written', async () => {
    await world.call('create_entity', { internalName: 'Unwritten', properties: [] })
    const asked = {
      primaryEntityId: 'Unwritten',
      columns: [{ property: 'externalKey' }],
      variance: { dateFrom: '2026-01-01', cadence: 'change' },
    }
    expect(await run(asked)).toMatchObject({ rows: [], totalCount: 0 })
  })

  it('goes at a pace, from the first moment to the last, and ends at 500 snapshots', async () => {
    const now = Date.now()
    const at = (ms: number) => new Date(now + ms).toISOString()
    const hours = await run(
      {
        primaryEntityId: 'Tank',
        aggregates: [{ fn: 'COUNT', alias: 'n' }],
        variance: { dateFrom: at(-3 * 3_600_000), dateTo: at(0), cadence: 'hour' },
      },
      { pageSize: 100 },
    )
    expect(hours.rows.length).toBe(5)
    expect(hours.rows[0]).toMatchObject({ snapshotDate: at(-3 * 3_600_000), data: { n: 0 } })
    expect(hours.rows.at(-1)).toMatchObject({ snapshotDate: at(0) })
    expect(hours.truncated).toBeUndefined()
    const long = await run(
      { primaryEntityId: 'Tank', aggregates: [{ fn: 'COUNT', alias: 'n' }], variance: { dateFrom: at(-600 * 3_600_000), cadence: 'hour' } },
      { pageSize: 1000 },
    )
    expect([long.totalCount, long.truncated]).toEqual([500, true])
  })
})

describe('whoever writes a report out', () => {
  it('reads all of its rows, batch by batch, with what is computed of each', async () => {
    const { services } = world.platform
    await world.call('create_entity', { internalName: 'Reading', properties: [{ property: 'Hours' }] })
    const rows = Array.from({ length: 250 }, (_, n) => ({ key1: `R${n}`, data: { Hours: n } }))
    await world.call('save_instances_bulk', { entity: 'Reading', rows })
    const said = {
      primaryEntityId: 'Reading',
      columns: [{ property: 'Hours', alias: 'hours' }],
      computed: [{ alias: 'twice', $expr: ['*', '[[hours]]', 2] }],
      sort: [{ property: 'hours', direction: 'desc' }],
    }
    const [sizes, read] = await inSystemTransaction(services, world.tenant.tenantId, async (context) => {
      const acting = { ...context, actor: { ...context.actor, tenantUserId: world.tenant.tenantUserId } }
      const catalog = await cachedCatalog(acting)
      const run = await prepareRun(acting, catalog, await soundDraft(catalog, said), {})
      const batches = await Array.fromAsync(readAllRows(acting, run))
      return [batches.map((batch) => batch.length), batches.flat()] as const
    })
    expect(sizes.length).toBeGreaterThan(1)
    expect(read).toEqual(rows.map(({ data }) => ({ hours: data.Hours, twice: 2 * data.Hours })).toReversed())
  })
})

describe('an answer that would be too large', () => {
  it('is 413 and names the narrower call and the export', async () => {
    const name = 'x'.repeat(32_000)
    await world.call('create_entity', { internalName: 'Book', properties: [{ property: 'Name' }] })
    await world.call('save_instances_bulk', {
      entity: 'Book',
      rows: Array.from({ length: 80 }, (_, n) => ({ key1: `B${n}`, data: { Name: name } })),
    })
    const definitionJson = { primaryEntityId: 'Book', columns: [{ property: 'Name' }], pageSize: 100 }
    const error = await refusal('execute_report_inline', { definitionJson })
    expect([error.status, error.code]).toEqual([413, 'too_large'])
    expect(error.message).toMatch(/pageSize 6\d fits.*export_report/)
    expect((await run(definitionJson, { pageSize: 60 })).rows.length).toBe(60)
  })
})
