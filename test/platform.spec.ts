/** What the pipeline promises of every operation, held through real ones and a few of its own: who may call, what comes in, what commits. */
import { randomUUID } from 'node:crypto'

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import type { Credential } from '#platform/call.ts'
import { AppError, toProblem } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Platform } from '#platform/platform.ts'
import { flagOf, roleWords } from '#platform/roles.ts'

import { eventually } from './support/patience.ts'
import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { refused } from './support/refused.ts'
import { steps } from './support/test-operations.ts'
import type { World } from './support/world.ts'

let opened: PipelineWorld
let world: World
let platform: Platform
let other: Platform
let open: PipelineWorld['open']
let call: PipelineWorld['call']
let effects: PipelineWorld['effects']
beforeAll(async () => {
  opened = await openPipelineWorld()
  ;({ world, platform, other, open, call, effects } = opened)
})
afterAll(() => opened?.close())
afterEach(() => steps.clear())

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

  it('leaves the same trace where a caller has the role, and grants or changes what is above it', async () => {
    const { tenantId, tenantUserId } = world.tenant
    const key = await world.tenant.keyWith(['AdminUser', 'AdminIntegration'])
    const strong = await call('create_api_key', { name: 'Strong', roles: ['DataEdit'] })
    for (const [name, input, facts] of [
      ['create_api_key', { name: 'Mightier', roles: ['GlobalAdmin'] }, {}],
      ['revoke_api_key', { apiKeyId: strong.apiKeyId }, { apiKeyId: strong.apiKeyId }],
      ['set_user_roles', { tenantId, tenantUserId, roles: [] }, { tenantId, tenantUserId }],
    ] as const) {
      const requestId = randomUUID()
      await expect(call(name, input, { key, requestId }), name).rejects.toMatchObject(refused('forbidden', /lacks/))
      expect(await world.sql`select operation, outcome, code, facts from platform.audit_event where request_id = ${requestId}`).toEqual([
        { operation: name, outcome: 'denied', code: 'forbidden', facts },
      ])
    }
  })

  it.each([
    ['DataView|Signed', 'DataView'],
    ['GlobalAdmin|AdminUser', 'GlobalAdmin or AdminUser'],
    ['BuilderAdmin&DataDelete', 'BuilderAdmin and DataDelete'],
  ] as const)('names the roles of %s as somebody would grant them', (expression, words) => {
    expect(roleWords(expression)).toBe(words)
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
    const inAMinute = Date.now() + 60_000
    const { apiKey: key } = await call('create_api_key', { name: 'soon', roles: [], expiresAt: new Date(inAMinute).toISOString() })
    await call('list_roles', {}, { key })
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.setSystemTime(inAMinute + 1)
      await expect(call('list_roles', {}, { key })).rejects.toMatchObject(refused('unauthenticated'))
    } finally {
      vi.useRealTimers()
    }
  })

  it('refuses a revoked key and a suspended tenant at once on another process too', async () => {
    const { apiKey: key, apiKeyId } = await call('create_api_key', { name: 'everywhere', roles: [] })
    const [tenant, global] = [await world.newTenant(), await world.newTenant(flagOf(['GlobalAdmin']))]
    const code = (token: string) =>
      call('list_roles', {}, { key: token, on: other }).then(
        () => 'served',
        (error: AppError) => error.code,
      )
    // What is remembered does not grow old, as expect.poll would have it do: only the word of the other process ends it.
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      expect([await code(key), await code(tenant.key)]).toEqual(['served', 'served'])
      await call('revoke_api_key', { apiKeyId })
      await eventually(async () => (await code(key)) === 'unauthenticated', 'the end of the key')
      await call('suspend_tenant', { tenantId: tenant.tenantId }, { key: global.key })
      await eventually(async () => (await code(tenant.key)) === 'tenant_suspended', 'the suspension')
    } finally {
      vi.useRealTimers()
    }
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

describe('many calls in one request', () => {
  it('count each, so that the next ones wait for them, a minute longer at most', async () => {
    const limited = await open({ CALLS_PER_MINUTE: '5' })
    const key = await world.tenant.keyWith([])
    const actor = await limited.pipeline.identify({ kind: 'bearer', token: key })
    await limited.pipeline.charge(actor, 1)
    await limited.pipeline.charge(actor, 1_000)
    const refused = (error: AppError) => [error.code, error.retryAfterSeconds]
    const [code, seconds] = await limited.pipeline.charge(actor, 1).then(() => ['served', 0], refused)
    expect(code).toBe('rate_limited')
    expect(seconds).toBeGreaterThan(60)
    expect(seconds).toBeLessThanOrEqual(72)
    const call = await limited.pipeline
      .run({
        operation: limited.pipeline.registry.byName.get('list_roles') ?? expect.fail(),
        transport: 'mcp',
        credential: { kind: 'bearer', token: key },
        input: {},
        requestId: 'r',
        signal: new AbortController().signal,
      })
      .then(() => ['served', 0], refused)
    expect(call[0]).toBe('rate_limited')
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

describe('the transaction', () => {
  it('commits everything or nothing: rows, audit, errand and kept answer', async () => {
    const [label, idempotencyKey, requestId] = ['nothing', randomUUID(), randomUUID()]
    steps.set(label, async ({ emit }) => {
      const attempt = { tenantId: 1, jobId: 987_654, attempt: 1 }
      await emit({ kind: 'start', lane: 'bulk', workflow: 'job', workflowId: 'job:987654', args: [attempt] })
      throw new AppError('conflict', 'Changed my mind.')
    })
    await expect(call('write_twice', { label }, { idempotencyKey, requestId })).rejects.toMatchObject(refused('conflict'))
    expect(await effects(label)).toBe(0)
    const [left] = await world.sql`
      select (select count(*) from platform.outbox where subject = 'job:987654')::int as errands,
        (select count(*) from platform.audit_event where request_id = ${requestId})::int as audits,
        (select count(*) from platform.idempotency_key where key = ${idempotencyKey})::int as keys`
    expect(left).toEqual({ errands: 0, audits: 0, keys: 0 })
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

  it.each([
    ['a number too large for its column', 'select 9007199254740991::bigint::int', 'invalid_input'],
    [
      'a text too long for its index',
      "create temporary table long (t text primary key) on commit drop; insert into long select string_agg(md5(n::text), '') from generate_series(1, 2000) n",
      'invalid_input',
    ],
    ['a time out of all calendars', "select '2026-01-01'::timestamptz + interval '300000 years'", 'invalid_input'],
    [
      'a database that has become a replica',
      'set transaction read only; create temporary table x (a int); insert into platform.test_effect (tenant_id, label) values (1, $$x$$)',
      'unavailable',
    ],
  ])('blames %s on whom it belongs to', async (label, statement, code) => {
    steps.set(label, async ({ tx }) => void (await tx.unsafe(statement)))
    const error = await call('write_twice', { label }).catch((thrown: unknown) => thrown)
    expect(toProblem(error, 'r8')).toMatchObject({ code })
    expect(JSON.stringify(toProblem(error, 'r8'))).not.toMatch(/out of range|index|bigint|select/i)
    expect(await effects(label)).toBe(0)
  })

  it('does not commit where a statement failed and the handler looked away', async () => {
    steps.set('ignored', async ({ tx }) => {
      await tx.unsafe('select 1 / 0').catch(() => {})
    })
    await expect(call('write_twice', { label: 'ignored' })).rejects.toMatchObject({ code: 'internal' })
    expect(await effects('ignored')).toBe(0)
  })
})

describe('the code of an error', () => {
  it('is one that the operation declares: tests refuse any other, and in production it comes with its sentence', async () => {
    steps.set('undeclared', () => {
      throw new AppError('watermark_reset', 'Start again.')
    })
    await expect(call('write_twice', { label: 'undeclared' })).rejects.toMatchObject(
      refused('internal', /^write_twice answered watermark_reset, which is none of its errors.*Start again\.$/),
    )
    await expect(call('write_staged', { label: 'undeclared' })).rejects.toMatchObject(refused('internal', /watermark_reset/))
    const production = await open({}, { checksOutput: false })
    await expect(call('write_twice', { label: 'undeclared' }, { on: production })).rejects.toMatchObject(
      refused('watermark_reset', /^Start again\.$/),
    )
  })

  it('is held to the same where the database found the error', async () => {
    steps.set('taken', async ({ tx }) => {
      await tx.unsafe('create temporary table taken (id int primary key) on commit drop; insert into taken values (1), (1)')
    })
    await expect(call('write_twice', { label: 'taken' })).rejects.toMatchObject(refused('already_exists'))
    await expect(call('write_staged', { label: 'taken' })).rejects.toMatchObject(
      refused('internal', /^write_staged answered already_exists/),
    )
  })
})
