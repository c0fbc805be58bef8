/** Schedules: each due time is fired once, whoever looks and whatever dies; in the name and with the rights of whoever turned it on. */
import { describe, expect, it } from 'vitest'

import { findActingUser } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { type RoleName, roleBits } from '#platform/roles.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { startTicker } from '#server/worker/ticker.ts'
import { failJob, queueJob } from '#tools/jobs/service.ts'
import { beginningOf, dueAfter, shareOut } from '#tools/schedules/schedules.rules.ts'
import {
  type DueTime,
  fireDue,
  lookAgain,
  type ScheduleKind,
  schedulesOf,
  type ScheduleKinds,
  turnOff,
  turnOn,
  whyNoCron,
} from '#tools/schedules/service.ts'

import { leastMs, spentMs, turnLimitMs } from './support/turns.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const kind = 'noted'

/** Queues a job that says what it was given; `before` fails it, or holds it. */
const noting = (before: (due: DueTime) => void | Promise<void> = () => {}): ScheduleKinds => ({
  [kind]: {
    needs: 'DataView',
    async queue(context, due) {
      const job = await queueJob(context, { kind, operation: 'set_view_sync', requiredRoles: 'DataView', input: due })
      await before(due)
      return job
    },
  } satisfies ScheduleKind,
})
const kinds = noting()

interface Arranged {
  readonly tenant: TestTenant
  readonly definitionId: number
}

/** A definition of a tenant of its own, for a schedule to belong to. */
async function arranged(of?: TestTenant): Promise<Arranged> {
  const tenant = of ?? (await world.newTenant())
  const [row] = await world.sql<{ definitionId: number }[]>`
    insert into platform.definition (tenant_id, kind, internal_name, body, refs, owner_id)
    values (${tenant.tenantId}, 'view', ${crypto.randomUUID()}, '{}', '[]', ${tenant.tenantUserId}) returning definition_id`
  return { tenant, definitionId: row?.definitionId ?? 0 }
}

type Timing = Parameters<typeof turnOn>[2]
interface Owner {
  readonly tenantUserId: number
  readonly roles: number
}

/** Turns a schedule on as a call of a user with these roles does. */
async function on({ tenant, definitionId }: Arranged, timing: Timing, owner?: Owner): Promise<void> {
  const tenantUserId = owner?.tenantUserId ?? tenant.tenantUserId
  await inSystemTransaction(world.platform.services, tenant.tenantId, async (context) => {
    const actor = { ...context.actor, tenantUserId, roleFlag: owner?.roles ?? 511 }
    await turnOn({ ...context, actor }, { kind, definitionId }, timing, { label: 'x' })
  })
}

const off = ({ tenant, definitionId }: Arranged) =>
  inSystemTransaction(world.platform.services, tenant.tenantId, (context) => turnOff(context, { kind, definitionId }))

const shown = ({ tenant, definitionId }: Arranged) =>
  inSystemTransaction(world.platform.services, tenant.tenantId, async (context) =>
    (await schedulesOf(context, { kind }, [definitionId])).get(definitionId),
  )

interface Row {
  readonly nextDue: string | null
  readonly firedAt: string | null
  readonly now: string
}

async function rowOf({ tenant, definitionId }: Arranged): Promise<Row> {
  const [row] = await world.sql<Row[]>`
    select next_due::text, fired_at::text, now()::text from platform.schedule where tenant_id = ${tenant.tenantId} and definition_id = ${definitionId}`
  if (!row) throw new Error('There is no schedule')
  return row
}

const secondsUntil = ({ nextDue, now }: Row) => (Date.parse(nextDue ?? '') - Date.parse(now)) / 1000

/** As if the database's clock were set: everything that was written lies further back, or further ahead. */
async function passes({ tenant }: Arranged, time: string): Promise<void> {
  await world.sql`
    update platform.schedule
    set next_due = next_due - ${time}::interval, next_look = next_look - ${time}::interval, fired_at = fired_at - ${time}::interval,
      counted_from = counted_from - ${time}::interval
    where tenant_id = ${tenant.tenantId}`
}

interface Noted {
  readonly jobId: number
  readonly input: DueTime
  readonly startedBy: number
}

const queued = ({ tenant }: Arranged) =>
  world.sql<
    Noted[]
  >`select job_id, input, started_by from platform.job where tenant_id = ${tenant.tenantId} and kind = ${kind} order by job_id`

/** Ends every job, so that the next due time finds none under way. */
async function end(of: Arranged): Promise<void> {
  for (const { jobId } of await queued(of)) {
    const attempt = { tenantId: of.tenant.tenantId, jobId, attempt: 1 }
    await inSystemTransaction(world.platform.services, of.tenant.tenantId, (context) =>
      failJob(context, attempt, { code: 'internal', message: 'Over.' }),
    )
  }
}

/** Looks until nothing is due. */
async function fireAll(of: ScheduleKinds = kinds): Promise<void> {
  while ((await fireDue(world.platform.services, of)) > 0);
}

describe('an interval', () => {
  it('is due at once, then at each step from there, each time once however many look', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 10 })
    const { services } = world.platform
    await Promise.all([fireDue(services, kinds), fireDue(services, kinds), fireDue(services, kinds)])
    await fireAll()
    const [first, ...others] = await queued(of)
    expect(others).toEqual([])
    expect(first).toMatchObject({ startedBy: of.tenant.tenantUserId, input: { definitionId: of.definitionId, input: { label: 'x' } } })
    await end(of)
    await passes(of, '10 minutes')
    await Promise.all([fireDue(services, kinds), fireDue(services, kinds)])
    await fireAll()
    const [before, after] = await queued(of)
    expect(await queued(of)).toHaveLength(2)
    // By a clock that was moved by just the step: it is counted from the first due time, whenever the look came.
    expect(after?.input.dueAt).toBe(before?.input.dueAt)
  })

  it('that passed many times while nobody looked is caught up once, and goes on in its step', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 10 })
    await fireAll()
    await end(of)
    await passes(of, '1 day 4 minutes')
    await fireAll()
    expect(await queued(of)).toHaveLength(2)
    const seconds = secondsUntil(await rowOf(of))
    expect(seconds).toBeGreaterThan(5 * 60)
    expect(seconds).toBeLessThanOrEqual(6 * 60)
  })

  it('said again is the same one; another interval is counted from the last time; off and on begins anew', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 10 })
    await fireAll()
    await end(of)
    await passes(of, '4 minutes')
    await on(of, { everyMinutes: 10 })
    expect(secondsUntil(await rowOf(of))).toBeGreaterThan(5 * 60)
    await on(of, { everyMinutes: 60 })
    expect(secondsUntil(await rowOf(of))).toBeGreaterThan(55 * 60)
    await fireAll()
    expect(await queued(of)).toHaveLength(1)
    await on(of, { everyMinutes: 2 })
    await fireAll()
    expect(await queued(of)).toHaveLength(2)
    await end(of)
    await off(of)
    await passes(of, '1 day')
    await fireAll()
    expect(await shown(of)).toEqual({
      definitionId: of.definitionId,
      isOn: false,
      nextDue: null,
      timing: { everyMinutes: 2 },
      input: { label: 'x' },
      stoppedReason: null,
    })
    expect(await queued(of)).toHaveLength(2)
    await on(of, { everyMinutes: 2 })
    await fireAll()
    expect(await queued(of)).toHaveLength(3)
  })

  it('passes over the times that come while its job is under way', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 1 })
    await fireAll()
    for (const _ of [1, 2, 3]) {
      await passes(of, '1 minute')
      await fireAll()
    }
    expect(await queued(of)).toHaveLength(1)
    await end(of)
    await passes(of, '1 minute')
    await fireAll()
    expect(await queued(of)).toHaveLength(2)
  })
})

describe('a due time', () => {
  it('whose transaction dies before its commit is fired by the next look, once', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 10 })
    let deaths = 0
    const dying = noting(async () => {
      deaths++
      await world.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`
    })
    await fireDue(world.platform.services, dying)
    expect(deaths).toBe(1)
    expect(await queued(of)).toEqual([])
    await passes(of, '1 minute')
    await fireAll()
    expect(await queued(of)).toHaveLength(1)
    expect(
      await world.sql`select 1 from platform.outbox where tenant_id = ${of.tenant.tenantId} and errand ->> 'workflow' = 'job'`,
    ).toHaveLength(1)
  })

  it('whose work fails is tried again a little later, and holds up no other', async () => {
    const [broken, sound] = [await arranged(), await arranged()]
    await on(broken, { everyMinutes: 10 })
    await on(sound, { everyMinutes: 10 })
    const failing = noting((due) => {
      if (due.definitionId === broken.definitionId) throw new RangeError('Broken')
    })
    await fireAll(failing)
    expect([await queued(broken), await queued(sound)].map((jobs) => jobs.length)).toEqual([0, 1])
    await passes(broken, '31 seconds')
    await fireAll()
    expect(await queued(broken)).toHaveLength(1)
  })

  it('that was fired by a clock which has been set back since is not waited for again', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 10 })
    await fireAll()
    await end(of)
    await passes(of, '-1 year')
    await fireAll()
    expect(secondsUntil(await rowOf(of))).toBeGreaterThan(300 * 86_400)
    await lookAgain(world.platform.services)
    await fireAll()
    expect(secondsUntil(await rowOf(of))).toBeLessThanOrEqual(600)
    expect(await queued(of)).toHaveLength(1)
    await passes(of, '10 minutes')
    await fireAll()
    expect(await queued(of)).toHaveLength(2)
  })

  it('is fired by the ticker as soon as it is there', async () => {
    const ticker = startTicker(world.platform.services, kinds)
    try {
      const of = await arranged()
      await on(of, { everyMinutes: 10 })
      await expect.poll(async () => (await queued(of)).length).toBe(1)
    } finally {
      await ticker.stop()
    }
  })
})

describe('whose rights a schedule has', () => {
  async function newUser(tenant: TestTenant, roles: readonly RoleName[]): Promise<{ tenantUserId: number; key: string; roles: number }> {
    const key = await tenant.keyWith(roles)
    const { tenantUserId } = await world.call('whoami', {}, { key })
    return { tenantUserId, key, roles: roles.reduce((flag, role) => flag | roleBits[role], 0) }
  }

  it('are those of whoever turned it on: a role that is lost stops it and says why', async () => {
    const of = await arranged()
    const user = await newUser(of.tenant, ['DataView'])
    await on(of, { everyMinutes: 10 }, user)
    await fireAll()
    expect((await queued(of))[0]?.startedBy).toBe(user.tenantUserId)
    await end(of)
    await world.sql`update platform.tenant_user set role_flag = ${roleBits.DataEdit} where tenant_user_id = ${user.tenantUserId}`
    await passes(of, '10 minutes')
    await fireAll()
    expect(await queued(of)).toHaveLength(1)
    expect(await shown(of)).toMatchObject({
      isOn: false,
      stoppedReason: 'Whoever turned it on does not hold the role DataView any more.',
    })
    await on(of, { everyMinutes: 10 })
    await fireAll()
    expect(await shown(of)).toMatchObject({ isOn: true, stoppedReason: null })
    expect(await queued(of)).toHaveLength(2)
  })

  it('are no more than those of the call that turned it on', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 10 }, { tenantUserId: of.tenant.tenantUserId, roles: roleBits.DataEdit })
    await fireAll()
    expect(await queued(of)).toEqual([])
    expect((await shown(of))?.stoppedReason).toContain('DataView')
  })

  it('end with a user who is locked, and with a key that is revoked or has expired', async () => {
    const tenant = await world.newTenant()
    const key = () => world.call('create_api_key', { name: 'Sync', roles: ['DataView'] }, { key: tenant.key })
    const ownerOf = async (secret: string) => ({ ...(await world.call('whoami', {}, { key: secret })), roles: roleBits.DataView })
    const cases = [await key(), await key()]
    const owners: Owner[] = [await newUser(tenant, ['DataView'])]
    for (const one of cases) owners.push(await ownerOf(one.apiKey))
    const schedules: Arranged[] = []
    for (const owner of owners) {
      const of = await arranged(tenant)
      await on(of, { everyMinutes: 10 }, owner)
      schedules.push(of)
    }
    await fireAll()
    expect(await queued({ tenant, definitionId: 0 })).toHaveLength(3)
    await world.call('lock_user', { tenantUserId: owners[0]?.tenantUserId }, { key: tenant.key })
    await world.call('revoke_api_key', { apiKeyId: cases[0]?.apiKeyId }, { key: tenant.key })
    await world.sql`update platform.api_key set expires_at = now() where api_key_id = ${cases[1]?.apiKeyId ?? 0}`
    await end({ tenant, definitionId: 0 })
    await passes({ tenant, definitionId: 0 }, '10 minutes')
    await fireAll()
    expect(await queued({ tenant, definitionId: 0 })).toHaveLength(3)
    for (const of of schedules) expect((await shown(of))?.stoppedReason).toBe('Whoever turned it on is locked or gone.')
    // Another key of the same user would do.
    expect(
      await findActingUser(world.platform.services.databases, { tenantId: tenant.tenantId, tenantUserId: tenant.tenantUserId }),
    ).toBeDefined()
  })

  it('wait while the tenant is suspended, and are caught up once', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 10 })
    await world.sql`update platform.tenant set is_deactivated = true where tenant_id = ${of.tenant.tenantId}`
    await fireAll()
    await passes(of, '1 day')
    await fireAll()
    expect(await queued(of)).toEqual([])
    expect((await shown(of))?.isOn).toBe(true)
    await world.sql`update platform.tenant set is_deactivated = false where tenant_id = ${of.tenant.tenantId}`
    await passes(of, '2 minutes')
    await fireAll()
    expect(await queued(of)).toHaveLength(1)
  })

  it('stop where the work says that it can never be done, and go with their definition', async () => {
    const of = await arranged()
    await on(of, { everyMinutes: 10 })
    await fireAll(
      noting(() => {
        throw new AppError('not_found', 'No such view.')
      }),
    )
    expect(await shown(of)).toMatchObject({ isOn: false, stoppedReason: 'No such view.' })
    expect(await queued(of)).toEqual([])
    await world.sql`delete from platform.definition where definition_id = ${of.definitionId}`
    expect(await shown(of)).toBeUndefined()
  })
})

describe('many schedules', () => {
  /** So many schedules of a tenant that are due now, or in an hour. */
  async function many({ tenantId, tenantUserId }: TestTenant, count: number, isDue: boolean): Promise<void> {
    await world.sql`
      with made as (
        insert into platform.definition (tenant_id, kind, internal_name, body, refs, owner_id)
        select ${tenantId}, 'view', gen_random_uuid()::text, '{}', '[]', ${tenantUserId} from generate_series(1, ${count}::int)
        returning definition_id
      ), due as (select case when ${isDue} then now() - interval '1 minute' else now() + interval '1 hour' end as at)
      insert into platform.schedule (tenant_id, kind, definition_id, owner_id, role_flag, every_minutes, counted_from, input, next_due, next_look)
      select ${tenantId}, ${kind}, definition_id, ${tenantUserId}, 511, 60, at, '{}', at, at from made, due`
  }

  it('of one tenant at nine o’clock leave a share of each look to the others', async () => {
    // What other tests have turned on may come due meanwhile.
    await world.sql`delete from platform.schedule`
    const [large, small] = [await world.newTenant(), await arranged()]
    await many(large, 300, true)
    await on(small, { everyMinutes: 10 })
    expect(await fireDue(world.platform.services, kinds)).toBe(6)
    expect(await queued(small)).toHaveLength(1)
    await fireAll()
    expect(await queued({ tenant: large, definitionId: 0 })).toHaveLength(300)
  })

  it('that are not due cost a look nothing: an index finds those that are', async () => {
    await many(await world.newTenant(), 10_000, false)
    await world.sql`analyze platform.schedule`
    const [plan] = await world.sql<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }[]>`
      explain (analyze, buffers, format json)
      select tenant_id, schedule_id from platform.schedule where next_look <= now() order by next_look, schedule_id limit 200`
    expect(JSON.stringify(plan)).toContain('schedule_look')
    const blocks = /"Shared Hit Blocks":(\d+)/.exec(JSON.stringify(plan))?.[1]
    expect(Number(blocks)).toBeLessThan(20)
  })

  it('are shared out in their order', () => {
    const due = [1, 1, 2, 1, 3, 2].map((tenantId, id) => ({ tenantId, id }))
    expect(shareOut(due, 2).map((share) => share.map(({ id }) => id))).toEqual([[0, 1], [2, 5], [4]])
  })
})

describe('a cron expression', () => {
  const berlin = (cron: string) => ({ cron, timeZone: 'Europe/Berlin' })
  const due = (cron: string, after: string) => new Date(dueAfter(berlin(cron), Date.parse(after)) ?? 0).toISOString()

  it('is due by the wall of its zone, summer and winter', () => {
    expect(due('0 9 * * 1-5', '2026-03-27T09:00:00Z')).toBe('2026-03-30T07:00:00.000Z')
    expect(due('0 9 * * *', '2026-10-24T12:00:00Z')).toBe('2026-10-25T08:00:00.000Z')
    expect(due('0 18 L * *', '2026-02-01T00:00:00Z')).toBe('2026-02-28T17:00:00.000Z')
  })

  it('is due right behind a gap in the clock, and once where an hour comes twice', () => {
    expect(due('30 2 * * *', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z')
    expect(due('30 2 * * *', '2026-03-29T01:00:00Z')).toBe('2026-03-30T00:30:00.000Z')
    expect(due('30 2 * * *', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z')
    expect(due('30 2 * * *', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z')
    expect(due('0 * * * *', '2026-10-25T00:00:00Z')).toBe('2026-10-25T01:00:00.000Z')
  })

  it('is refused with what to send where it cannot be read, never comes, or holds up the others', async () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(whyNoCron(berlin('30 7 * * 1-5'), now)).toBeUndefined()
    for (const cron of ['* * * * * *', '@daily', 'hello', '61 * * * *', '2026-12-24T00:00:00', `${'1,'.repeat(100)}1 * * * *`])
      expect(whyNoCron(berlin(cron), now), cron).toContain('half past seven')
    expect(whyNoCron(berlin('0 0 30 2 *'), now)).toContain('No day ever')
    expect(whyNoCron({ cron: '0 9 * * *', timeZone: 'Mars/Base' }, now)).toContain('list_time_zones')
    expect(await leastMs(() => spentMs(() => whyNoCron(berlin('0 0 30 2 *'), now)))).toBeLessThan(turnLimitMs)
  })

  it('begins with its next time, and is undisturbed by being said again', async () => {
    const timing = berlin('0 9 * * *')
    const now = Date.parse('2026-01-01T12:00:00Z')
    const next = Date.parse('2026-01-02T08:00:00Z')
    expect(beginningOf(timing, now, undefined)).toEqual({ nextDue: next, countedFrom: undefined })
    const running = { timing, countedFrom: undefined, nextDue: 7, firedAt: undefined }
    expect(beginningOf(timing, now, running)?.nextDue).toBe(7)
    expect(beginningOf({ ...timing, timeZone: 'UTC' }, now, running)?.nextDue).toBe(next + 3_600_000)
    const of = await arranged()
    await on(of, timing)
    const row = await rowOf(of)
    // A day on which clocks go back has an hour more.
    expect(secondsUntil(row)).toBeLessThanOrEqual(90_000)
    await passes(of, '25 hours')
    await fireAll()
    expect(await queued(of)).toHaveLength(1)
    expect(secondsUntil(await rowOf(of))).toBeGreaterThan(0)
  })
})
