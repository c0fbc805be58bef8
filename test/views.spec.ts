import { describe, expect, it } from 'vitest'

import { isListing, structuredText } from '#platform/answer.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { queueJob, readJobForRun } from '#tools/jobs/service.ts'
import { viewExportRunner } from '#tools/views/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

interface Arranged {
  readonly entity: string
  readonly title: string
  readonly status: string
  readonly cost: string
}

/** An entity with three properties and six records: WO-1 to WO-4 open, WO-5 closed, X-6 open. */
async function arranged(): Promise<Arranged> {
  const [entity, title, status, cost] = [unique('Order'), unique('Title'), unique('Status'), unique('Cost')]
  await world.call('create_property', { internalName: title, dataType: 'Text' })
  await world.call('create_property', {
    internalName: status,
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'closed' }],
  })
  await world.call('create_property', { internalName: cost, dataType: 'Number' })
  await world.call('create_entity', { internalName: entity, properties: [{ property: title }, { property: status }, { property: cost }] })
  const keys = ['WO-1', 'WO-2', 'WO-3', 'WO-4', 'WO-5', 'X-6']
  const rows = keys.map((key1, index) => ({
    key1,
    data: { [title]: `Valve ${index + 1}`, [status]: index === 4 ? 'closed' : 'open', [cost]: index * 10 },
  }))
  await world.call('save_instances_bulk', { entity, rows })
  return { entity, title, status, cost }
}

const jsonOf = ({ title, status, cost }: Arranged) => ({
  columns: [title, 'modifiedBy', 'createdDate', cost],
  filters: { externalKeyFilter: 'wo-', propertyFilters: { logic: 'AND', rules: [{ property: status, op: 'eq', value: 'open' }] } },
  sort: [{ property: cost, direction: 'desc' }],
  pageSize: 3,
})

async function saved(of: Arranged, more: Record<string, unknown> = {}, key?: string): Promise<string> {
  const internalName = unique('View')
  await world.call('save_view', { entity: of.entity, internalName, viewJson: jsonOf(of), ...more }, key === undefined ? {} : { key })
  return internalName
}

const keysOf = (rows: { key1: string }[]) => rows.map((row) => row.key1)
const execute = (entity: string, view: string, more: Record<string, unknown> = {}) => world.call('execute_view', { entity, view, ...more })

describe('saving a view', () => {
  it('answers it as its list shows it, from text and from an object alike', async () => {
    const of = await arranged()
    const [first, second] = [unique('View'), unique('View')]
    const asObject = await world.call('save_view', { entity: of.entity, internalName: first, viewJson: jsonOf(of), isShared: true })
    const asText = await world.call('save_view', { entity: of.entity, internalName: second, viewJson: JSON.stringify(jsonOf(of)) })
    expect(asObject).toEqual({
      entityInstanceViewId: expect.any(Number),
      entityId: expect.any(Number),
      internalName: first,
      description: '',
      isShared: true,
      isSystem: false,
      isApiVisible: true,
      viewJson: JSON.stringify(jsonOf(of)),
      syncEnabled: false,
      syncFrequencyMinutes: null,
      lastExportUtc: null,
      createdDate: expect.any(String),
      modifiedDate: expect.any(String),
      ownerName: 'admin',
      validation: null,
    })
    expect(Object.keys(asObject)[0]).toBe('entityInstanceViewId')
    expect(asText.isShared).toBe(false)
    expect(await world.call('list_views', { entity: of.entity })).toEqual([asObject, asText])
    expect(await world.call('get_view', { entity: of.entity, view: asText.entityInstanceViewId })).toEqual(asText)
    expect(await world.call('get_view', { entity: of.entity, view: first.toLowerCase() })).toEqual(asObject)
  })

  it('refuses each mistake with its place and the nearest right name, and validate_view tells the same', async () => {
    const of = await arranged()
    const viewJson = {
      columns: [`${of.title}x`, { property: of.cost, colour: 1 }, 7.5],
      filters: {
        externalKeyFilter: 5,
        propertyFilters: {
          rules: [
            { property: of.status, op: 'eq', value: 'opn' },
            { property: of.cost, op: 'contains', value: 'a' },
          ],
        },
      },
      sort: [{ property: of.cost, direction: 'down' }],
      pageSize: 5_000,
      colums: [],
    }
    const error = await refusal('save_view', { entity: of.entity, internalName: unique('View'), viewJson })
    const checked = await world.call('validate_view', { entity: of.entity, viewJson: JSON.stringify(viewJson) })
    expect(error.status).toBe(400)
    expect(checked).toMatchObject({ ok: false, valid: false })
    expect(checked.issues).toEqual(error.issues)
    expect(checked.issues.map((one: { path: string }) => one.path).sort()).toEqual([
      '$.viewJson.columns[0]',
      '$.viewJson.columns[1].colour',
      '$.viewJson.columns[2]',
      '$.viewJson.colums',
      '$.viewJson.filters.externalKeyFilter',
      '$.viewJson.filters.propertyFilters.rules[0].value',
      '$.viewJson.filters.propertyFilters.rules[1].op',
      '$.viewJson.pageSize',
      '$.viewJson.sort[0].direction',
    ])
    const suggested = new Map(checked.issues.map((one: { path: string; suggestion?: string }) => [one.path, one.suggestion]))
    expect(suggested.get('$.viewJson.columns[0]')).toBe(of.title)
    expect(suggested.get('$.viewJson.colums')).toBe('columns')
    expect(suggested.get('$.viewJson.filters.propertyFilters.rules[0].value')).toBe('open')
  })

  it('is 400 with the code of an unknown property where that is all, and for what is no JSON', async () => {
    const of = await arranged()
    const unknown = await refusal('save_view', { entity: of.entity, internalName: unique('View'), viewJson: { columns: ['Nothing'] } })
    expect([unknown.status, unknown.code]).toEqual([400, 'unknown_property'])
    const broken = await refusal('save_view', { entity: of.entity, internalName: unique('View'), viewJson: '{"columns": [' })
    expect([broken.status, broken.issues?.[0]?.path]).toEqual([400, '$.viewJson'])
    const checked = await world.call('validate_view', { entity: of.entity, viewJson: '[1]' })
    expect(checked).toMatchObject({ ok: false, valid: false, issues: [{ path: '$.viewJson' }] })
  })

  it('refuses taken names with 409 and words of the paths with 400', async () => {
    const of = await arranged()
    const name = await saved(of)
    const taken = await refusal('save_view', { entity: of.entity, internalName: name.toUpperCase(), viewJson: {} })
    const word = await refusal('save_view', { entity: of.entity, internalName: 'List', viewJson: {} })
    expect([taken.status, taken.code, word.status]).toEqual([409, 'already_exists', 400])
    const checked = await world.call('validate_view', { entity: of.entity, internalName: name, viewJson: {} })
    expect(checked).toMatchObject({ ok: true, valid: true, issues: [{ path: '$.internalName', severity: 'warning' }] })
  })

  it('accepts a column that comes twice, with a warning, and shows it once', async () => {
    const of = await arranged()
    const name = await saved(of, { viewJson: { columns: [of.title, of.title] } })
    const { validation } = await world.call('get_view', { entity: of.entity, view: name })
    expect(validation).toMatchObject({ ok: true, valid: true, issues: [{ path: '$.viewJson.columns[1]', severity: 'warning' }] })
    const [row] = await execute(of.entity, name)
    expect(Object.keys(row.data)).toEqual([of.title])
  })
})

describe('running a view', () => {
  it('answers its records with its columns, in its order, a page of its size at a time', async () => {
    const of = await arranged()
    const name = await saved(of)
    const rows = await execute(of.entity, name)
    expect(keysOf(rows)).toEqual(['WO-4', 'WO-3', 'WO-2'])
    expect(Object.keys(rows[0].data)).toEqual([of.title, 'modifiedBy', 'createdDate', of.cost])
    expect(rows[0].data).toEqual({
      [of.title]: 'Valve 4',
      modifiedBy: world.tenant.tenantUserId,
      createdDate: rows[0].createdDate,
      [of.cost]: 30,
    })
    expect(Object.values(JSON.parse(rows[0].dataJson))).toEqual(['Valve 4', 30])
    const answer = await world.run('execute_view', { entity: of.entity, view: name })
    if (!isListing(answer) || answer.nextCursor === undefined) throw new Error('There is no second page')
    expect(answer.totalCount).toBe(4)
    expect(keysOf(await execute(of.entity, name, { cursor: answer.nextCursor }))).toEqual(['WO-1'])
    expect(keysOf(await execute(of.entity, name, { page: 2 }))).toEqual(['WO-1'])
  })

  it('narrows by filters of the call, and takes its sort and page size', async () => {
    const of = await arranged()
    const name = await saved(of)
    const cheap = [{ property: of.cost, op: 'lte', value: 20 }]
    expect(keysOf(await execute(of.entity, name, { filterRules: cheap }))).toEqual(['WO-3', 'WO-2', 'WO-1'])
    expect(
      keysOf(await execute(of.entity, name, { filters: { logic: 'OR', rules: cheap }, sort: [{ property: 'key1' }], pageSize: 2 })),
    ).toEqual(['WO-1', 'WO-2'])
    // What the view leaves out no filter brings back.
    expect(await execute(of.entity, name, { filterRules: [{ property: 'key1', op: 'eq', value: 'X-6' }] })).toEqual([])
  })

  it('shows fewer of its columns where asked, and no others', async () => {
    const of = await arranged()
    const name = await saved(of)
    const [row] = await execute(of.entity, name, { properties: [of.cost.toUpperCase()] })
    expect(row.data).toEqual({ [of.cost]: 30 })
    const error = await refusal('execute_view', { entity: of.entity, view: name, properties: [of.status] })
    expect([error.status, error.code]).toEqual([400, 'unknown_property'])
  })

  it('shows every property where it names no columns, and takes a filter without its two names', async () => {
    const of = await arranged()
    const open = [{ property: of.status, op: 'eq', value: 'open' }]
    for (const filters of [open, { logic: 'AND', rules: open }, { propertyFilters: open }]) {
      const rows = await execute(of.entity, await saved(of, { viewJson: { filters } }))
      expect(keysOf(rows)).toEqual(['WO-1', 'WO-2', 'WO-3', 'WO-4', 'X-6'])
      expect(Object.keys(rows[0].data)).toEqual([of.title, of.status, of.cost])
    }
    const keyed = await saved(of, { viewJson: { filters: { externalKeyFilter: { op: 'startsWith', value: 'X' } } } })
    expect(keysOf(await execute(of.entity, keyed))).toEqual(['X-6'])
  })

  it('leaves dataJson out over MCP unless it is asked for', async () => {
    const of = await arranged()
    const name = await saved(of)
    const items = async (more = {}) =>
      JSON.parse(structuredText(await world.run('execute_view', { entity: of.entity, view: name, ...more }, { transport: 'mcp' }))).items
    expect('dataJson' in (await items())[0]).toBe(false)
    expect('dataJson' in (await items({ withDataJson: true }))[0]).toBe(true)
  })

  it('goes on after renames, under the names of today', async () => {
    const of = await arranged()
    const name = await saved(of)
    const [state, price] = [unique('State'), unique('Price')]
    await world.call('update_property', { property: of.status, internalName: state })
    await world.call('update_property', { property: of.cost, internalName: price })
    const [row] = await execute(of.entity, name)
    expect(row.data[price]).toBe(30)
    const { viewJson, validation } = await world.call('get_view', { entity: of.entity, view: name })
    expect(JSON.parse(viewJson)).toEqual(jsonOf({ ...of, status: state, cost: price }))
    expect(validation).toBeNull()
  })

  it('is refused with 409 once something that it names is gone, which its list tells', async () => {
    const of = await arranged()
    const name = await saved(of)
    const detached = { entity: of.entity, entityPropertyId: of.status, discardsValues: true }
    expect((await refusal('detach_property', detached)).message).toContain(`the view ${name}`)
    await world.call('detach_property', { ...detached, force: true })
    const [listed] = await world.call('list_views', { entity: of.entity })
    expect(listed.internalName).toBe(name)
    expect(listed.validation).toMatchObject({ ok: false, valid: false })
    expect(listed.validation.issues[0].path).toBe('$.viewJson.filters.propertyFilters.rules[0].property')
    const error = await refusal('execute_view', { entity: of.entity, view: name })
    expect([error.status, error.code]).toEqual([409, 'conflict'])
    expect(error.message).toContain(of.status)
    await world.call('update_view', { entity: of.entity, view: name, viewJson: { columns: [of.title] } })
    expect(await execute(of.entity, name)).toHaveLength(6)
  })
})

describe('a view over related records', () => {
  it('filters by its parents, keeps their names, and holds the relationship that it goes over', async () => {
    const [of, site, city] = [await arranged(), unique('Site'), unique('City')]
    await world.call('create_property', { internalName: city, dataType: 'Text' })
    await world.call('create_entity', { internalName: site, properties: [{ property: city }] })
    await world.call('attach_child_entity', { entity: site, childEntity: of.entity })
    await world.call('save_instance', { entity: site, key1: 'S1', data: { [city]: 'Bern' } })
    await world.call('save_instance', { entity: of.entity, key1: 'WO-1', parentKey1: 'S1' })
    const name = await saved(of, {
      viewJson: { columns: [of.title], filters: [{ entity: site, property: city, op: 'eq', value: 'Bern' }] },
    })
    expect(keysOf(await execute(of.entity, name))).toEqual(['WO-1'])
    const town = unique('Town')
    await world.call('update_property', { property: city, internalName: town })
    expect(keysOf(await execute(of.entity, name))).toEqual(['WO-1'])
    expect((await world.call('get_property_usage', { property: town })).definitions).toMatchObject([{ internalName: name }])
    const [record] = await world.call('list_instances', { entity: of.entity, filterRules: [{ property: 'key1', op: 'eq', value: 'WO-1' }] })
    await world.call('delete_instance', { entity: of.entity, record: record.eiRecordId })
    const error = await refusal('detach_child_entity', { entity: site, childEntity: of.entity })
    expect([error.status, error.message.includes(name)]).toEqual([409, true])
    await world.call('detach_child_entity', { entity: site, childEntity: of.entity, force: true })
    expect((await refusal('execute_view', { entity: of.entity, view: name })).status).toBe(409)
  })
})

describe('a view of an entity with access rules', () => {
  it('shows and exports to each what the rules show them, in a call and in a job', async () => {
    const of = await arranged()
    const key = await world.tenant.keyWith(['DataView', 'DataEdit'])
    const name = await saved(of, { isShared: true })
    const cheap = { rules: [{ property: of.cost, op: 'lte', value: 20 }] }
    await world.call('set_entity_access', {
      entity: of.entity,
      rules: [
        { role: 'BuilderAdmin', read: true },
        { role: 'DataView', read: true, filter: cheap, hidden: [of.title] },
      ],
    })
    const rows = await world.call('execute_view', { entity: of.entity, view: name }, { key })
    expect(keysOf(rows)).toEqual(['WO-3', 'WO-2', 'WO-1'])
    expect(rows[0].data[of.title]).toBeNull()
    expect(keysOf(await execute(of.entity, name))).toEqual(['WO-4', 'WO-3', 'WO-2'])
    const exported = await world.call('export_view', { entity: of.entity, view: name, format: 'json' }, { key })
    expect(exported.rows).toBe(3)
    const fileOf = async (assetKey: string) => {
      const answer = (await world.run('download_asset', { assetKey }, { key })) as { body: AsyncIterable<Buffer> }
      const parts: Buffer[] = []
      for await (const part of answer.body) parts.push(part)
      return JSON.parse(Buffer.concat(parts).toString()).map((row: Record<string, unknown>) => [row[of.title], row[of.cost]])
    }
    const shown = [20, 10, 0].map((cost) => [null, cost])
    expect(await fileOf(exported.assetKey)).toEqual(shown)

    const { services } = world.platform
    const { tenantId } = world.tenant
    const { entityInstanceViewId: viewId, entityId } = await world.call('get_view', { entity: of.entity, view: name })
    const { tenantUserId } = await world.call('whoami', {}, { key })
    const asUser = { tenantUserId }
    const run = async (roleFlag: number) => {
      const request = {
        kind: 'viewExport',
        operation: 'export_view',
        requiredRoles: 'DataView' as const,
        input: { entityId, viewId, format: 'json', roleFlag },
      }
      const { jobId } = await inSystemTransaction(services, tenantId, (context) => queueJob(context, request), asUser)
      const job = await readJobForRun(services, { tenantId, jobId, attempt: 1 })
      if (!job) throw new Error('The job has nothing to do')
      await viewExportRunner.step(services, job, new AbortController().signal)
      return world.call('get_job', { jobId })
    }
    // Whatever the call said that it holds, the job reads as the user whose it is.
    const { state, result } = await run(1023)
    expect([state, result.rows]).toEqual(['succeeded', 3])
    expect(await fileOf(result.assetKey)).toEqual(shown)
    await expect(run(0)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('changing, copying and deleting a view', () => {
  it('changes what is named and nothing else', async () => {
    const of = await arranged()
    const name = await saved(of, { description: 'Before' })
    const renamed = unique('Renamed')
    const row = await world.call('update_view', { entity: of.entity, view: name, internalName: renamed, isShared: true })
    expect(row).toMatchObject({ internalName: renamed, description: 'Before', isShared: true, viewJson: JSON.stringify(jsonOf(of)) })
    expect((await refusal('get_view', { entity: of.entity, view: name })).status).toBe(404)
  })

  it('is for its owner and builders: others copy it', async () => {
    const of = await arranged()
    const shared = await saved(of, { isShared: true })
    const own = await saved(of)
    const key = await world.tenant.keyWith(['DataView', 'DataEdit'])
    const seen = await world.call('list_views', { entity: of.entity }, { key })
    expect(seen.map((row: { internalName: string }) => row.internalName)).toEqual([shared])
    expect((await refusal('execute_view', { entity: of.entity, view: own }, key)).status).toBe(404)
    for (const [name, more] of [
      ['update_view', { isShared: false }],
      ['delete_view', {}],
    ] as const)
      expect((await refusal(name, { entity: of.entity, view: shared, ...more }, key)).status).toBe(403)
    const copy = unique('Copy')
    const cloned = await world.call('clone_view', { entity: of.entity, view: shared, internalName: copy }, { key })
    expect(cloned).toMatchObject({ internalName: copy, isShared: false, viewJson: JSON.stringify(jsonOf(of)) })
    await world.call('delete_view', { entity: of.entity, view: copy }, { key })
    expect((await refusal('delete_view', { entity: of.entity, view: copy }, key)).status).toBe(404)
  })

  it('hides from keys what is not for them until a builder shares it again', async () => {
    const of = await arranged()
    const name = await saved(of, { isShared: true, isApiVisible: false })
    expect(await world.call('list_views', { entity: of.entity })).toEqual([])
    expect((await refusal('execute_view', { entity: of.entity, view: name })).status).toBe(404)
    const shown = await world.call('share_view', { entity: of.entity, view: name, isApiVisible: true })
    expect([shown.isShared, shown.isApiVisible]).toEqual([true, true])
    expect(await execute(of.entity, name)).toHaveLength(3)
  })

  it('belongs to one entity, and goes with it', async () => {
    const [of, other] = [await arranged(), await arranged()]
    const name = await saved(of)
    expect((await refusal('get_view', { entity: other.entity, view: name })).status).toBe(404)
    const { properties } = await world.call('get_entity_usage', { entity: of.entity }).then((usage) => ({ properties: usage.definitions }))
    expect(properties).toEqual([{ kind: 'view', definitionId: expect.any(Number), internalName: name }])
    const records = await world.call('list_instances', { entity: of.entity })
    await world.call('delete_instances_bulk', { entity: of.entity, keys: records.map((row: { key1: string }) => ({ key1: row.key1 })) })
    expect((await refusal('delete_entity', { entity: of.entity })).message).toContain(name)
    await world.call('delete_entity', { entity: of.entity, force: true })
    expect(await world.sql`select 1 from platform.definition where internal_name = ${name}`).toHaveLength(0)
  })

  it('reloads no catalog of saves', async () => {
    const of = await arranged()
    const [before] = await world.sql`select catalog_version from platform.tenant where tenant_id = ${world.tenant.tenantId}`
    await saved(of)
    const [after] = await world.sql`select catalog_version from platform.tenant where tenant_id = ${world.tenant.tenantId}`
    expect(after).toEqual(before)
  })
})
