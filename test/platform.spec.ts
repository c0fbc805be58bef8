/** What the pipeline promises of every operation, held through real ones and a few of its own. */
import { randomUUID } from 'node:crypto'

import postgres from 'postgres'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'

import { bodyText } from '#platform/answer.ts'
import type { Credential } from '#platform/call.ts'
import { loadConfig } from '#platform/config.ts'
import { connectionOptions } from '#platform/db/pool.ts'
import { migrate } from '#platform/db/migrate.ts'
import { AppError, toProblem } from '#platform/errors.ts'
import { createLog } from '#platform/log.ts'
import type { TxContext } from '#platform/operation.ts'
import { createPlatform, type Platform } from '#platform/platform.ts'
import { flagOf } from '#platform/roles.ts'
import { domains } from '#tools/index.ts'

import { secretsKeyOfTests } from './support/names.ts'
import { effectTables, steps, testDomain } from './support/test-operations.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
/** With the operations of the test, on the database of the world. */
let platform: Platform
/** Another process on the same database. */
let other: Platform
const platforms: Platform[] = []

async function open(env: Record<string, string> = {}): Promise<Platform> {
  const config = loadConfig({ DATA_DIR: world.config.dataDir, DATABASE_POOL: '4', CALLS_PER_MINUTE: '1000000', ...env })
  const made = await createPlatform({
    config,
    log: createLog(process.env['LOG_LEVEL'] ?? 'silent'),
    urls: world.urls,
    directUrl: world.urls.owner,
    secretsKey: secretsKeyOfTests,
    domains: [...domains, testDomain],
    checksOutput: true,
  })
  platforms.push(made)
  return made
}

beforeAll(async () => {
  world = await openWorld()
  await world.sql.unsafe(effectTables)
  platform = await open()
  other = await open()
})
afterAll(async () => {
  await Promise.all(platforms.map((one) => one.end()))
  await world?.close()
})
afterEach(() => steps.clear())

interface Options {
  readonly on?: Platform
  readonly key?: string | null
  readonly credential?: Credential
  readonly idempotencyKey?: string
  readonly requestId?: string
  readonly signal?: AbortSignal
}

// oxlint-disable-next-line typescript/no-explicit-any -- as World.call
async function call(name: string, input: unknown = {}, options: Options = {}): Promise<any> {
  const { pipeline } = options.on ?? platform
  const operation = pipeline.registry.byName.get(name)
  if (!operation) throw new Error(`There is no operation ${name}`)
  const bearer = options.key === null ? ({ kind: 'none' } as const) : ({ kind: 'bearer', token: options.key ?? world.tenant.key } as const)
  const answer = await pipeline.run({
    operation,
    transport: 'rest',
    credential: options.credential ?? bearer,
    input,
    idempotencyKey: options.idempotencyKey,
    requestId: options.requestId ?? randomUUID(),
    ip: '203.0.113.5',
    signal: options.signal ?? new AbortController().signal,
  })
  return JSON.parse(bodyText(answer))
}

const refused = (code: string, message: RegExp = /./) => ({ code, message: expect.stringMatching(message) })

async function effects(label: string): Promise<number> {
  const [row] = await world.sql<{ count: number }[]>`select count(*)::int as count from platform.test_effect where label = ${label}`
  return row?.count ?? 0
}

function gate() {
  const reached = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  return { reached: reached.promise, reach: reached.resolve, opened: opened.promise, open: opened.resolve }
}

describe('who may call', () => {
  it('answers 401 to no credential, to a wrong one, and to one of another form, before it looks at the input', async () => {
    const credentials: Credential[] = [
      { kind: 'none' },
      { kind: 'bearer', token: 'wrong' },
      { kind: 'bearer', token: `${world.tenant.key}x` },
      { kind: 'bearer', token: '' },
    ]
    for (const credential of credentials) {
      const error = await call('create_user', { nonsense: 1 }, { credential }).catch((thrown: unknown) => thrown)
      expect(toProblem(error, 'r1')).toMatchObject({
        status: 401,
        code: 'unauthenticated',
        requestId: 'r1',
        type: 'urn:fieldloop:error:unauthenticated',
      })
    }
    await expect(
      call(
        'list_roles',
        {},
        { credential: { kind: 'signed', method: 'POST', path: '/api/v1/roles/list', sig: 'x', exp: '9999999999', u: '1' } },
      ),
    ).rejects.toMatchObject(refused('forbidden', /signed URL/))
    expect(await call('answer_anyone', {}, { key: null })).toEqual({ tenantId: 0 })
  })

  it('answers 403 without the role, names the role, and leaves a trace of the denial', async () => {
    const key = await world.tenant.keyWith(['DataView'])
    const requestId = randomUUID()
    await expect(call('create_user', { nonsense: 1 }, { key, requestId })).rejects.toMatchObject(
      refused('forbidden', /AdminUser.*DataView/),
    )
    const rows =
      await world.sql`select operation, outcome, code, transport, ip, tenant_user_id is not null as has_user from platform.audit_event where request_id = ${requestId}`
    expect(rows).toEqual([
      { operation: 'create_user', outcome: 'denied', code: 'forbidden', transport: 'rest', ip: '203.0.113.5', hasUser: true },
    ])
  })

  it('leaves a trace of a write in its transaction, and none of a plain read', async () => {
    const requestId = randomUUID()
    const { tenantUserId } = await call('create_user', { email: 'trace@example.com' }, { requestId })
    const rows = await world.sql`select outcome, facts from platform.audit_event where request_id = ${requestId}`
    expect(rows).toEqual([{ outcome: 'done', facts: { tenantUserId } }])
    const readId = randomUUID()
    await call('get_user', { tenantUserId }, { requestId: readId })
    expect(await world.sql`select 1 from platform.audit_event where request_id = ${readId}`).toHaveLength(0)
  })

  it('answers 401 to an expired key and a locked user, 403 to a suspended tenant', async () => {
    const expired = await call('create_api_key', { name: 'short', roles: [], expiresAt: '2099-01-01T00:00:00Z' })
    await call('list_roles', {}, { key: expired.apiKey })
    await world.sql`update platform.api_key set expires_at = now() - interval '1 second' where api_key_id = ${expired.apiKeyId}`
    platform.services.wake.poke('credentials')
    await expect(call('list_roles', {}, { key: expired.apiKey })).rejects.toMatchObject(refused('unauthenticated'))
    const { tenantUserId } = await call('create_user', { email: 'locked@example.com', roles: ['DataView'] })
    const bound = await call('create_api_key', { name: 'bound', roles: ['DataView'], tenantUserId })
    await call('lock_user', { tenantUserId })
    await expect(call('list_roles', {}, { key: bound.apiKey })).rejects.toMatchObject(refused('unauthenticated'))
    const [tenant, global] = [await world.newTenant(), await world.newTenant(flagOf(['GlobalAdmin']))]
    await call('list_roles', {}, { key: tenant.key })
    await call('suspend_tenant', { tenantId: tenant.tenantId }, { key: global.key })
    await expect(call('list_roles', {}, { key: tenant.key })).rejects.toMatchObject(refused('tenant_suspended'))
  })

  it('refuses a key that expires while it is still remembered', async () => {
    const { apiKey: key } = await call('create_api_key', { name: 'soon', roles: [], expiresAt: new Date(Date.now() + 700).toISOString() })
    await call('list_roles', {}, { key })
    await expect
      .poll(
        () =>
          call('list_roles', {}, { key }).then(
            () => 'served',
            (error: AppError) => error.code,
          ),
        { timeout: 5_000, interval: 50 },
      )
      .toBe('unauthenticated')
  })

  it('refuses a revoked key and a suspended tenant at once on another process too', async () => {
    const { apiKey: key, apiKeyId } = await call('create_api_key', { name: 'everywhere', roles: [] })
    await call('list_roles', {}, { key, on: other })
    await call('revoke_api_key', { apiKeyId })
    const code = (token: string) =>
      call('list_roles', {}, { key: token, on: other }).then(
        () => 'served',
        (error: AppError) => error.code,
      )
    // Far below the five seconds for which a credential is remembered.
    await expect.poll(() => code(key), { timeout: 1_000, interval: 5 }).toBe('unauthenticated')
    const [tenant, global] = [await world.newTenant(), await world.newTenant(flagOf(['GlobalAdmin']))]
    await call('list_roles', {}, { key: tenant.key, on: other })
    await call('suspend_tenant', { tenantId: tenant.tenantId }, { key: global.key })
    await expect.poll(() => code(tenant.key), { timeout: 1_000, interval: 5 }).toBe('tenant_suspended')
  })

  it('answers 429 with the seconds to wait above the calls of a minute, for each key alone', async () => {
    const limited = await open({ CALLS_PER_MINUTE: '5' })
    const key = await world.tenant.keyWith([])
    for (let n = 0; n < 5; n++) await call('list_roles', {}, { key, on: limited })
    const error = await call('list_roles', {}, { key, on: limited }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: expect.any(Number),
      message: expect.stringMatching(/5 calls a minute/),
    })
    expect((error as AppError).retryAfterSeconds).toBeGreaterThanOrEqual(1)
    expect((error as AppError).retryAfterSeconds).toBeLessThanOrEqual(12)
    expect(await call('list_roles', {}, { key: await world.tenant.keyWith([]), on: limited })).toHaveLength(10)
  })
})

describe('what comes in', () => {
  it('refuses unknown fields with the nearest right one, and says everything that is wrong at once', async () => {
    const error = await call('create_user', { emial: 'a@example.com', phone: 5, roles: ['Dataview'] }).catch((thrown: unknown) => thrown)
    expect(toProblem(error, 'r')).toMatchObject({
      status: 400,
      code: 'invalid_input',
      issues: [
        { path: '$.emial', severity: 'error', suggestion: 'email', message: expect.stringMatching(/no field "emial".*Allowed: .*email/) },
        { path: '$.phone', message: expect.stringMatching(/Expected string/) },
        { path: '$.roles[0]', suggestion: 'DataView' },
      ],
    })
  })

  it('names a field that is missing, and cuts what it quotes', async () => {
    await expect(call('get_user', {})).rejects.toMatchObject({
      issues: [{ path: '$.tenantUserId', message: expect.stringMatching(/^Required/) }],
    })
    const error: AppError = await call('list_roles', { ['x'.repeat(5_000)]: 1 }).catch((thrown: AppError) => thrown)
    expect(error.issues?.[0]?.message.length).toBeLessThan(400)
  })
})

describe('idempotency keys', () => {
  it('answer the first answer again without doing anything, and refuse another body', async () => {
    const [label, idempotencyKey] = ['replay', randomUUID()]
    const first = await call('write_twice', { label }, { idempotencyKey })
    expect(await call('write_twice', { label }, { idempotencyKey })).toEqual(first)
    expect(await call('write_twice', { label }, { idempotencyKey, on: other })).toEqual(first)
    expect(await effects(label)).toBe(2)
    await expect(call('write_twice', { label: 'another' }, { idempotencyKey })).rejects.toMatchObject(
      refused('idempotency_conflict', /another body/),
    )
    expect(await effects('another')).toBe(0)
    const [row] =
      await world.sql`select count(*)::int as count from platform.audit_event where operation = 'write_twice' and outcome = 'done'`
    expect(row?.['count']).toBe(1)
  })

  it('belong to a credential and an operation', async () => {
    const [label, idempotencyKey] = ['scope', randomUUID()]
    await call('write_twice', { label }, { idempotencyKey })
    await call('write_twice', { label }, { idempotencyKey, key: await world.tenant.keyWith(['DataEdit']) })
    await call('write_staged', { label }, { idempotencyKey })
    expect(await effects(label)).toBe(6)
  })

  it.each(['write_twice', 'write_staged'])('have exactly one effect in twenty calls of %s at once', async (name) => {
    const [label, idempotencyKey] = [`rush ${name}`, randomUUID()]
    const attempt = async (on: Platform): Promise<unknown> => {
      for (;;) {
        const answer = await call(name, { label }, { idempotencyKey, on }).catch((error: unknown) => error)
        if (!(answer instanceof AppError)) return answer
        expect(answer).toMatchObject({ code: 'idempotency_in_progress', retryAfterSeconds: 1 })
      }
    }
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => attempt(n % 2 ? platform : other)))
    expect(answers).toHaveLength(20)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await effects(label)).toBe(2)
  })

  it.each(['write_twice', 'write_staged'])('are 409 at once while the first %s still runs', async (name) => {
    const [label, idempotencyKey] = [`busy ${name}`, randomUUID()]
    const { reached, reach, opened, open: letGo } = gate()
    steps.set(label, async () => {
      reach()
      await opened
    })
    const first = call(name, { label }, { idempotencyKey })
    await reached
    for (const on of [platform, other]) {
      const before = performance.now()
      await expect(call(name, { label }, { idempotencyKey, on })).rejects.toMatchObject({
        code: 'idempotency_in_progress',
        retryAfterSeconds: 1,
      })
      expect(performance.now() - before).toBeLessThan(1_000)
    }
    letGo()
    const answer = await first
    expect(await call(name, { label }, { idempotencyKey })).toEqual(answer)
    expect(await effects(label)).toBe(2)
  })

  it.each(['write_twice', 'write_staged'])('are free again after a %s that failed', async (name) => {
    const [label, idempotencyKey] = [`failed ${name}`, randomUUID()]
    steps.set(label, () => {
      throw new AppError('unprocessable', 'Not this time.')
    })
    await expect(call(name, { label }, { idempotencyKey })).rejects.toMatchObject(refused('unprocessable'))
    steps.delete(label)
    const before = await effects(label)
    expect(before).toBe(name === 'write_twice' ? 0 : 1)
    const answer = await call(name, { label }, { idempotencyKey })
    expect(await call(name, { label }, { idempotencyKey })).toEqual(answer)
    expect(await effects(label)).toBe(before + 2)
  })

  it('of a staged call whose process died are free after two minutes', async () => {
    const [label, idempotencyKey] = ['died', randomUUID()]
    const { reached, reach } = gate()
    steps.set(label, async () => {
      reach()
      await new Promise<void>(() => {})
    })
    const dying = await open({ SHUTDOWN_SECONDS: '1' })
    call('write_staged', { label }, { idempotencyKey, on: dying }).catch(() => {})
    await reached
    steps.delete(label)
    await expect(call('write_staged', { label }, { idempotencyKey })).rejects.toMatchObject(refused('idempotency_in_progress'))
    await world.sql`update platform.idempotency_key set claimed_at = claimed_at - interval '121 seconds' where key = ${idempotencyKey}`
    expect(await call('write_staged', { label }, { idempotencyKey })).toMatchObject({ attempt: 1 })
  })

  it('of a call that showed a secret answer 409 with the id of what it made', async () => {
    const idempotencyKey = randomUUID()
    const { apiKeyId, apiKey } = await call('create_api_key', { name: 'secret', roles: [] }, { idempotencyKey })
    const error: AppError = await call('create_api_key', { name: 'secret', roles: [] }, { idempotencyKey }).catch(
      (thrown: AppError) => thrown,
    )
    expect(error).toMatchObject(refused('idempotency_conflict', new RegExp(`apiKeyId ${apiKeyId}\\b`)))
    const kept = await world.sql`select answer, secret_of from platform.idempotency_key where key = ${idempotencyKey}`
    expect(kept).toEqual([{ answer: null, secretOf: `apiKeyId ${apiKeyId}` }])
    expect(JSON.stringify(error)).not.toContain(apiKey)
  })

  it('do not answer whoever has lost the role meanwhile', async () => {
    const idempotencyKey = randomUUID()
    const { apiKey: key, apiKeyId } = await call('create_api_key', { name: 'demoted', roles: ['DataEdit'] })
    await call('write_twice', { label: 'demoted' }, { idempotencyKey, key })
    await call('update_api_key', { apiKeyId, roles: [] })
    await expect(call('write_twice', { label: 'demoted' }, { idempotencyKey, key })).rejects.toMatchObject(refused('forbidden'))
  })

  it('are forgotten after a day', async () => {
    const [label, idempotencyKey] = ['a day', randomUUID()]
    await call('write_twice', { label }, { idempotencyKey })
    await world.sql`update platform.idempotency_key set expires_at = now() - interval '1 second' where key = ${idempotencyKey}`
    await call('write_twice', { label }, { idempotencyKey })
    expect(await effects(label)).toBe(4)
  })
})

describe('the transaction', () => {
  it('commits everything or nothing: rows, audit, event and kept answer', async () => {
    const [label, idempotencyKey, requestId] = ['nothing', randomUUID(), randomUUID()]
    steps.set(label, async ({ emit }) => {
      await emit({ type: 'jobQueued', jobId: 987_654, attempt: 1 })
      throw new AppError('conflict', 'Changed my mind.')
    })
    await expect(call('write_twice', { label }, { idempotencyKey, requestId })).rejects.toMatchObject(refused('conflict'))
    expect(await effects(label)).toBe(0)
    const [left] = await world.sql`
      select (select count(*) from platform.outbox where subject = 'job:987654')::int as events,
        (select count(*) from platform.audit_event where request_id = ${requestId})::int as audits,
        (select count(*) from platform.idempotency_key where key = ${idempotencyKey})::int as keys`
    expect(left).toEqual({ events: 0, audits: 0, keys: 0 })
  })

  it('runs a handler again after a concurrent change, three times at most, with one effect', async () => {
    const fail =
      (times: number): ((context: TxContext) => Promise<void>) =>
      async ({ tx, attempt }) => {
        if (attempt <= times) await tx.unsafe(`do $$ begin raise exception 'busy' using errcode = '40001'; end $$`)
      }
    steps.set('twice', fail(2))
    expect(await call('write_twice', { label: 'twice' })).toMatchObject({ attempt: 3 })
    expect(await effects('twice')).toBe(2)
    steps.set('always', fail(9))
    await expect(call('write_twice', { label: 'always' })).rejects.toMatchObject(refused('conflict', /same moment/))
    expect(await effects('always')).toBe(0)
  })

  it('says nothing of what the database said', async () => {
    steps.set('broken', async ({ tx }) => void (await tx.unsafe('select 1 / 0')))
    const error = await call('write_twice', { label: 'broken' }).catch((thrown: unknown) => thrown)
    const problem = toProblem(error, 'r7')
    expect(problem).toMatchObject({ status: 500, code: 'internal', requestId: 'r7' })
    expect(JSON.stringify(problem)).not.toMatch(/division|zero|select|postgres/i)
  })

  it('does not commit where a statement failed and the handler looked away', async () => {
    steps.set('ignored', async ({ tx }) => {
      await tx.unsafe('select 1 / 0').catch(() => {})
    })
    await expect(call('write_twice', { label: 'ignored' })).rejects.toMatchObject({ code: 'internal' })
    expect(await effects('ignored')).toBe(0)
  })
})

describe('a connection that is lost in the middle of a handler', () => {
  /** One connection, so that whatever comes next gets the one that was lost. */
  let narrow: Platform
  beforeAll(async () => {
    narrow = await open({ DATABASE_POOL: '1' })
  })

  async function backendOf({ tx }: TxContext): Promise<number> {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
    return row?.pid ?? 0
  }

  async function kill(pid: number): Promise<void> {
    await world.sql`select pg_terminate_backend(${pid})`
    await expect.poll(async () => (await world.sql`select 1 from pg_stat_activity where pid = ${pid}`).length).toBe(0)
  }

  it('commits nothing of it, answers 503, and the next call works', async () => {
    steps.set('killed', async (context) => kill(await backendOf(context)))
    await expect(call('write_twice', { label: 'killed' }, { on: narrow })).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 1,
    })
    expect(await call('write_twice', { label: 'after' }, { on: narrow })).toMatchObject({ attempt: 1 })
    expect(await effects('killed')).toBe(0)
    expect(await effects('after')).toBe(2)
  })

  it('ends a statement under way as well', async () => {
    steps.set('asleep', async (context) => {
      const pid = await backendOf(context)
      await Promise.all([context.tx`select pg_sleep(20)`, kill(pid)])
    })
    await expect(call('write_twice', { label: 'asleep' }, { on: narrow })).rejects.toMatchObject({ code: 'unavailable' })
    expect(await effects('asleep')).toBe(0)
    await call('list_users', {}, { on: narrow })
  })

  it('sends nothing again that was waiting behind a statement', async () => {
    for (let round = 0; round < 5; round++) {
      steps.set('queued', async (context) => {
        const pid = await backendOf(context)
        // The first statement of its kind is described before it runs, and what comes after it waits in the client for that.
        const first = context.tx.unsafe(`select pg_sleep($1) as round_${round}`, [20])
        const behind = Array.from({ length: 3 }, (_, n) => context.tx`insert into platform.test_unfenced (label) values (${`queued ${round} ${n}`})`)
        await Promise.all([first, ...behind, kill(pid)])
      })
      await expect(call('write_twice', { label: 'queued' }, { on: narrow })).rejects.toMatchObject({ code: 'unavailable' })
    }
    // Whatever was sent again would come before these.
    for (let n = 0; n < 3; n++) await call('write_twice', { label: 'after queued' }, { on: narrow })
    expect(await world.sql`select label from platform.test_unfenced`).toEqual([])
    expect(await effects('queued')).toBe(0)
    expect(narrow.services.databases.app.stats()).toMatchObject({ busy: 0, waiting: 0 })
  })

  it('settles every statement, however the connection goes, and gives its place in the pool back', { timeout: 60_000 }, async () => {
    for (let round = 0; round < 60; round++) {
      steps.set('reset', async (context) => {
        const pid = await backendOf(context)
        await Promise.all([context.tx`select pg_sleep(20)`, world.sql`select pg_terminate_backend(${pid})`])
      })
      await expect(call('write_twice', { label: 'reset' }, { on: narrow })).rejects.toMatchObject({ code: 'unavailable' })
    }
    expect(await effects('reset')).toBe(0)
    expect(narrow.services.databases.app.stats()).toMatchObject({ busy: 0, waiting: 0 })
  })

  it("never writes into another caller's transaction, however long the handler goes on", async () => {
    const { reached, reach, opened, open: letGo } = gate()
    const late: unknown[] = []
    steps.set('ghost', async (context) => {
      await kill(await backendOf(context))
      reach()
      await opened
      // As a handler that did not notice: each of these must be refused before it reaches a connection.
      const write = async () => context.tx`insert into platform.test_effect (tenant_id, label) values (${context.tenantId}, 'ghost')`
      for (let n = 0; n < 3; n++) late.push(await write().catch((error: unknown) => error))
    })
    const ghost = call('write_twice', { label: 'ghost' }, { on: platform }).catch((error: unknown) => error)
    await reached
    const { reached: inside, reach: enter, opened: closing, open: close } = gate()
    steps.set('neighbour', async () => {
      enter()
      await closing
    })
    const neighbours = ['neighbour', 'other1', 'other2'].map((label) => call('write_twice', { label }))
    await inside
    letGo()
    expect(await ghost).toMatchObject({ code: 'unavailable' })
    close()
    await Promise.all(neighbours)
    expect(late).toEqual([1, 2, 3].map(() => expect.objectContaining({ code: 'unavailable' })))
    expect(await effects('ghost')).toBe(0)
    expect(await effects('neighbour')).toBe(2)
    expect(await call('write_twice', { label: 'ghostless' })).toMatchObject({ attempt: 1 })
    expect(await effects('ghost')).toBe(0)
  })

  it('ends a transaction that takes too long, idle or busy, without a crash or a late commit', async () => {
    // Once it runs, the clock of the role's own limit is only changed by stopping it.
    const limit = async ({ tx }: TxContext) => {
      await tx.unsafe('set local transaction_timeout = 0')
      await tx.unsafe(`set local transaction_timeout = '200ms'`)
    }
    steps.set('idle', async (context) => {
      await limit(context)
      const pid = await backendOf(context)
      await expect.poll(async () => (await world.sql`select 1 from pg_stat_activity where pid = ${pid}`).length).toBe(0)
    })
    steps.set('long', async (context) => {
      await limit(context)
      await context.tx`select pg_sleep(20)`
    })
    for (const label of ['idle', 'long']) {
      const error = await call('write_twice', { label }, { on: narrow }).catch((thrown: unknown) => thrown)
      expect(toProblem(error, 'r'), label).toMatchObject({ status: 503 })
      expect(error, label).toMatchObject({ retryAfterSeconds: expect.any(Number) })
      expect(await call('write_twice', { label: `after ${label}` }, { on: narrow })).toMatchObject({ attempt: 1 })
      expect(await effects(label)).toBe(0)
    }
  })

  it('has limits on the roles, so that no call holds back every reader for long', async () => {
    const app = postgres(world.urls.app, connectionOptions('test'))
    try {
      const [limits] = await app`
        select current_setting('transaction_timeout') as transaction, current_setting('idle_in_transaction_session_timeout') as idle,
          current_setting('lock_timeout') as lock`
      expect(limits).toEqual({ transaction: '30s', idle: '15s', lock: '10s' })
    } finally {
      await app.end()
    }
  })
})

describe('the fence between tenants', () => {
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
        `select name from platform.api_key`,
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
})

function urlWith(url: string, change: { database?: string; user?: string }): string {
  const changed = new URL(url)
  if (change.database !== undefined) changed.pathname = change.database
  if (change.user !== undefined) changed.username = change.user
  return changed.toString()
}
