import { describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld({ MAX_BULK_ROWS: '3000' })

/** A tenant with five orders, of which three are open. */
async function arranged() {
  const tenant = await world.newTenant()
  const call = (name: string, input: object, key = tenant.key) => world.call(name, { entity: 'Order', ...input }, { key, transport: 'mcp' })
  await world.call('create_property', { internalName: 'Title', dataType: 'Text', maxValueOrLength: 20 }, { key: tenant.key })
  await world.call('create_property', { internalName: 'Cost', dataType: 'Number' }, { key: tenant.key })
  const propertyOptions = [{ internalName: 'open' }, { internalName: 'done' }]
  await world.call('create_property', { internalName: 'Status', dataType: 'Choice', propertyOptions }, { key: tenant.key })
  await world.call(
    'create_entity',
    { internalName: 'Order', properties: ['Title', 'Cost', 'Status'].map((property) => ({ property })) },
    { key: tenant.key },
  )
  const rows = ['open', 'open', 'open', 'done', 'done'].map((Status, index) => ({
    key1: `O-${index}`,
    data: { Title: `t${index}`, Status },
  }))
  await call('save_instances_bulk', { rows })
  const values = async (property: string) =>
    ((await call('list_instances', { sort: [{ property: 'key1' }] })) as { data: Record<string, unknown> }[]).map(
      (one) => one.data[property],
    )
  const refused = (input: object, key = tenant.key) => world.refusal('update_instances_by_filter', { entity: 'Order', ...input }, key)
  return { tenant, call, values, refused, update: (input: object, key = tenant.key) => call('update_instances_by_filter', input, key) }
}

const open = [{ property: 'Status', op: 'eq', value: 'open' }]

describe('changing all records that a filter selects', () => {
  it('sets the values on these alone, tells how many differed, and writes their history', async () => {
    const { call, update, values } = await arranged()
    await call('save_instance', { key1: 'O-1', data: { Cost: 7 } })
    expect(await update({ filterRules: open, data: { Cost: 7 } })).toEqual({ matched: 3, updated: 2 })
    expect(await values('Cost')).toEqual([7, 7, 7, null, null])
    expect(await values('Title')).toEqual(['t0', 't1', 't2', 't3', 't4'])
    const history = await call('get_instance_history', { record: 'O-0' })
    expect(history.map((one: { changeKind: string }) => one.changeKind)).toEqual(['added', 'modified'])
    // What it changes may end what the filter asks for.
    expect(await update({ filterRules: open, data: { Status: 'done', Cost: null } })).toEqual({ matched: 3, updated: 3 })
    expect(await update({ filterRules: open, data: { Cost: 1 } })).toEqual({ matched: 0, updated: 0 })
  })

  it('only tells in a dry run, and there too what would be refused', async () => {
    const { update, values, refused } = await arranged()
    expect(await update({ filterRules: open, data: { Status: 'done' }, dryRun: true })).toEqual({ matched: 3, updated: 0 })
    expect(await values('Status')).toEqual(['open', 'open', 'open', 'done', 'done'])
    const wrong = { filterRules: open, data: { Title: 'x'.repeat(30), Cost: 'much', Statu: 'done' } }
    for (const dryRun of [true, false]) {
      const error = await refused({ ...wrong, dryRun })
      expect(error.status).toBe(400)
      expect(error.issues?.map((issue) => issue.path).toSorted()).toEqual(['$.data.Cost', '$.data.Statu', '$.data.Title'])
    }
    expect((await refused({ filterRules: open, data: {} })).issues?.[0]?.path).toBe('$.data')
    expect((await refused({ filterRules: [{ property: 'Statu', op: 'eq', value: 'x' }], data: { Cost: 1 } })).code).toBe('unknown_property')
  })

  it('is all or nothing, and names the records that cannot be saved so', async () => {
    const { call, refused, values, tenant } = await arranged()
    const { eiRecordId } = await call('get_instance', { record: 'O-2' })
    const child = { internalName: 'Badge', properties: [{ property: 'Title', keyPart: 1 }, { property: 'Cost' }] }
    await world.call('create_entity', child, { key: tenant.key })
    const rows = ['a', 'b'].map((Title) => ({ data: { Title } }))
    await world.call('save_instances_bulk', { entity: 'Badge', rows }, { key: tenant.key })
    // One key cannot be that of two records.
    const taken = await world.refusal(
      'update_instances_by_filter',
      { entity: 'Badge', filterRules: [], data: { Title: 'a', Cost: 3 } },
      tenant.key,
    )
    expect([taken.status, taken.code]).toEqual([409, 'already_exists'])
    expect(taken.issues?.[0]?.message).toMatch(/^Record \d+: /)
    const badges = await world.call('list_instances', { entity: 'Badge', sort: [{ property: 'key1' }] }, { key: tenant.key })
    expect(badges.map((one: { data: object }) => one.data)).toEqual([
      { Title: 'a', Cost: null },
      { Title: 'b', Cost: null },
    ])
    await world.call(
      'set_entity_access',
      {
        entity: 'Order',
        rules: [
          { role: 'DataEdit', read: true, edit: true, filter: [{ property: 'key1', op: 'ne', value: 'O-2' }] },
          { role: 'DataView', read: true },
        ],
      },
      { key: tenant.key },
    )
    const forbidden = await refused({ filterRules: open, data: { Cost: 5 } })
    expect(forbidden.status).toBe(403)
    expect(forbidden.message).toContain('1 of the 3 records')
    expect(forbidden.issues?.map((issue) => issue.message)).toEqual([expect.stringContaining(`Record ${eiRecordId}: `)])
    expect(await values('Cost')).toEqual([null, null, null, null, null])
  })

  it('refuses a key that two of the records would have, in a dry run too, however many stand between them', async () => {
    const { tenant } = await arranged()
    const call = (name: string, input: object) => world.call(name, input, { key: tenant.key, transport: 'mcp' })
    const properties = [{ property: 'Title', keyPart: 1 }, { property: 'Batch', keyPart: 2 }, { property: 'Cost' }]
    await call('create_property', { internalName: 'Batch', dataType: 'Text' })
    await call('create_entity', { internalName: 'Badge', properties })
    const refusals = async (data: object) => {
      const input = { entity: 'Badge', filterRules: [{ property: 'Cost', op: 'eq', value: 1 }], data }
      const told = []
      for (const dryRun of [true, false]) {
        const { status, code, message } = await world.refusal('update_instances_by_filter', { ...input, dryRun }, tenant.key)
        told.push([status, code, message])
      }
      expect(told[0]).toEqual(told[1])
      return told[0]
    }
    const badge = (Title: string, Batch: string) => ({ data: { Title, Batch, Cost: 1 } })
    const near = await call('save_instances_bulk', { entity: 'Badge', rows: [badge('a', 'same'), badge('b', 'same')] })
    const second = near.results[1].eiRecordId
    const reason = `Record ${second}: An earlier row of this call has the key "c / same" already.`
    expect(await refusals({ Title: 'c' })).toEqual([409, 'already_exists', expect.stringContaining(reason)])
    const between = Array.from({ length: 1_200 }, (_, index) => badge('n', `${index}`))
    await call('update_instances_by_filter', { entity: 'Badge', filterRules: [], data: { Cost: 2 } })
    const far = await call('save_instances_bulk', { entity: 'Badge', rows: [badge('a', 'far'), ...between, badge('b', 'far')] })
    expect(far.inserted).toBe(1_202)
    const last = far.results[1_201].eiRecordId
    expect((await refusals({ Title: 'c' }))?.[2]).toContain(
      `1 of the 1202 records cannot be saved so, and none was. Record ${last}: An earlier`,
    )
  })

  it('does not touch or count rows that the caller does not see', async () => {
    const { tenant, call, update } = await arranged()
    const mine = { property: 'key1', op: 'in', value: ['O-0', 'O-3'] }
    await call('set_entity_access', {
      rules: [
        { role: 'BuilderAdmin', read: true, edit: true },
        { role: 'DataView', read: true, edit: true, filter: [mine] },
      ],
    })
    const { apiKey } = await world.call('create_api_key', { name: 'mine', roles: ['DataEdit', 'DataView'] }, { key: tenant.key })
    expect(await update({ filterRules: open, data: { Cost: 9 } }, apiKey)).toEqual({ matched: 1, updated: 1 })
    const changed = await call('list_instances', { filterRules: [{ property: 'Cost', op: 'eq', value: 9 }] })
    expect(changed.map((one: { key1: string }) => one.key1)).toEqual(['O-0'])
  })

  it('takes as many as a bulk, and says how to go on where there are more', async () => {
    const { call, update, refused, tenant } = await arranged()
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ key1: `R-${from + index}`, data: { Title: 'many' } }))
    for (const from of [0, 2_000]) expect(await call('save_instances_bulk', { rows: rows(from, 2_000) })).toMatchObject({ inserted: 2_000 })
    const many = { property: 'Title', op: 'eq', value: 'many' }
    const error = await refused({ filterRules: [many], data: { Cost: 1 } })
    expect(error.status).toBe(413)
    expect(error.message).toContain('The filter selects 4000 records, and one call changes at most 3000')
    const bound = Number(/"value": (\d+)/.exec(error.message)?.[1])
    const part = (op: string) => [many, { property: 'eiRecordId', op, value: bound }]
    expect(await update({ filterRules: part('lte'), data: { Cost: 1 } })).toEqual({ matched: 3_000, updated: 3_000 })
    expect(await update({ filterRules: part('gt'), data: { Cost: 1 } })).toEqual({ matched: 1_000, updated: 1_000 })
    expect(
      (
        await world.call(
          'count_instances',
          { entity: 'Order', filterRules: [{ property: 'Cost', op: 'eq', value: 1 }] },
          { key: tenant.key },
        )
      ).count,
    ).toBe(4_000)
  })

  it('changes what the filter selects once a writer before it is done, and nothing that has left it meanwhile', async () => {
    const { tenant, update, values } = await arranged()
    const { entityId } = (await world.call('describe_entity', { entity: 'Order' }, { key: tenant.key })).entity
    const { columnId } = await world.sql<{ columnId: number }[]>`
      select ep.column_id as "columnId" from platform.entity_property ep join platform.property p on p.property_id = ep.property_id
      where ep.tenant_id = ${tenant.tenantId} and p.internal_name = 'Status'`.then((found) => found[0] ?? { columnId: 0 })
    const table = `t_${tenant.tenantId}.e_${entityId}`
    let updating: Promise<unknown> = Promise.resolve()
    await world.sql.begin(async (tx) => {
      // As another save does it: the order is no longer open, which this transaction has not committed yet.
      await tx.unsafe(
        `update ${table} set c${columnId} = (select c${columnId} from ${table} where key1 = 'O-4'), version = version + 1 where key1 = 'O-0'`,
      )
      updating = update({ filterRules: open, data: { Cost: 2 } })
      const waiting = () =>
        world.sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for no key update of e%' and datname = current_database()`
      await expect.poll(waiting).not.toHaveLength(0)
    })
    expect(await updating).toEqual({ matched: 2, updated: 2 })
    expect(await values('Cost')).toEqual([null, 2, 2, null, null])
  })
})
