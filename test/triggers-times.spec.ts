/** Triggers that come due: by cron, every so often, and at dates of records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { scheduleKinds } from '#server/worker/schedule-kinds.ts'
import { fireDue } from '#tools/schedules/service.ts'
import { dueOf, hourAround, timingOf, valuesDue } from '#tools/workflows/triggers/dates.rules.ts'

import { nextMillisecond } from './support/patience.ts'
import { openTriggers, type TriggerWorld } from './support/triggers.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let of: TriggerWorld

beforeAll(async () => {
  of = openTriggers(world)
  await call('create_property', { internalName: 'Due', dataType: 'DateTime' })
  await call('create_property', { internalName: 'Day', dataType: 'DateOnly' })
  await call('create_property', { internalName: 'Status', dataType: 'Text' })
  await call('create_entity', { internalName: 'Task', properties: ['Due', 'Day', 'Status'].map((property) => ({ property })) })
})
afterAll(() => of?.stop())

/** As if so much time had passed. */
async function passes(time: string): Promise<void> {
  await world.sql`
    update platform.schedule set next_due = next_due - ${time}::interval, next_look = next_look - ${time}::interval,
      counted_from = counted_from - ${time}::interval`
  await world.sql`
    update platform.trigger_clock set looked_until = looked_until - ${time}::interval, next_look = next_look - ${time}::interval`
  await world.sql`update platform.workflow_trigger set live_since = live_since - ${time}::interval`
}
const fire = async () => {
  while ((await fireDue(world.platform.services, scheduleKinds)) > 0);
}
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe('a trigger by the clock', () => {
  it('starts a run each time it is due, first when its interval is over, and is dropped with its trigger', async () => {
    const [often, daily] = [
      await of.publish([{ triggerType: 'schedule', config: { every: 'PT90S' } }]),
      await of.publish([{ triggerType: 'schedule', config: { cron: '0 7 * * *', timeZone: 'Europe/Madrid' } }]),
    ]
    await fire()
    expect(await of.runs(often)).toEqual([])
    await passes('91 seconds')
    await fire()
    await fire()
    expect(await of.triggers(often)).toEqual([{ scheduledFor: expect.stringMatching(/^\d{4}-/) }])
    await passes('1 day')
    await fire()
    // What passed while nobody looked is one.
    expect(await of.runs(often)).toHaveLength(2)
    expect(await of.runs(daily)).toHaveLength(1)
    await call('set_workflow_triggers', { workflow: often, triggers: [{ triggerType: 'manual', config: {} }] })
    await call('publish_workflow', { workflow: often })
    await call('toggle_workflow', { workflow: daily, isEnabled: false })
    await passes('2 days')
    await fire()
    expect([(await of.runs(often)).length, (await of.runs(daily)).length]).toEqual([2, 1])
  })
})

describe('a trigger at a date of each record', () => {
  it('starts a run once for each record and due time, asks its filter then, and follows a date that is changed', async () => {
    const workflow = await of.publish(
      [
        {
          triggerType: 'schedule',
          config: { entity: 'Task', property: 'Due', offset: 'PT10M' },
          filter: [{ property: 'Status', op: 'ne', value: 'done' }],
        },
      ],
      { entity: 'Task' },
    )
    const save = (key1: string, data: object) => call('save_instance', { entity: 'Task', key1, data })
    const { eiRecordId } = await save('T-1', { Due: inMinutes(-9), Status: 'open' })
    await save('T-2', { Due: inMinutes(-9), Status: 'open' })
    await save('T-3', { Due: inMinutes(30), Status: 'open' })
    // Before the trigger was live.
    await save('T-4', { Due: inMinutes(-60), Status: 'open' })
    await of.drain()
    expect(await of.runs(workflow)).toEqual([])
    await passes('2 minutes')
    await save('T-1', { Due: inMinutes(-10.5) })
    await save('T-2', { Due: inMinutes(-10.5), Status: 'done' })
    await of.drain()
    const [run, ...more] = await of.runs(workflow)
    expect(more).toEqual([])
    expect(run).toMatchObject({ eiRecordId, startedBy: null })
    expect(await of.triggers(workflow)).toEqual([{ eiRecordId, scheduledFor: expect.stringMatching(/^\d{4}-/) }])
    await of.drain()
    expect(await of.runs(workflow)).toHaveLength(1)
    // Another date is another due time, behind where it was looked at already, too.
    await save('T-1', { Due: inMinutes(-10.8) })
    await of.drain()
    expect(await of.runs(workflow)).toHaveLength(2)
    await call('update_instances_by_filter', { entity: 'Task', filterRules: [], data: { Status: 'open' } })
    await of.drain()
    expect(await of.runs(workflow)).toHaveLength(2)
  })

  it('says of each time that it was refused', async () => {
    await call('create_property', { internalName: 'Mark', dataType: 'Text' })
    await call('create_entity', { internalName: 'Lease', properties: ['Due', 'Mark'].map((property) => ({ property })) })
    const config = { entity: 'Lease', property: 'Due', offset: 'PT10M' }
    const filter = [{ property: 'Mark', op: 'eq', value: 'a' }]
    const workflow = await of.publish([{ triggerType: 'schedule', config, filter }], { entity: 'Lease' })
    await call('detach_property', { entity: 'Lease', entityPropertyId: 'Mark', force: true })
    await of.drain()
    const saved = []
    for (const key1 of ['R-1', 'R-2']) {
      // Due now, behind the look before.
      await nextMillisecond()
      saved.push(await call('save_instance', { entity: 'Lease', key1, data: { Due: inMinutes(-10) } }))
      await world.sql`update platform.trigger_clock set next_look = now()`
      await of.drain()
    }
    const rows = await world.sql<{ trigger: { eiRecordIds: number[] } }[]>`
      select r.trigger from platform.workflow_run r join platform.definition d on d.definition_id = r.workflow_id
      where d.internal_name = ${workflow} and r.state = 'failed'`
    const refused = rows.flatMap(({ trigger }) => trigger.eiRecordIds)
    expect(new Set(refused)).toEqual(new Set(saved.map(({ eiRecordId }) => eiRecordId)))
  })

  it('catches up with seven days, and says what it missed', async () => {
    const workflow = await of.publish(
      [{ triggerType: 'schedule', config: { entity: 'Task', property: 'Day', offset: 'P0D', at: '08:00', timeZone: 'UTC' } }],
      { entity: 'Task' },
    )
    await of.drain()
    await passes('20 days')
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
    const rows = [3, 5, 12, 25].map((back) => ({ key1: `D-${back}`, data: { Day: day(back), Status: 'open' } }))
    await call('save_instances_bulk', { entity: 'Task', rows, fireTriggers: false })
    await of.drain()
    const runs = await of.runs(workflow)
    const started = runs.filter(({ state }) => state === 'queued')
    expect(started).toHaveLength(2)
    const times = new Set((await of.triggers(workflow)).map(({ scheduledFor }) => scheduledFor))
    expect(times).toEqual(new Set([5, 3].map((back) => `${day(back)}T08:00:00.000Z`)))
    expect(runs.filter(({ state }) => state === 'failed')).toMatchObject([
      { error: { message: expect.stringMatching(/^1 due times until /) } },
    ])
  })
})

describe('a trigger at an hour of people’s days', () => {
  const person = async (userName: string, timezone: string, roles: readonly string[] = ['DataView']) =>
    (await call('create_user', { userName, email: `${userName}@hours.test`, roles, timezone })).tenantUserId as number
  /** The hour and minute that it is there, so long ago. */
  const hourThere = (timeZone: string, minutesAgo: number) =>
    new Date(Date.now() - minutesAgo * 60_000).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' })

  it('starts a run for each of them, where it is that hour, once a day', async () => {
    const [madrid, tokyo] = [await person('madrid', 'Europe/Madrid'), await person('tokyo', 'Asia/Tokyo', ['DataView', 'DataDelete'])]
    const people = [{ tenantUserId: madrid }, { role: 'DataDelete' }]
    const at = hourThere('Europe/Madrid', 20)
    const workflow = await of.publish([{ triggerType: 'schedule', config: { people, at } }])
    const who = async () => (await of.triggers(workflow)).map(({ tenantUserId }) => tenantUserId)
    await of.drain()
    // It was that hour before the trigger was live.
    expect(await of.triggers(workflow)).toEqual([])
    await passes('30 minutes')
    await of.drain()
    await of.drain()
    expect(await of.triggers(workflow)).toEqual([
      { tenantUserId: madrid, timeZone: 'Europe/Madrid', languageCode: expect.any(String), scheduledFor: expect.stringMatching(/^\d{4}-/) },
    ])
    // Whoever moves is where the day has begun earlier, or later, and has each day once.
    await call('set_user_timezone', { tenantUserId: madrid, timezone: 'Atlantic/Azores' })
    await passes('1 hour')
    await of.drain()
    expect(await who()).toEqual([madrid])
    await passes('1 day')
    await of.drain()
    expect(await who()).toContain(tokyo)
    const all = (await of.triggers(workflow)).map(({ tenantUserId, scheduledFor }) => `${tenantUserId} ${scheduledFor}`)
    expect(new Set(all).size).toBe(all.length)
  })

  it.each([
    ['a role', { role: 'AdminCSS' }],
    ['records', { people: { entity: 'Crew' } }],
  ])('means each of those that %s names, however many', { timeout: 120_000 }, async (_what, one) => {
    const count = 501
    const mine = await world.newTenant(1023)
    const as = { key: mine.key }
    await call('create_property', { internalName: 'Email', dataType: 'Text', isIdentityEmail: true }, as)
    await call('create_entity', { internalName: 'Crew', properties: [{ property: 'Email' }] }, as)
    await call('set_entity_identity_bridge', { entity: 'Crew', isTenantUserRole: true, identityEmailProperty: 'Email' }, as)
    for (let index = 0; index < count; index++)
      await call('create_user', { userName: `crew${index}`, email: `crew${index}@hours.test`, roles: ['AdminCSS'], timezone: 'UTC' }, as)
    const rows = Array.from({ length: count }, (_row, index) => ({ key1: `C${index}`, data: { Email: `crew${index}@hours.test` } }))
    await call('save_instances_bulk', { entity: 'Crew', rows }, as)
    const workflow = await of.publish([{ triggerType: 'schedule', config: { people: [one], at: hourThere('UTC', 20) } }], {}, as)
    await passes('30 minutes')
    await of.drain()
    const met = (await of.triggers(workflow, as)).map(({ tenantUserId }) => tenantUserId)
    const users = await world.sql<{ id: number }[]>`
      select tenant_user_id as id from platform.tenant_user where tenant_id = ${mine.tenantId} and role_flag & 256 <> 0 and user_name like 'crew%'`
    expect(users).toHaveLength(count)
    expect(met).toEqual(expect.arrayContaining(users.map(({ id }) => id)))
    expect(new Set(met).size).toBe(met.length)
  })

  it.each([
    ['people without an hour', { people: [{ role: 'DataView' }] }, '$.triggers[0].config.at'],
    ['a zone beside them', { people: [{ role: 'DataView' }], at: '07:00', timeZone: 'UTC' }, '$.triggers[0].config.timeZone'],
    ['a second way to say when', { people: [{ role: 'DataView' }], at: '07:00', every: 'PT1H' }, '$.triggers[0].config.people'],
    ['nobody', { people: [{ tenantUserId: 2_000_000_000 }], at: '07:00' }, '$.triggers[0].config.people[0].tenantUserId'],
  ])('is refused with %s', async (_what, config, path) => {
    await expect(of.publish([{ triggerType: 'schedule', config }])).rejects.toThrow(`"path":"${path}"`)
  })

  it('has its hour once a day over a change of the clock', () => {
    const zone = 'Europe/Madrid'
    const from = Date.parse('2026-10-24T00:00:00Z')
    for (const at of ['02:30', '07:00', '23:59']) {
      const days = new Map<string, number>()
      for (let quarter = 0; quarter < 4 * 96; quarter++) {
        const { last } = hourAround(at, from + quarter * 900_000, zone) ?? {}
        if (last) days.set(last.day, last.ms)
      }
      expect([...days.keys()].toSorted()).toEqual([...days.keys()])
      expect(days.size).toBe(5)
      const shown = [...days.values()].map((ms) => new Date(ms).toLocaleTimeString('en-GB', { timeZone: zone, timeStyle: 'short' }))
      expect(new Set(shown)).toEqual(new Set([at]))
    }
  })
})

describe('a due time', () => {
  const timing = (said: object, isDay: boolean, zone = 'Europe/Madrid') => {
    const made = timingOf(said, { isDay, zone })
    if (!made) throw new Error('No timing')
    return made
  }
  const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString())

  it('is an hour of the zone on its day, on either side of a change of clocks', () => {
    const eight = timing({ offset: '-P1D', at: '08:00' }, true)
    expect(iso(dueOf('2026-03-29', eight))).toBe('2026-03-28T07:00:00.000Z')
    expect(iso(dueOf('2026-03-30', eight))).toBe('2026-03-29T06:00:00.000Z')
    expect(iso(dueOf('2026-03-29T22:30:00Z', timing({ offset: 'P1M', at: '08:00' }, false)))).toBe('2026-04-30T06:00:00.000Z')
    expect(dueOf('no time', eight)).toBeUndefined()
  })

  it('lies in the range of values that is looked at, whatever the offset', () => {
    const said = [
      { offset: 'PT10M' },
      { offset: '-P1D' },
      { offset: 'P1M' },
      { offset: '-P1M2DT3H' },
      { offset: 'P1D', at: '07:30' },
      { offset: 'P1Y', at: '23:59' },
    ]
    let looked = 0
    for (const one of said)
      for (const isDay of [true, false])
        for (let hour = 0; hour < 24 * 400; hour += 53) {
          const at = timing(one, isDay)
          const value = new Date(Date.UTC(2026, 0, 1, hour)).toISOString()
          const due = dueOf(isDay ? value.slice(0, 10) : value, at)
          if (due === undefined) throw new Error('Nothing is due')
          const between = valuesDue(due - 1, due, at)
          const shown = isDay ? value.slice(0, 10) : value
          if (!between || shown < between.from || shown > between.to)
            throw new Error(`${JSON.stringify(one)} ${value} ${JSON.stringify(between)}`)
          looked++
        }
    expect(looked).toBeGreaterThan(2_000)
  })

  it('of whole days is looked for only where one comes due', () => {
    const eight = timing({ offset: 'P0D', at: '08:00' }, true)
    const due = dueOf('2026-05-05', eight) ?? 0
    expect(valuesDue(due - 10_000, due - 1, eight)).toBeUndefined()
    expect(valuesDue(due - 10_000, due, eight)).toEqual({ from: '2026-05-05', to: '2026-05-05' })
  })
})
