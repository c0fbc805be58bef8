/** The fence between tenants, seen from the database: what each of the roles may see and do. */
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

import { migrate } from '#platform/db/migrate.ts'
import { connectionOptions } from '#platform/db/pool.ts'
import { createLog } from '#platform/log.ts'

import { secretsKeyOfTests } from './support/names.ts'
import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { steps } from './support/test-operations.ts'
import type { World } from './support/world.ts'

let opened: PipelineWorld
let world: World
let call: PipelineWorld['call']
beforeAll(async () => {
  opened = await openPipelineWorld()
  ;({ world, call } = opened)
})
afterAll(() => opened?.close())

describe('the fence between tenants', () => {
  it('stands again behind what was done as another tenant, also where that failed', async () => {
    const other = await world.newTenant()
    const label = 'as another'
    steps.set(label, async (context) => {
      const failed = context.asTenant(other.tenantId, () => Promise.reject(new Error('It fails there')))
      await expect(failed).rejects.toThrow('It fails there')
      expect(await context.asTenant(other.tenantId, () => Promise.resolve('done'))).toBe('done')
    })
    // Its second row is written after that, and another tenant's would be refused.
    await call('write_twice', { label })
    steps.delete(label)
    expect(await opened.effects(label)).toBe(2)
  })

  it('shows a raw connection of the application nothing without a tenant, its own with one, and takes nothing for another', async () => {
    const [a, b] = [world.tenant, await world.newTenant()]
    await call('write_twice', { label: 'fence' })
    await call('write_twice', { label: 'fence' }, { key: b.key })
    const app = postgres(world.urls.app, connectionOptions('test'))
    try {
      const [tables] = await world.sql<{ names: string[] }[]>`
        select array_agg(c.relname::text order by c.relname) as names from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
        where c.relnamespace = 'platform'::regnamespace and c.relkind in ('r', 'p') and has_table_privilege('fieldloop_app', c.oid, 'select')`
      const names = tables?.names ?? []
      expect(names.length).toBeGreaterThan(10)
      const ofProduct = new Set(['category'])
      for (const name of names) {
        const [outside] = await app.unsafe(`select count(*)::int as count from platform.${name} where tenant_id <> 0`)
        expect(outside, name).toEqual({ count: 0 })
        const seen = await app.begin(async (tx) => {
          await tx`select set_config('app.tenant_id', ${String(a.tenantId)}, true)`
          return tx.unsafe(`select distinct tenant_id from platform.${name}`)
        })
        const foreign = seen
          .map((row) => Number(row['tenantId']))
          .filter((tenantId) => tenantId !== a.tenantId && !(tenantId === 0 && ofProduct.has(name)))
        expect(foreign, name).toEqual([])
      }
      const as = (tenantId: number, statement: string) =>
        app.begin(async (tx) => {
          await tx`select set_config('app.tenant_id', ${String(tenantId)}, true)`
          return tx.unsafe(statement)
        })
      expect(await as(a.tenantId, `select tenant_id from platform.test_effect where label = 'fence'`)).toEqual([
        { tenantId: a.tenantId },
        { tenantId: a.tenantId },
      ])
      await expect(
        as(a.tenantId, `insert into platform.test_effect (tenant_id, label) values (${b.tenantId}, 'smuggled')`),
      ).rejects.toMatchObject({ code: '42501' })
      await expect(as(a.tenantId, `update platform.test_effect set tenant_id = ${b.tenantId} where label = 'fence'`)).rejects.toMatchObject(
        { code: '42501' },
      )
      expect(
        await as(a.tenantId, `delete from platform.test_effect where label = 'fence' and tenant_id = ${b.tenantId} returning 1`),
      ).toHaveLength(0)
      expect(await as(b.tenantId, `select 1 from platform.test_effect where label = 'fence'`)).toHaveLength(2)
    } finally {
      await app.end()
    }
  })

  it('stands on every table of the platform that has a tenant', async () => {
    const unfenced = await world.sql`
      select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'platform'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity`
    expect(unfenced).toEqual([])
  })

  it('lets the look-up role change nothing but what it must', async () => {
    const lookup = postgres(world.urls.lookup, connectionOptions('test'))
    try {
      for (const statement of [
        `update platform.tenant_user set role_flag = 1023`,
        `update platform.api_key set role_flag = 1023`,
        `insert into platform.audit_event (tenant_id, credential_id, operation, outcome, transport, request_id) values (1, 'x', 'x', 'done', 'rest', 'x')`,
        `select created_date from platform.api_key`,
        `select facts from platform.audit_event`,
        `delete from platform.api_key`,
      ]) {
        await expect(lookup.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' })
      }
    } finally {
      await lookup.end()
    }
  })

  it('refuses to boot with an application role that could pass it', async () => {
    const superuser = urlWith(inject('adminUrl'), { database: new URL(world.urls.owner).pathname })
    await world.sql.unsafe(
      `do $$ begin create role test_bypass login bypassrls password 'test'; exception when duplicate_object then null; end $$`,
    )
    const bypass = urlWith(world.urls.owner, { user: 'test_bypass' })
    for (const appUrl of [superuser, world.urls.owner, bypass]) {
      await expect(
        migrate({
          ownerUrl: world.urls.owner,
          appUrl,
          lookupUrl: world.urls.lookup,
          secretsKey: secretsKeyOfTests,
          log: createLog('silent'),
        }),
      ).rejects.toThrow(/superuser, an owner or may bypass/)
    }
    const urls = await migrate({
      ownerUrl: world.urls.owner,
      appUrl: world.urls.app,
      lookupUrl: world.urls.lookup,
      secretsKey: secretsKeyOfTests,
      log: createLog('silent'),
    })
    expect(urls.app).toBe(world.urls.app)
  })

  it('refuses to boot on a database that was restored without the roles of its server, and says what is missing', async () => {
    const boot = () => migrate({ ownerUrl: world.urls.owner, secretsKey: secretsKeyOfTests, log: createLog('silent') })
    await world.sql.unsafe('create schema t_999999999')
    try {
      await expect(boot()).rejects.toThrow(/lacks roles of its tenants \(t_999999999\)\. .*pg_dumpall --roles-only/)
    } finally {
      await world.sql.unsafe('drop schema t_999999999')
    }
    await world.sql.unsafe('revoke usage on schema platform from fieldloop_app')
    try {
      await expect(boot()).rejects.toThrow(/lacks the rights of its roles/)
    } finally {
      await world.sql.unsafe('grant usage on schema platform to fieldloop_app')
    }
    await boot()
  })
})

function urlWith(url: string, change: { database?: string; user?: string }): string {
  const changed = new URL(url)
  if (change.database !== undefined) changed.pathname = change.database
  if (change.user !== undefined) changed.username = change.user
  return changed.toString()
}
