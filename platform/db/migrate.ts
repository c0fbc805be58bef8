/** Brings a database up to date: the roles, then each numbered migration once, forward only, under a lock. */
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import postgres from 'postgres'

import type { Logger } from '../log.ts'
import { connectionOptions } from './pool.ts'

const migrationsDir = join(import.meta.dirname, 'migrations')
const lockKey = 7_024_001

export interface DatabaseUrls {
  /** The owner, directly: migrations, tables of entities, LISTEN. */
  readonly owner: string
  /** The application: no superuser, no owner, bound by row level security. */
  readonly app: string
  /** Named columns of every tenant, for what must be known before the tenant is. */
  readonly lookup: string
}

/** The numbered SQL files, in order. Throws when there are none: a check that saw nothing must fail. */
export function listMigrations(): { version: number; name: string; sql: string }[] {
  const files = readdirSync(migrationsDir)
    .filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file))
    .sort()
  if (files.length === 0) throw new Error('No migrations were found beside platform/db/migrate.ts')
  return files.map((name) => ({ version: Number(name.slice(0, 4)), name, sql: readFileSync(join(migrationsDir, name), 'utf8') }))
}

/** A role's password, derived from the installation's key so that it never has to be stored. */
export function rolePassword(secretsKey: Buffer, role: string): string {
  return createHmac('sha256', secretsKey).update(`database role ${role}`).digest('base64url')
}

function withRole(url: string, role: string, password: string): string {
  const changed = new URL(url)
  changed.username = role
  changed.password = password
  return changed.toString()
}

export interface MigrateOptions {
  /** The owner's address without a pooler between. */
  readonly ownerUrl: string
  /** Where the application's and the look-up roles connect, through a pooler perhaps; as `ownerUrl` unless told. */
  readonly pooledUrl?: string | undefined
  readonly appUrl?: string | undefined
  readonly lookupUrl?: string | undefined
  readonly secretsKey: Buffer
  readonly log: Logger
}

/** Makes the roles, runs what is missing, and answers with the addresses to use. Refuses an application role that could pass the tenant's fence. */
export async function migrate(options: MigrateOptions): Promise<DatabaseUrls> {
  const { ownerUrl, log } = options
  const sql = postgres(ownerUrl, { ...connectionOptions('fieldloop migrate'), connect_timeout: 30 })
  try {
    await sql`select pg_advisory_lock(${lockKey})`
    const urls = await ensureRoles(sql, options)
    await sql.unsafe(
      'create table if not exists public.fieldloop_migration (version int primary key, name text not null, at timestamptz not null default now())',
    )
    const done = new Set((await sql<{ version: number }[]>`select version from public.fieldloop_migration`).map((row) => row.version))
    for (const migration of listMigrations()) {
      if (done.has(migration.version)) continue
      log.info({ migration: migration.name }, 'migrating')
      await sql.begin(async (tx) => {
        await tx.unsafe(migration.sql)
        await tx`insert into public.fieldloop_migration (version, name) values (${migration.version}, ${migration.name})`
      })
    }
    await sql`select pg_advisory_unlock(${lockKey})`
    await refuseMissingRoles(sql)
    await refuseMightyRole(urls.app)
    return urls
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function ensureRoles(sql: postgres.Sql, options: MigrateOptions): Promise<DatabaseUrls> {
  const { ownerUrl, appUrl, lookupUrl, secretsKey } = options
  for (const role of ['fieldloop_app', 'fieldloop_lookup']) {
    const [existing] = await sql`select rolcanlogin from pg_roles where rolname = ${role}`
    const login = `login noinherit nosuperuser nobypassrls password '${rolePassword(secretsKey, role)}'`
    const isExternal = role === 'fieldloop_app' ? appUrl !== undefined : lookupUrl !== undefined
    if (!existing) await sql.unsafe(`create role ${role} ${isExternal ? 'nologin' : login}`)
    else if (!isExternal) await sql.unsafe(`alter role ${role} with ${login.replace('nosuperuser nobypassrls ', '')}`)
    await sql.unsafe(`alter role ${role} set transaction_timeout = '30s'`)
    await sql.unsafe(`alter role ${role} set idle_in_transaction_session_timeout = '15s'`)
    await sql.unsafe(`alter role ${role} set lock_timeout = '10s'`)
  }
  return {
    owner: ownerUrl,
    app: appUrl ?? withRole(options.pooledUrl ?? ownerUrl, 'fieldloop_app', rolePassword(secretsKey, 'fieldloop_app')),
    lookup: lookupUrl ?? withRole(options.pooledUrl ?? ownerUrl, 'fieldloop_lookup', rolePassword(secretsKey, 'fieldloop_lookup')),
  }
}

/** A dump of a database holds neither the roles, which are the server's, nor the rights of roles that were missing when it was restored. */
async function refuseMissingRoles(sql: postgres.Sql): Promise<void> {
  const [found] = await sql<{ tenants: string[]; hasRights: boolean }[]>`
    select has_schema_privilege('fieldloop_app', 'platform', 'usage') as has_rights, array(
      select nspname::text from pg_namespace where nspname ~ '^t_[0-9]+$' and not exists (select from pg_roles where rolname = nspname) order by 1
    ) as tenants`
  if (found && found.hasRights && found.tenants.length === 0) return
  const missing = found?.tenants.length
    ? `lacks roles of its tenants (${found.tenants.slice(0, 3).join(', ')})`
    : 'lacks the rights of its roles'
  throw new Error(
    `The database ${missing}. Restore the server's roles before the database: pg_dumpall --roles-only on the old server gives them.`,
  )
}

async function refuseMightyRole(appUrl: string): Promise<void> {
  const sql = postgres(appUrl, connectionOptions('fieldloop role check'))
  try {
    const [role] = await sql<{ name: string; isMighty: boolean }[]>`
      select rolname as name, rolsuper or rolbypassrls or exists (
        select from pg_namespace where nspname = 'platform' and pg_has_role(pg_roles.rolname, nspowner, 'usage')
      ) as is_mighty
      from pg_roles where rolname = current_user`
    if (!role || role.isMighty) {
      throw new Error(
        `The application's database role ${role?.name ?? ''} is a superuser, an owner or may bypass row level security, so it would see every tenant. ` +
          'Let DATABASE_APP_URL name a plain role, or leave it out and let boot make one.',
      )
    }
  } finally {
    await sql.end({ timeout: 5 })
  }
}
