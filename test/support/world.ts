/** A world of its own for a spec file: a database cloned from the migrated template, the whole platform in process, and tenants with keys. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'
import { afterAll, beforeAll, inject } from 'vitest'

import { bodyText } from '#platform/answer.ts'
import { hashApiKey, newApiKey } from '#platform/api-keys.ts'
import { type Config, loadConfig } from '#platform/config.ts'
import { rolePassword } from '#platform/db/migrate.ts'
import { AppError } from '#platform/errors.ts'
import { createLog } from '#platform/log.ts'
import type { RawRequest, Upload } from '#platform/operation.ts'
import { createPlatform, type Platform } from '#platform/platform.ts'
import { flagOf, type RoleName, tenantAdminRoles } from '#platform/roles.ts'
import { createSecrets } from '#platform/secrets.ts'
import { domains } from '#tools/index.ts'

import { secretsKeyOfTests, templateName } from './names.ts'
import { patience } from './patience.ts'

export interface TestTenant {
  readonly tenantId: number
  readonly tenantUserId: number
  /** A key with the nine roles of a tenant's administrator. */
  readonly key: string
  /** A key that acts as a user of its own with these roles alone. */
  keyWith(roles: readonly RoleName[]): Promise<string>
}

export interface CallOptions {
  readonly key?: string
  readonly idempotencyKey?: string
  readonly transport?: 'rest' | 'mcp'
  readonly upload?: Upload
  readonly raw?: RawRequest
  readonly signal?: AbortSignal
  /** Null: without a credential. */
  readonly credential?: null
  readonly ip?: string
  readonly userAgent?: string
  readonly host?: string | undefined
}

export interface World {
  readonly platform: Platform
  readonly config: Config
  /** As the owner: for looking at rows that no operation shows. */
  readonly sql: postgres.Sql
  readonly urls: { readonly owner: string; readonly app: string; readonly lookup: string }
  /** The first tenant. */
  readonly tenant: TestTenant
  newTenant(roleFlag?: number): Promise<TestTenant>
  /** Runs an operation as the first tenant's administrator unless another key is given. Answers the REST body, parsed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows; the output schema has checked it.
  call(name: string, input?: unknown, options?: CallOptions): Promise<any>
  /** The same, unparsed: listings with their cursor, bytes. */
  run(name: string, input?: unknown, options?: CallOptions): Promise<unknown>
  /** The error of a call that is refused, by the first tenant's administrator unless another key is given. Throws where it is not. */
  refusal(name: string, input?: unknown, key?: string): Promise<AppError>
  /** Resolves when every transaction that had begun is over: watermarks then show all that was committed. Specs share one cluster. */
  settled(): Promise<void>
  close(): Promise<void>
}

function withDatabase(url: string, database: string, user?: string, password?: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  if (user !== undefined) changed.username = user
  if (password !== undefined) changed.password = password
  return changed.toString()
}

/**
 * The world of a spec file: opened before its tests, closed after them, and there as soon as a hook or a test runs. `env` overrides settings, by their
 * environment names.
 */
export function useWorld(env: Record<string, string> = {}): World {
  let opened: World | undefined
  beforeAll(async () => {
    opened = await openWorld(env)
  })
  afterAll(() => opened?.close())
  const now = (): World => {
    if (!opened) throw new Error('The world is not open yet: look at it in a hook or a test.')
    return opened
  }
  return {
    get platform() {
      return now().platform
    },
    get config() {
      return now().config
    },
    get sql() {
      return now().sql
    },
    get urls() {
      return now().urls
    },
    get tenant() {
      return now().tenant
    },
    newTenant: (...roles) => now().newTenant(...roles),
    call: (...call) => now().call(...call),
    run: (...call) => now().run(...call),
    refusal: (...call) => now().refusal(...call),
    settled: () => now().settled(),
    close: () => now().close(),
  }
}

/** Opens a world beside another, or within a test, which closes it. `prepare` changes its database before anybody connects to it. */
export async function openWorld(env: Record<string, string> = {}, prepare?: (sql: postgres.Sql) => Promise<void>): Promise<World> {
  const adminUrl = inject('adminUrl')
  const database = `fieldloop_test_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${database} template ${templateName} owner fieldloop_owner`)
  if (prepare) {
    const first = postgres(withDatabase(adminUrl, database), { max: 1, onnotice: () => {} })
    await prepare(first)
    await first.end()
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-world-'))
  const urls = {
    owner: withDatabase(adminUrl, database, 'fieldloop_owner', 'test'),
    app: withDatabase(adminUrl, database, 'fieldloop_app', rolePassword(secretsKeyOfTests, 'fieldloop_app')),
    lookup: withDatabase(adminUrl, database, 'fieldloop_lookup', rolePassword(secretsKeyOfTests, 'fieldloop_lookup')),
  }
  const config = loadConfig({ DATA_DIR: dataDir, DATABASE_POOL: '6', CALLS_PER_MINUTE: '1000000', OUTBOUND_ALLOW: '127.0.0.0/8', ...env })
  const log = createLog(process.env['LOG_LEVEL'] ?? 'silent')
  const platform = await createPlatform({
    config,
    log,
    urls,
    directUrl: urls.owner,
    secretsKey: secretsKeyOfTests,
    domains,
    checksOutput: true,
  })
  const sql = postgres(withDatabase(adminUrl, database), { max: 2, onnotice: () => {}, transform: { column: { from: postgres.toCamel } } })

  async function insertUser(tenantId: number, name: string, roleFlag: number): Promise<number> {
    const [user] = await sql<
      { userId: number }[]
    >`insert into platform.app_user (user_name) values (${`${name}-${randomUUID()}`}) returning user_id`
    const [member] = await sql<{ tenantUserId: number }[]>`
      insert into platform.tenant_user (tenant_id, user_id, user_name, display_name, role_flag)
      values (${tenantId}, ${user?.userId ?? 0}, ${name}, ${name}, ${roleFlag}) returning tenant_user_id`
    return member?.tenantUserId ?? 0
  }

  async function insertKey(tenantId: number, tenantUserId: number, roleFlag: number): Promise<string> {
    const key = newApiKey()
    await sql`
      insert into platform.api_key (tenant_id, tenant_user_id, name, role_flag, key_hash, prefix)
      values (${tenantId}, ${tenantUserId}, 'test', ${roleFlag}, ${hashApiKey(key)}, ${key.slice(0, 8)})`
    return key
  }

  async function newTenant(roleFlag: number = tenantAdminRoles): Promise<TestTenant> {
    const subDomain = `t${randomUUID().slice(0, 12)}`
    const [row] = await sql<{ tenantId: number }[]>`
      insert into platform.tenant (name, sub_domain, host, sealed_key)
      values (${subDomain}, ${subDomain}, ${`${subDomain}.test`}, ${createSecrets(secretsKeyOfTests).newTenantKey()}) returning tenant_id`
    const tenantId = row?.tenantId ?? 0
    const tenantUserId = await insertUser(tenantId, 'admin', roleFlag)
    return {
      tenantId,
      tenantUserId,
      key: await insertKey(tenantId, tenantUserId, roleFlag),
      keyWith: async (roles) =>
        insertKey(tenantId, await insertUser(tenantId, `user${randomUUID().slice(0, 6)}`, flagOf(roles)), flagOf(roles)),
    }
  }

  const tenant = await newTenant()

  async function run(name: string, input: unknown = {}, options: CallOptions = {}): Promise<unknown> {
    const operation = platform.pipeline.registry.byName.get(name)
    if (!operation) throw new Error(`There is no operation ${name}`)
    return platform.pipeline.run({
      operation,
      transport: options.transport ?? 'rest',
      credential: options.credential === null ? { kind: 'none' } : { kind: 'bearer', token: options.key ?? tenant.key },
      input,
      idempotencyKey: options.idempotencyKey,
      requestId: randomUUID(),
      ip: options.ip,
      userAgent: options.userAgent,
      host: options.host,
      signal: options.signal ?? new AbortController().signal,
      upload: options.upload,
      raw: options.raw,
    })
  }

  return {
    platform,
    config,
    sql,
    urls,
    tenant,
    newTenant,
    run,
    call: async (name, input, options) => JSON.parse(bodyText(await run(name, input, options))),
    async refusal(name, input, key) {
      const error: unknown = await run(name, input, key === undefined ? {} : { key }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (!(error instanceof AppError)) throw new Error(`${name} was not refused: ${String(error)}`)
      return error
    },
    async settled() {
      const [mine] = await sql<{ id: string }[]>`select pg_current_xact_id()::text as id`
      const until = Date.now() + patience.timeout
      for (;;) {
        const [now] = await sql<
          { isOver: boolean }[]
        >`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > ${mine?.id ?? '0'}::text::bigint as is_over`
        if (now?.isOver) return
        if (Date.now() > until) throw new Error('A transaction of the cluster has been open for a minute')
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async close() {
      await platform.end()
      await sql.end({ timeout: 1 })
      await admin.unsafe(`drop database if exists ${database} with (force)`)
      await admin.end({ timeout: 1 })
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
