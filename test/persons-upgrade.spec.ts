/** An installation of the time when an address made two tenants' users one person. */
import { randomUUID } from 'node:crypto'

import postgres from 'postgres'
import { expect, inject, it } from 'vitest'

import { listMigrations } from '#platform/db/migrate.ts'

it('leaves the person to the first membership, gives the others persons who cannot sign in, and takes no address for proved', async () => {
  const admin = postgres(inject('adminUrl'), { max: 1, onnotice: () => {} })
  const database = `fieldloop_upgrade_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  await admin.unsafe(`create database ${database} owner fieldloop_owner`)
  const url = new URL(inject('adminUrl'))
  url.pathname = `/${database}`
  url.username = 'fieldloop_owner'
  url.password = 'test'
  const sql = postgres(url.toString(), { max: 1, onnotice: () => {} })
  try {
    const migrations = listMigrations()
    const from = migrations.findIndex(({ name }) => name.endsWith('_persons.sql'))
    expect(from).toBeGreaterThan(0)
    for (const migration of migrations.slice(0, from)) await sql.unsafe(migration.sql)
    await sql.unsafe(`
      insert into platform.tenant (name, sub_domain, host, sealed_key) values
        ('A', 'a', 'a.localhost', ''), ('B', 'b', 'b.example.com', ''), ('C', 'c', 'c.localhost', '');
      insert into platform.app_user (user_name, email, password_hash) values ('ana', 'ana@example.com', 'hash'), ('ben@example.com', 'ben@example.com', null), ('key-1', null, null), ('root@example.com', 'root@example.com', 'hash');
      insert into platform.tenant_user (tenant_id, user_id, user_name, display_name, email, role_flag, is_service) values
        (2, 1, 'ana', 'Ana of B', 'Ana@example.com', 64, false), (1, 1, 'ana', 'Ana of A', 'ana@example.com', 2, false),
        (3, 1, 'ana', 'Ana of C', null, 2, false), (1, 2, 'ben@example.com', 'Ben', 'ben@example.com', 2, false), (1, 3, 'key-1', 'Key', null, 2, true), (1, 4, 'root@example.com', 'Root', 'root@example.com', 64, false)`)
    for (const migration of migrations.slice(from)) await sql.unsafe(migration.sql)
    const rows = await sql`
      select u.tenant_user_id as member, u.user_id = u.tenant_user_id or (u.tenant_user_id = 4 and u.user_id = 2) or (u.tenant_user_id = 5 and u.user_id = 3) or (u.tenant_user_id = 6 and u.user_id = 4) as kept,
        u.user_name as label, p.user_name as log_in, p.password_hash is not null as signs_in, u.accepted_date is not null as accepted
      from platform.tenant_user u join platform.app_user p using (user_id) order by u.tenant_user_id`
    const empty = { kept: false, label: 'ana', log_in: null, signs_in: false, accepted: false }
    expect([...rows]).toEqual([
      { member: 1, kept: true, label: 'ana', log_in: 'ana', signs_in: true, accepted: true },
      { member: 2, ...empty },
      { member: 3, ...empty },
      { member: 4, kept: true, label: 'ben@example.com', log_in: null, signs_in: false, accepted: false },
      { member: 5, kept: true, label: 'key-1', log_in: null, signs_in: false, accepted: false },
      // With a password, and nothing to sign in with: an administrator may invite them.
      { member: 6, kept: true, label: 'root@example.com', log_in: null, signs_in: false, accepted: false },
    ])
    expect([...(await sql`select tenant_user_id, value from platform.user_contact order by 1`)]).toEqual([
      { tenant_user_id: 1, value: 'ana@example.com' },
      { tenant_user_id: 2, value: 'ana@example.com' },
      { tenant_user_id: 4, value: 'ben@example.com' },
      { tenant_user_id: 6, value: 'root@example.com' },
    ])
    expect(await sql`select 1 from platform.person_email`).toHaveLength(0)
    expect([...(await sql`select host from platform.tenant order by tenant_id`)]).toEqual([
      { host: null },
      { host: 'b.example.com' },
      { host: null },
    ])
  } finally {
    await sql.end()
    await admin.unsafe(`drop database ${database} with (force)`)
    await admin.end()
  }
})
