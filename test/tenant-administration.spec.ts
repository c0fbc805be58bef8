/** Administering tenants: changes, languages, limits and usage, suspension in the middle of everything, and their end. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'

import { beforeAll, describe, expect, it, vi } from 'vitest'

import type { Tx } from '#platform/db/pool.ts'
import { refuseSuspended } from '#platform/tenant-state.ts'
import { countSentToday } from '#tools/messaging/conversations/messages.store.ts'
import { purgeDueTenants } from '#tools/tenants/service.ts'

import { patience } from './support/patience.ts'
import { newPerson, newSession } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let global: TestTenant
beforeAll(async () => {
  global = await world.newTenant(1023)
})

const call = (name: string, input: object) => world.call(name, input, { key: global.key })
const nameOf = async ({ tenantId }: TestTenant) => (await call('get_tenant', { tenantId })).name
const upload = (tenant: TestTenant, bytes: number) =>
  world.call(
    'upload_asset',
    {},
    {
      key: tenant.key,
      upload: { stream: Readable.from([Buffer.alloc(bytes, 'a')]), fileName: 'a.txt', mimeType: 'text/plain', isTruncated: () => false },
    },
  )

describe('update_tenant', () => {
  it('changes what is said and leaves the rest', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const before = await call('get_tenant', { tenantId })
    const subDomain = `Renamed-${randomUUID().slice(0, 8)}`
    const changed = await call('update_tenant', { tenantId, name: 'Renamed', subDomain, host: null, verticalId: 2 })
    const { languageCode: _code, cssJson: _css, ...shown } = before
    const own = subDomain.toLowerCase()
    expect(changed).toEqual({ ...shown, name: 'Renamed', subDomain: own, host: `${own}.localhost`, verticalId: 2 })
    expect(await world.call('whoami', {}, { key: tenant.key })).toMatchObject({ tenantName: 'Renamed', tenantHost: `${own}.localhost` })
  })

  it('refuses a host that another tenant has or comes to, a reserved name and the installation’s own', async () => {
    const [one, other] = [await world.newTenant(), await world.newTenant()]
    const { host, subDomain } = await call('get_tenant', { tenantId: other.tenantId })
    const { tenantId } = one
    await expect(call('update_tenant', { tenantId, host })).rejects.toMatchObject(refused('already_exists', /host/))
    await expect(call('update_tenant', { tenantId, subDomain })).rejects.toMatchObject(refused('already_exists'))
    await call('update_tenant', { tenantId: other.tenantId, host: null })
    await expect(call('update_tenant', { tenantId, host: `${subDomain}.localhost` })).rejects.toMatchObject(
      refused('already_exists', /host/),
    )
    await expect(call('update_tenant', { tenantId, subDomain: 'admin' })).rejects.toMatchObject({ issues: [{ path: '$.subDomain' }] })
    for (const kept of ['localhost', 'login.localhost', 'WWW.localhost'])
      await expect(call('update_tenant', { tenantId, host: kept })).rejects.toMatchObject({ issues: [{ path: '$.host' }] })
    expect((await call('update_tenant', { tenantId, host: 'login.northwind.example' })).host).toBe('login.northwind.example')
    await expect(call('update_tenant', { tenantId, verticalId: 4_000 })).rejects.toMatchObject({ issues: [{ path: '$.verticalId' }] })
    expect((await call('update_tenant', { tenantId, host: `own.${host}` })).host).toBe(`own.${host}`)
  })

  it('suspends outside of the time that it is active in, and never one’s own', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    await call('update_tenant', { tenantId, activeEnd: '2026-01-01T00:00:00Z', activeStart: '2025-01-01T00:00:00Z' })
    await expect(world.call('whoami', {}, { key: tenant.key })).rejects.toMatchObject(refused('tenant_suspended'))
    await call('update_tenant', { tenantId, activeEnd: '9999-12-31T00:00:00Z' })
    expect(await world.call('whoami', {}, { key: tenant.key })).toMatchObject({ tenantId })
    await expect(
      call('update_tenant', { tenantId: global.tenantId, activeEnd: '2026-01-01T00:00:00Z', activeStart: '2025-01-01T00:00:00Z' }),
    ).rejects.toMatchObject(refused('conflict', /yourself/))
    await expect(call('update_tenant', { tenantId, activeEnd: '2001-01-01T00:00:00Z' })).rejects.toMatchObject({
      issues: [{ path: '$.activeEnd' }],
    })
  })
})

describe('languages', () => {
  it('are offered as the tenant has them, and a default is always one of them', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const all = await call('list_tenant_languages', { tenantId })
    expect(all.length).toBeGreaterThan(20)
    expect(all.every((one: { isEnabled: boolean }) => one.isEnabled)).toBe(true)
    expect(all.filter((one: { isDefault: boolean }) => one.isDefault)).toMatchObject([{ languageCode: 'en-US' }])
    expect(await call('set_tenant_language', { tenantId, languageCode: 'FR-fr', isEnabled: false })).toMatchObject({
      languageCode: 'fr-FR',
      isEnabled: false,
    })
    const offered = await world.call('list_languages', {}, { key: tenant.key })
    expect(offered).toHaveLength(all.length - 1)
    const user = { email: 'a@x.example', language: 'fr-FR' }
    await expect(world.call('create_user', user, { key: tenant.key })).rejects.toMatchObject({ issues: [{ path: '$.language' }] })
    expect(await call('set_tenant_language', { tenantId, languageCode: 'fr-FR', isDefault: true })).toMatchObject({
      isEnabled: true,
      isDefault: true,
    })
    expect(await call('get_tenant', { tenantId })).toMatchObject({ languageCode: 'fr-FR' })
    expect(await world.call('create_user', user, { key: tenant.key })).toMatchObject({ languageCode: 'fr-FR' })
    await expect(call('set_tenant_language', { tenantId, languageCode: 'fr-FR', isEnabled: false })).rejects.toMatchObject(
      refused('conflict'),
    )
    await expect(call('set_tenant_language', { tenantId, languageCode: 'fr-F' })).rejects.toMatchObject({
      issues: [{ path: '$.languageCode', suggestion: 'fr-FR' }],
    })
  })
})

describe('limits', () => {
  it('refuse past them with 409, each where it is used, and let on once they are raised', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const own = (name: string, input: object) => world.call(name, input, { key: tenant.key })
    await own('create_property', { internalName: 'Title', dataType: 'Text' })
    await own('create_entity', { internalName: 'Order', properties: [{ property: 'Title' }] })
    const rows = (n: number, from = 0) => Array.from({ length: n }, (_one, index) => ({ key1: `K${from + index}`, data: { Title: 'x' } }))
    const tried = [
      ['records', () => own('save_instances_bulk', { entity: 'Order', rows: rows(3, Math.floor(Math.random() * 1e9)) })],
      ['users', () => own('create_user', { email: `${randomUUID()}@x.example` })],
      ['bytes', () => upload(tenant, 600)],
      ['messagesPerDay', () => own('send_message', { to: { tenantUserId: tenant.tenantUserId }, text: 'x' })],
    ] as const
    const most = { records: 4, users: 2, bytes: 1_000, messagesPerDay: 1 }
    expect(await call('set_tenant_limits', { tenantId, ...most })).toEqual({ tenantId, callsPerMinute: null, ...most })
    for (const [what, act] of tried) {
      await act()
      const error = await act().then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      expect(error, what).toMatchObject(refused('conflict', /may have/))
    }
    await call('set_tenant_limits', { tenantId, records: null, users: 10, bytes: 5_000, messagesPerDay: 9 })
    for (const [, act] of tried) await act()
    expect(await call('get_tenant_usage', { tenantId })).toMatchObject({
      records: 6,
      users: 3,
      bytes: 1_200,
      messages: 2,
      runs: 0,
      limits: { records: null, users: 10, callsPerMinute: null },
    })
  })

  it('let in no more users than there is room for, also of those who are made at the same moment', async () => {
    const tenant = await world.newTenant()
    await call('set_tenant_limits', { tenantId: tenant.tenantId, users: 3 })
    const operations = ['create_user', 'create_user', 'create_user', 'find_or_create_user', 'find_or_create_user', 'find_or_create_user']
    const made = await Promise.allSettled(
      operations.map((name) => world.call(name, { email: `${randomUUID()}@x.example` }, { key: tenant.key })),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toMatchObject(
      Array.from({ length: 4 }, () => refused('conflict', /may have 3 users, and has 3/)),
    )
  })

  it('hold for what is written at the same moment', async () => {
    const tenant = await world.newTenant()
    const own = (name: string, input: object) => world.call(name, input, { key: tenant.key })
    await own('create_entity', { internalName: 'Order' })
    const save = (key1: string) => own('save_instance', { entity: 'Order', key1, data: {} })
    await save('first')
    await call('set_tenant_limits', { tenantId: tenant.tenantId, records: 3, messagesPerDay: 2 })
    const atOnce = async (act: (n: number) => Promise<unknown>) =>
      (await Promise.allSettled([1, 2, 3, 4, 5, 6].map(act))).filter(({ status }) => status === 'fulfilled').length
    expect(await atOnce((n) => own('send_message', { to: { tenantUserId: tenant.tenantUserId }, text: `${n}` }))).toBe(2)
    expect(await atOnce((n) => save(`K${n}`))).toBe(2)
    expect(await own('count_instances', { entity: 'Order' })).toMatchObject({ count: 3 })
  })

  it('of messages keep no conversation for whom a bulk of them no longer reaches', async () => {
    const tenant = await world.newTenant()
    const own = (name: string, input: object) => world.call(name, input, { key: tenant.key })
    const { tenantUserId } = await own('create_user', { email: `${randomUUID()}@x.example` })
    await call('set_tenant_limits', { tenantId: tenant.tenantId, messagesPerDay: 1 })
    const recipients = [tenant.tenantUserId, tenantUserId].map((id) => ({ to: { tenantUserId: id } }))
    const bulk = { recipients, channel: 'inbox', text: 'Gate 4 is closed.' }
    const refusal = { outcome: 'failed', errors: [{ message: expect.stringMatching(/may have 1 messages/) }] }
    expect((await own('send_message_bulk', bulk)).results).toMatchObject([{ outcome: 'sent' }, refusal])
    expect((await own('send_message_bulk', bulk)).results).toMatchObject([refusal, refusal])
    expect(await own('list_conversations', {})).toMatchObject([{ tenantUserId: tenant.tenantUserId }])
    await call('set_tenant_limits', { tenantId: tenant.tenantId, messagesPerDay: 3 })
    expect(await own('send_message_bulk', bulk)).toMatchObject({ sent: 2, failed: 0 })
  })

  it('of messages are counted in an index of what was sent, whatever came in', async () => {
    const tenant = await world.newTenant()
    const own = (name: string, input: object) => world.call(name, input, { key: tenant.key })
    const { conversationId } = await own('send_message', { to: { tenantUserId: tenant.tenantUserId }, channel: 'inbox', text: 'Hello' })
    const asked: { text: string; parameters: readonly number[] }[] = []
    const tx = async (text: TemplateStringsArray, ...parameters: number[]) => {
      asked.push({ text: text.reduce((all, part, index) => `${all}$${index}${part}`), parameters })
      return [{ n: 0 }]
    }
    // The store calls nothing else of a transaction.
    await countSentToday(tx as unknown as Tx, tenant.tenantId)
    const [{ text, parameters } = { text: '', parameters: [] }] = asked
    await world.sql`
      insert into platform.message (tenant_id, conversation_id, seq, direction, channel, status, status_rank, at)
      select ${tenant.tenantId}, ${conversationId}, 1 + n, case when n % 10 = 0 then 'outbound' else 'inbound' end, 'inbox', 'delivered', 1,
        now() - n * interval '1 hour' from generate_series(1, 5000) as n`
    await world.sql`analyze platform.message`
    const plan = await world.sql.unsafe(`explain (format json) ${text}`, [...parameters])
    expect(JSON.stringify(plan)).toContain('"message_sent"')
  })

  it('count what was deleted as free again', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    await call('set_tenant_limits', { tenantId, bytes: 1_000 })
    const { assetKey } = await upload(tenant, 900)
    await expect(upload(tenant, 900)).rejects.toMatchObject(refused('conflict'))
    await world.call('delete_asset', { assetKey }, { key: tenant.key })
    expect(await upload(tenant, 900)).toMatchObject({ assetKey: expect.any(String) })
  })

  it('of calls are 429 for all credentials of the tenant together, and no one else', async () => {
    const tenant = await world.newTenant()
    const other = await tenant.keyWith(['DataView'])
    await call('set_tenant_limits', { tenantId: tenant.tenantId, callsPerMinute: 2 })
    await world.call('whoami', {}, { key: tenant.key })
    await world.call('whoami', {}, { key: other })
    for (const key of [tenant.key, other])
      await expect(world.call('whoami', {}, { key })).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) })
    expect(await world.call('whoami')).toMatchObject({ tenantId: world.tenant.tenantId })
    await call('set_tenant_limits', { tenantId: tenant.tenantId, callsPerMinute: null })
    expect(await world.call('whoami', {}, { key: other })).toMatchObject({ tenantId: tenant.tenantId })
    expect((await call('get_tenant_usage', { tenantId: tenant.tenantId })).calls).toBeGreaterThanOrEqual(3)
    const long = { tenantId: tenant.tenantId, from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z' }
    expect(await call('get_tenant_usage', long)).toMatchObject({ calls: 0, messages: 0 })
  })
})

describe('suspension', () => {
  it('holds runs where they stand, and lets them go on', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const { services } = world.platform
    await refuseSuspended(services, tenantId)
    await call('suspend_tenant', { tenantId })
    await expect
      .poll(() =>
        refuseSuspended(services, tenantId).then(
          () => 'open',
          (error: { code: string }) => error.code,
        ),
      )
      .toBe('tenant_suspended')
    await call('activate_tenant', { tenantId })
    await expect
      .poll(() =>
        refuseSuspended(services, tenantId).then(
          () => 'open',
          () => 'held',
        ),
      )
      .toBe('open')
  })

  it('ends sessions for good, and keys until the tenant is active again', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const token = await newSession(world, await newPerson(world, tenant))
    await call('suspend_tenant', { tenantId })
    await expect(world.call('whoami', {}, { key: token })).rejects.toMatchObject(refused('tenant_suspended'))
    await expect(world.call('whoami', {}, { key: tenant.key })).rejects.toMatchObject(refused('tenant_suspended'))
    await call('activate_tenant', { tenantId })
    expect(await world.call('whoami', {}, { key: tenant.key })).toMatchObject({ tenantId })
    await expect(world.call('whoami', {}, { key: token })).rejects.toMatchObject(refused('unauthenticated'))
  })
})

describe('delete_tenant', () => {
  it('suspends at once, takes its name for confirmation, and is undone until its day', async () => {
    const tenant = await world.newTenant()
    const { tenantId } = tenant
    const confirmation = await nameOf(tenant)
    await expect(call('delete_tenant', { tenantId, confirmation: 'another' })).rejects.toMatchObject({
      issues: [{ path: '$.confirmation' }],
    })
    await expect(call('delete_tenant', { tenantId: global.tenantId, confirmation: await nameOf(global) })).rejects.toMatchObject(
      refused('conflict'),
    )
    const deleted = await call('delete_tenant', { tenantId, confirmation })
    expect(deleted).toMatchObject({ isDeactivated: 1 })
    expect(Math.round((Date.parse(deleted.deletionDate) - Date.now()) / 86_400_000)).toBe(30)
    await expect(world.call('whoami', {}, { key: tenant.key })).rejects.toMatchObject(refused('tenant_suspended'))
    await expect(call('suspend_tenant', { tenantId })).rejects.toMatchObject(refused('conflict', /deleted/))
    await purgeDueTenants(world.platform.services)
    expect(await call('activate_tenant', { tenantId })).not.toHaveProperty('deletionDate')
    expect(await world.call('whoami', {}, { key: tenant.key })).toMatchObject({ tenantId })
  })

  it('is not undone by a suspension at the same time', async () => {
    const { tenantId } = await world.newTenant()
    const suspending = await world.sql.begin(async (tx) => {
      // As delete_tenant does it, which has not committed yet.
      await tx`update platform.tenant set is_deactivated = true, delete_after = now() + interval '30 days' where tenant_id = ${tenantId}`
      const answer = call('suspend_tenant', { tenantId }).catch((error: unknown) => error)
      await vi.waitFor(async () => {
        const waiting = await world.sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`
        expect(waiting).toHaveLength(1)
      }, patience)
      return { answer }
    })
    expect(await suspending.answer).toMatchObject(refused('conflict', /deleted/))
    expect(await call('get_tenant', { tenantId })).toHaveProperty('deletionDate')
  })

  it('removes everything of it once its day has come, and nothing of another', async () => {
    const tenant = await world.newTenant()
    const kept = await world.newTenant()
    const fill = async (of: TestTenant) => {
      const own = (name: string, input: object) => world.call(name, input, { key: of.key })
      await own('create_property', { internalName: 'Title', dataType: 'Text' })
      await own('create_property', {
        internalName: 'Place',
        dataType: 'Hierarchy',
        propertyOptions: [{ internalName: 'north' }, { internalName: 'gate', parent: 'north' }],
      })
      await own('create_entity', { internalName: 'Order', properties: [{ property: 'Title' }, { property: 'Place' }] })
      await own('create_entity', { internalName: 'Log', properties: [{ property: 'Title' }] })
      await own('attach_child_entity', { entity: 'Order', childEntity: 'Log', isList: true })
      await own('save_instance', { entity: 'Order', key1: 'A', data: { Title: 'x', Place: 'gate' } })
      await own('save_instance', { entity: 'Log', key1: 'L', parentKey1: 'A', data: { Title: 'x' } })
      await own('send_message', { to: { tenantUserId: of.tenantUserId }, text: 'x' })
      await own('create_user', { email: 'nobody@x.example' })
      await own('create_api_key', { name: 'k', roles: ['DataView'] })
      await newSession(world, await newPerson(world, of))
      return upload(of, 100)
    }
    await fill(tenant)
    const file = await fill(kept)
    const { tenantId } = tenant
    const { subDomain } = await call('get_tenant', { tenantId })
    await call('delete_tenant', { tenantId, confirmation: await nameOf(tenant), graceDays: 0 })
    await expect(call('activate_tenant', { tenantId })).rejects.toMatchObject(refused('conflict', /removed/))
    const { services } = world.platform
    const persons = await world.sql`select count(*)::int as n from platform.app_user where user_name is null`
    // A call that undoes it may have begun before its day came.
    await purgeDueTenants(services)
    expect(await Array.fromAsync(services.storage.walk(String(tenantId)))).toHaveLength(1)
    await world.sql`update platform.tenant set delete_after = delete_after - interval '1 minute' where tenant_id = ${tenantId}`
    await purgeDueTenants(services)
    await expect(call('get_tenant', { tenantId })).rejects.toMatchObject(refused('not_found'))
    const tables = await world.sql<{ name: string }[]>`
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where n.nspname = 'platform' and c.relkind = 'r'`
    expect(tables.length).toBeGreaterThan(60)
    for (const { name } of tables)
      expect(await world.sql.unsafe(`select 1 from platform."${name}" where tenant_id = ${tenantId} limit 1`), name).toHaveLength(0)
    expect(await world.sql`select 1 from pg_namespace where nspname = ${`t_${tenantId}`}`).toHaveLength(0)
    expect(await Array.fromAsync(services.storage.walk(String(tenantId)))).toEqual([])
    const after = await world.sql`select count(*)::int as n from platform.app_user where user_name is null`
    expect(Number(after[0]?.['n'])).toBeLessThan(Number(persons[0]?.['n']))
    expect(await world.call('get_asset', { assetKey: file.assetKey }, { key: kept.key })).toMatchObject({ fileSize: 100 })
    expect(await world.call('count_instances', { entity: 'Order' }, { key: kept.key })).toMatchObject({ count: 1 })
    const initialAdmin = { email: 'again@x.example' }
    expect(await call('provision_tenant', { name: 'Again', subDomain, initialAdmin })).toMatchObject({ subDomain })
    expect(
      (await world.call('list_audit_events', { operation: 'delete_tenant', pageSize: 1 }, { key: global.key }))[0].detail,
    ).toMatchObject({
      tenantId,
      graceDays: 0,
    })
  })
})
