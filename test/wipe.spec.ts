import { describe, expect, it, vi } from 'vitest'

import { readJobForRun } from '#tools/jobs/service.ts'
import { wipeRunner } from '#tools/instances/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

/** Who waits for a row that another transaction holds. */
const waiting = () => world.sql`
  select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%for update' and pid <> pg_backend_pid()`

/** A tenant with orders and their logs. */
async function arranged() {
  const tenant = await world.newTenant()
  const call = (name: string, input: object, key = tenant.key) => world.call(name, { entity: 'Order', ...input }, { key, transport: 'mcp' })
  await world.call('create_property', { internalName: 'Title', dataType: 'Text' }, { key: tenant.key })
  for (const internalName of ['Order', 'Log', 'Contact'])
    await world.call('create_entity', { internalName, properties: [{ property: 'Title' }] }, { key: tenant.key })
  const wipe = (input: object = {}, key = tenant.key) => call('wipe_instances', { confirmation: 'Order', ...input }, key)
  const refused = (input: object = {}, key = tenant.key) =>
    world.refusal('wipe_instances', { entity: 'Order', confirmation: 'Order', ...input }, key)
  const { entityId } = (await call('describe_entity', {})).entity as { entityId: number }
  const rowsOf = async (table: string) =>
    Number((await world.sql.unsafe(`select count(*) as n from t_${tenant.tenantId}.${table}`))[0]?.['n'])
  return { tenant, call, wipe, refused, entityId, rowsOf }
}

describe('a wipe', () => {
  it('takes every record away, deleted ones, history and links with them, and leaves other entities alone', async () => {
    const { tenant, call, wipe, entityId, rowsOf } = await arranged()
    await call('attach_child_entity', { childEntity: 'Order' })
    await call('attach_peer_entity', { peerEntity: 'Contact' })
    for (const key1 of ['a', 'b', 'c']) await call('save_instance', { key1, data: { Title: '1' } })
    await call('save_instance', { key1: 'a-below', parentKey1: 'a', data: {} })
    await call('save_instance', { key1: 'a', data: { Title: '2' } })
    await call('delete_instance', { record: 'c' })
    await call('save_instance', { entity: 'Contact', key1: 'c', data: {} })
    await call('link_peer_instances', { record: 'a', peerEntity: 'Contact', keys: [{ key1: 'c' }] })
    expect(await wipe()).toEqual({ wiped: 4 })
    expect([await rowsOf(`e_${entityId}`), await rowsOf(`e_${entityId}_history`), await rowsOf('link')]).toEqual([0, 0, 0])
    expect(await call('count_instances', { entity: 'Contact' })).toEqual({ count: 1 })
    expect(await call('list_instances', { includeDeleted: true })).toEqual([])
    // It is ready for a new beginning, and an empty one is wiped again.
    expect((await call('save_instance', { key1: 'a', data: {} })).outcome).toBe('inserted')
    expect(await wipe()).toEqual({ wiped: 1 })
    expect(await wipe()).toEqual({ wiped: 0 })
    const audit =
      await world.sql`select 1 from platform.audit_event where tenant_id = ${tenant.tenantId} and operation = 'wipe_instances' and outcome = 'done'`
    expect(audit).toHaveLength(3)
  })

  it('refuses watermarks from before, since what is gone leaves no tombstone', async () => {
    const { call, tenant, wipe } = await arranged()
    await call('save_instance', { key1: 'a', data: {} })
    await world.settled()
    const { watermark } = await call('list_instances_changed_since', {})
    await wipe()
    await call('save_instance', { key1: 'b', data: {} })
    await world.settled()
    const refused = await world.refusal('list_instances_changed_since', { entity: 'Order', watermark }, tenant.key)
    expect([refused.status, refused.code]).toEqual([409, 'watermark_reset'])
    const anew = await call('list_instances_changed_since', {})
    expect(anew.rows.map((row: { key1: string; changeKind: string }) => [row.key1, row.changeKind])).toEqual([['b', 'added']])
  })

  it('wants the name of the entity, and the right to every record', async () => {
    const { tenant, call, refused } = await arranged()
    await call('save_instance', { key1: 'a', data: {} })
    for (const confirmation of ['', 'order', 'yes']) {
      const error = await refused({ confirmation })
      expect([error.status, error.issues?.[0]?.path]).toEqual([400, '$.confirmation'])
    }
    for (const roles of [['BuilderAdmin'], ['DataDelete']] as const)
      expect((await refused({}, await tenant.keyWith(roles))).status).toBe(403)
    const all = { read: true, create: true, edit: true, delete: true }
    await call('set_entity_access', { rules: [{ role: 'BuilderAdmin', ...all, filter: [{ property: 'Title', op: 'isEmpty' }] }] })
    const bound = await refused()
    expect([bound.status, bound.message]).toEqual([403, expect.stringContaining('every record of Order')])
    await call('set_entity_access', { rules: [{ role: 'BuilderAdmin', read: true }] })
    expect((await refused()).status).toBe(403)
    await call('set_entity_access', { rules: [{ role: 'BuilderAdmin', ...all }] })
    expect(await call('wipe_instances', { confirmation: 'Order' })).toEqual({ wiped: 1 })
  })

  it('waits until no live record of another entity stands below', async () => {
    const { call, refused, wipe } = await arranged()
    await call('attach_child_entity', { childEntity: 'Log' })
    await call('save_instance', { key1: 'a', data: {} })
    await call('save_instance', { entity: 'Log', key1: 'l', parentKey1: 'a', data: {} })
    const held = await refused()
    expect([held.status, held.message]).toEqual([409, 'Records of Log stand below records of Order. Wipe or move them first.'])
    await call('wipe_instances', { entity: 'Log', confirmation: 'Log' })
    expect(await wipe()).toEqual({ wiped: 1 })
  })

  it('leaves alone what somebody saves below a record while it waits for the record, and refuses the wipe', async () => {
    const { tenant, call, wipe, entityId } = await arranged()
    await call('attach_child_entity', { childEntity: 'Order' })
    await call('attach_child_entity', { childEntity: 'Log' })
    const before = (await call('save_instance', { key1: 'top', data: {} })).eiRecordId as number
    await call('save_instance', { entity: 'Log', key1: 'first', data: {} })
    // So that what goes with the first one is not in its portion.
    const rows = Array.from({ length: 1_000 }, (_, index) => ({ key1: `o-${index}`, data: {} }))
    await call('save_instances_bulk', { rows })
    const below = (await call('save_instance', { key1: 'below', parentKey1: 'top', data: {} })).eiRecordId as number
    for (const [id, key] of [
      [before, 'top'],
      [below, 'below'],
    ] as const) {
      let wiping: Promise<unknown> = Promise.resolve()
      await world.sql.begin(async (tx) => {
        await tx.unsafe(`select 1 from t_${tenant.tenantId}.e_${entityId} where id = ${id} for share`)
        wiping = wipe().catch((error: unknown) => error)
        await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), 10_000)
        await call('save_instance', { entity: 'Log', key1: `log-${key}`, parentKey1: key, parentEntity: 'Order', data: {} })
      })
      expect(await wiping).toMatchObject({
        status: 409,
        message: 'Records of Log stand below records of Order. Wipe or move them first.',
      })
      expect(await call('get_instance', { entity: 'Log', record: `log-${key}` })).toMatchObject({ parentEIRecordId: id })
      expect((await call('count_instances', {})).count).toBe(1_002)
      await call('delete_instance', { entity: 'Log', record: `log-${key}` })
    }
    expect(await wipe()).toEqual({ wiped: 1_002 })
  })

  it('ends what stood for its records: who a user is, and files that only their makers see then', async () => {
    const { tenant, call } = await arranged()
    await world.call('create_property', { internalName: 'Email', dataType: 'Text', isIdentityEmail: true }, { key: tenant.key })
    await world.call('create_entity', { internalName: 'Person', properties: [{ property: 'Email' }] }, { key: tenant.key })
    await call('set_entity_identity_bridge', { entity: 'Person', isTenantUserRole: true, identityEmailProperty: 'Email' })
    await world.call('create_user', { userName: 'ana', email: 'ana@wipe.test', roles: ['DataView'] }, { key: tenant.key })
    await call('save_instance', { entity: 'Person', key1: 'p', data: { Email: 'ana@wipe.test' } })
    expect(await call('list_identity_links', { entity: 'Person' })).toHaveLength(1)
    await call('wipe_instances', { entity: 'Person', confirmation: 'Person' })
    expect(await call('list_identity_links', { entity: 'Person' })).toEqual([])
    await world.call('create_property', { internalName: 'Photo', dataType: 'Attachment' }, { key: tenant.key })
    await world.call('create_entity', { internalName: 'Visit', properties: [{ property: 'Photo' }] }, { key: tenant.key })
    const contentBase64 = Buffer.from('seen by few').toString('base64')
    const { assetKey } = await world.call('upload_asset', { fileName: 'visit.txt', contentBase64 }, { key: tenant.key, transport: 'mcp' })
    await call('save_instance', { entity: 'Visit', key1: 'v', data: { Photo: assetKey } })
    await call('set_entity_access', { entity: 'Visit', rules: [{ tenantUserId: tenant.tenantUserId, read: true, delete: true }] })
    const other = await tenant.keyWith(['DataView', 'FileEdit'])
    await call('wipe_instances', { entity: 'Visit', confirmation: 'Visit' })
    expect(await world.call('get_asset', { assetKey }, { key: tenant.key })).toMatchObject({ assetKey })
    expect((await world.refusal('get_asset', { assetKey }, other)).status).toBe(404)
  })

  it('is a job past five thousand, which goes on where it was and takes all', async () => {
    const { tenant, call, wipe, entityId, rowsOf } = await arranged()
    for (const part of [0, 1]) {
      const rows = Array.from({ length: 2_600 }, (_, index) => ({ key1: `${part}-${index}`, data: { Title: 'x' } }))
      expect(await call('save_instances_bulk', { rows })).toMatchObject({ inserted: 2_600 })
    }
    const queued = await wipe()
    expect(queued).toMatchObject({ kind: 'instanceWipe', state: 'queued' })
    expect(await rowsOf(`e_${entityId}`)).toBe(5_200)
    const { services } = world.platform
    const attempt = { tenantId: tenant.tenantId, jobId: queued.jobId, attempt: 1 }
    const job = await readJobForRun(services, attempt)
    if (!job) throw new Error('The job has nothing to do')
    expect(await wipeRunner.step(services, job, new AbortController().signal)).toBe('done')
    const { state, result } = await world.call('get_job', { jobId: queued.jobId }, { key: tenant.key })
    expect({ state, result }).toEqual({ state: 'succeeded', result: { wiped: 5_200 } })
    expect([await rowsOf(`e_${entityId}`), await rowsOf(`e_${entityId}_history`)]).toEqual([0, 0])
    // Whoever runs the chunk again is refused.
    await expect(wipeRunner.step(services, job, new AbortController().signal)).rejects.toThrow()
  })
})
