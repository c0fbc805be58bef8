/** The audit log: who did what, read and exported by administrators of the tenant, in both tenants where one acts in another, and kept. */
import { beforeAll, describe, expect, it } from 'vitest'

import type { Listing } from '#platform/answer.ts'
import { dropOldAuditEvents } from '#platform/audit.ts'
import { loadConfig } from '#platform/config.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import { auditExportRunner } from '#tools/tenants/service.ts'

import { newAddress, newPerson, newSession, strangerAt } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let global: TestTenant
beforeAll(async () => {
  global = await world.newTenant(1023)
})

const fields = ['auditEventId', 'at', 'tenantUserId', 'displayName', 'credential', 'operation', 'outcome', 'address', 'detail']
const list = (tenant: TestTenant, filter: object = {}) => world.call('list_audit_events', filter, { key: tenant.key })

async function textOf(assetKey: string, key: string): Promise<string> {
  const answer = (await world.run('download_asset', { assetKey }, { key })) as { body: AsyncIterable<Buffer> }
  const parts: Buffer[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts).toString()
}

/** A tenant in which three things were done, the second by another user and the third refused. */
async function arranged() {
  const tenant = await world.newTenant()
  const viewer = await tenant.keyWith(['DataView'])
  const builder = await tenant.keyWith(['BuilderAdmin'])
  await world.call('create_property', { internalName: 'Title', dataType: 'Text' }, { key: tenant.key, ip: '203.0.113.7' })
  await world.call('create_entity', { internalName: 'Order', properties: [{ property: 'Title' }] }, { key: builder })
  await expect(world.call('create_property', { internalName: 'No', dataType: 'Text' }, { key: viewer })).rejects.toMatchObject(
    refused('forbidden'),
  )
  const { tenantUserId } = await world.platform.pipeline.identify({ kind: 'bearer', token: builder })
  return { tenant, builderId: tenantUserId }
}

describe('list_audit_events', () => {
  it('tells who did what, when and from where, the newest first, in the fields of the contract', async () => {
    const { tenant } = await arranged()
    const events = await list(tenant)
    expect(events.map((event: { operation: string; outcome: string }) => [event.operation, event.outcome])).toEqual([
      ['create_property', 'denied'],
      ['create_entity', 'done'],
      ['create_property', 'done'],
    ])
    for (const event of events) expect(Object.keys(event)).toEqual(fields)
    const [denied, , done] = events
    expect(denied.detail).toEqual({ code: 'forbidden', requestId: expect.any(String), transport: 'rest' })
    expect(done).toMatchObject({
      tenantUserId: tenant.tenantUserId,
      displayName: 'admin',
      credential: expect.stringMatching(/^key:\d+$/),
      address: '203.0.113.7',
      detail: { internalName: 'Title', requestId: expect.any(String) },
    })
  })

  it('is narrowed by time, user, operation and outcome', async () => {
    const { tenant, builderId } = await arranged()
    const all = await list(tenant)
    const names = async (filter: object) => (await list(tenant, filter)).map((event: { operation: string }) => event.operation)
    expect(await names({ tenantUserId: builderId })).toEqual(['create_entity'])
    expect(await names({ operation: 'create_property', outcome: 'done' })).toEqual(['create_property'])
    expect(await names({ outcome: 'denied' })).toEqual(['create_property'])
    expect(await names({ to: '2020-01-01T00:00:00Z' })).toEqual([])
    await world.sql`update platform.audit_event set at = '2026-03-01T10:00:00.123456Z' where audit_event_id = ${all[2].auditEventId}`
    expect(await names({ from: '2026-03-01T11:00:00+01:00', to: '2026-03-01T10:00:01Z' })).toEqual(['create_property'])
  })

  it('goes on by cursor without a gap, also among events of one microsecond', async () => {
    const { tenant } = await arranged()
    await world.sql`update platform.audit_event set at = '2026-03-01T10:00:00.123456Z' where tenant_id = ${tenant.tenantId}`
    const all = await list(tenant)
    const first = (await world.run('list_audit_events', { pageSize: 2 }, { key: tenant.key })) as Listing<unknown>
    expect(first).toMatchObject({ items: all.slice(0, 2), totalCount: 3 })
    expect(await list(tenant, { pageSize: 2, cursor: first.nextCursor })).toEqual(all.slice(2))
    const forged = Buffer.from(JSON.stringify([9e18, 1])).toString('base64url')
    await expect(list(tenant, { cursor: forged })).rejects.toMatchObject(refused('invalid_input', /cursor/))
  })

  it('names the nearest operation for a name that is none', async () => {
    await expect(list(world.tenant, { operation: 'delete_entitys' })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.operation', suggestion: 'delete_entity' }],
    })
  })

  it('leaves out nothing that access rules keep from its reader, and tells the id of it alone', async () => {
    const tenant = await world.newTenant()
    const call = (name: string, input: object) => world.call(name, input, { key: tenant.key })
    await call('create_property', { internalName: 'Title', dataType: 'Text' })
    await call('create_entity', { internalName: 'Order', properties: [{ property: 'Title' }] })
    await call('set_entity_access', { entity: 'Order', rules: [{ tenantUserId: tenant.tenantUserId, read: true, create: true }] })
    const { eiRecordId } = await call('save_instance', { entity: 'Order', key1: 'Hidden-key', data: { Title: 'Hidden-title' } })
    const auditor = await tenant.keyWith(['AdminUser', 'DataView'])
    await expect(world.call('get_instance', { entity: 'Order', record: String(eiRecordId) }, { key: auditor })).rejects.toMatchObject(
      refused('not_found'),
    )
    const events = await world.call('list_audit_events', { operation: 'save_instance' }, { key: auditor })
    expect(events).toMatchObject([{ outcome: 'done', detail: { entity: 'Order', eiRecordId } }])
    expect(JSON.stringify(events)).not.toContain('Hidden')
  })

  it('shows records by id alone: their keys are a part of what they say', async () => {
    const { tenant } = await arranged()
    const call = (name: string, input: object) => world.call(name, input, { key: tenant.key })
    const { eiRecordId } = await call('save_instance', { entity: 'Order', key1: 'Secret-1', data: { Title: 'x' } })
    await call('upsert_instance', { entity: 'Order', record: 'Secret-1', data: { Title: 'y' } })
    await call('delete_instance', { entity: 'Order', record: String(eiRecordId) })
    const [deleted, saved] = await list(tenant, { pageSize: 2 })
    expect(deleted.detail).toMatchObject({ record: String(eiRecordId), eiRecordId })
    expect(saved.detail).toMatchObject({ entity: 'Order', eiRecordId })
    expect(JSON.stringify(await list(tenant))).not.toContain('Secret-1')
  })

  it('tells sessions begun and ended with address and factor, and nothing of a tried password or a sign-in elsewhere', async () => {
    const tenant = await world.newTenant()
    const person = await newPerson(world, tenant)
    const ip = newAddress()
    const stranger = strangerAt(world, ip)
    await expect(stranger('login', { userName: person.userName, password: 'a wrong password' })).rejects.toMatchObject(
      refused('unauthenticated'),
    )
    const { signInToken } = await stranger('login', { userName: person.userName, password: person.password })
    const { token } = await stranger('select_tenant', { signInToken, tenantId: tenant.tenantId })
    await world.call('change_password', { password: person.password, newPassword: 'another password of the tests' }, { key: token })
    await world.call('logout', {}, { key: token })
    const events = await list(tenant)
    expect(events.map((event: { operation: string }) => event.operation)).toEqual(['logout', 'select_tenant'])
    expect(events[1]).toMatchObject({ address: ip, tenantUserId: person.tenantUserId, detail: { factor: null } })
    expect(await list(world.tenant, { tenantUserId: person.tenantUserId })).toEqual([])
  })

  it('is its own tenant’s alone, and an administrator’s of users', async () => {
    const { tenant } = await arranged()
    const other = await world.newTenant()
    expect(await list(other)).toEqual([])
    const key = await tenant.keyWith(['DataView', 'BuilderAdmin', 'AdminIntegration'])
    for (const name of ['list_audit_events', 'export_audit_events'])
      await expect(world.call(name, { format: 'csv' }, { key }), name).rejects.toMatchObject(refused('forbidden', /AdminUser/))
  })
})

describe('an administrator who acts in another tenant', () => {
  it('stands in the logs of both, in the other one by name and with where they came from', async () => {
    const tenant = await world.newTenant()
    const call = (name: string, input: object) => world.call(name, input, { key: global.key })
    const { tenantId } = tenant
    const { apiKeyId } = await call('create_api_key', { name: 'k', roles: ['DataView'], tenantId })
    await call('set_user_roles', { tenantId, tenantUserId: tenant.tenantUserId, roles: ['AdminUser'] })
    await call('suspend_tenant', { tenantId })
    await call('activate_tenant', { tenantId })
    const there = await list(tenant)
    expect(there.map((event: { operation: string }) => event.operation)).toEqual([
      'activate_tenant',
      'suspend_tenant',
      'set_user_roles',
      'create_api_key',
    ])
    for (const event of there) {
      expect(event).toMatchObject({ displayName: 'admin', tenantUserId: global.tenantUserId, outcome: 'done' })
      expect(event.detail).toMatchObject({ actingFromTenantId: global.tenantId })
    }
    expect(there[3].detail).toMatchObject({ apiKeyId })
    const here = await list(global, { pageSize: 4 })
    expect(here.map(({ detail }: { detail: { requestId: string } }) => detail.requestId)).toEqual(
      there.map(({ detail }: { detail: { requestId: string } }) => detail.requestId),
    )
    for (const { detail } of here) expect(detail).not.toHaveProperty('actingFromTenantId')
  })

  it('leaves nothing in the other one where nothing was done there', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const wrong = { tenantId, tenantUserId: 2_000_000_000, roles: [] }
    await expect(world.call('set_user_roles', wrong, { key: global.key })).rejects.toMatchObject(refused('not_found'))
    await expect(world.call('set_user_roles', wrong)).rejects.toMatchObject(refused('not_found'))
    expect(await list(tenant)).toEqual([])
  })
})

describe('export_audit_events', () => {
  it('writes what a filter selects, the oldest first, as CSV without formulas and as JSON', async () => {
    const { tenant } = await arranged()
    await world.sql`update platform.audit_event set operation = '=1+1' where tenant_id = ${tenant.tenantId} and operation = 'create_entity'`
    const done = await world.call('export_audit_events', { format: 'csv' }, { key: tenant.key })
    expect(done).toEqual({ assetKey: expect.any(String), rows: 3 })
    const lines = (await textOf(done.assetKey, tenant.key)).trimEnd().split('\r\n')
    expect(lines[0]).toBe(fields.join(','))
    expect(lines).toHaveLength(4)
    expect(lines[1]).toMatch(/,create_property,done,203\.0\.113\.7,"\{""/)
    expect(lines[2]).toContain(",'=1+1,")
    const json = await world.call('export_audit_events', { format: 'json', outcome: 'denied' }, { key: tenant.key })
    const written = JSON.parse(await textOf(json.assetKey, tenant.key))
    expect(written).toEqual(await list(tenant, { outcome: 'denied' }))
    const other = await world.call('create_user', { email: 'auditor@x.example', roles: ['DataView'] }, { key: tenant.key })
    const { apiKey } = await world.call(
      'create_api_key',
      { name: 'other', roles: ['DataView'], tenantUserId: other.tenantUserId },
      { key: tenant.key },
    )
    await expect(world.run('download_asset', { assetKey: json.assetKey }, { key: apiKey })).rejects.toMatchObject(refused('not_found'))
  })

  it('past 5,000 events is a job of the administrator’s, which lacks what happens meanwhile', async () => {
    const { tenant } = await arranged()
    await world.sql`
      insert into platform.audit_event (tenant_id, tenant_user_id, credential_id, operation, outcome, transport, request_id)
      select ${tenant.tenantId}, ${tenant.tenantUserId}, 'key:1', 'save_instance', 'done', 'rest', 'r' || n from generate_series(1, 5000) n`
    const key = await tenant.keyWith(['AdminUser', 'DataView'])
    const { jobId } = await world.call('export_audit_events', { format: 'json' }, { key })
    await world.call('create_property', { internalName: 'Later', dataType: 'Text' }, { key: tenant.key })
    const { services } = world.platform
    const job = await readJobForRun(services, { tenantId: tenant.tenantId, jobId, attempt: 1 })
    if (!job) throw new Error('The job has nothing to do')
    expect(await auditExportRunner.step(services, job, new AbortController().signal)).toBe('done')
    const { state, result } = await world.call('get_job', { jobId }, { key })
    expect({ state, rows: result.rows }).toEqual({ state: 'succeeded', rows: 5003 })
    const written = JSON.parse(await textOf(result.assetKey, key)) as { operation: string; detail: { internalName?: string } }[]
    expect(written).toHaveLength(5003)
    expect(written.some(({ detail }) => detail.internalName === 'Later')).toBe(false)
  })
})

describe('keeping', () => {
  it('is for 400 days unless told, at least 30, whoever asks', async () => {
    expect(loadConfig({}).auditDays).toBe(400)
    expect(() => loadConfig({ AUDIT_DAYS: '29' })).toThrow(/AUDIT_DAYS/)
    await expect(dropOldAuditEvents(world.platform.services.databases, 29)).rejects.toMatchObject({ code: '42501' })
  })

  it('drops what is older, in every tenant, and nothing else', async () => {
    const { tenant } = await arranged()
    const other = await world.newTenant()
    await world.call('create_property', { internalName: 'Title', dataType: 'Text' }, { key: other.key })
    const age = (days: number, of: TestTenant) =>
      world.sql`update platform.audit_event set at = now() - make_interval(days => ${days}) where tenant_id = ${of.tenantId}`
    await age(39, tenant)
    await age(41, other)
    await dropOldAuditEvents(world.platform.services.databases, 40)
    expect(await list(tenant)).toHaveLength(3)
    expect(await list(other)).toEqual([])
  })

  it('has no other way to change or delete an event: the application may only add and read', async () => {
    const { databases } = world.platform.services
    for (const statement of ['update platform.audit_event set outcome = outcome', 'delete from platform.audit_event']) {
      await expect(
        databases.transact({ tenantId: world.tenant.tenantId }, ({ tx }) => tx.unsafe(statement)),
        statement,
      ).rejects.toMatchObject({
        code: '42501',
      })
      await expect(
        databases.lookUp((tx) => tx.unsafe(statement)),
        statement,
      ).rejects.toMatchObject({ code: '42501' })
    }
    const { tenant } = await arranged()
    const token = await newSession(world, await newPerson(world, tenant, ['AdminUser']))
    expect(await world.call('list_audit_events', {}, { key: token })).toHaveLength(3)
  })
})
