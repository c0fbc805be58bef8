/** Reports that are delivered by themselves: when, to whom, in which zone and language, once; and with whose rights. */
import { describe, expect, it } from 'vitest'

import { scheduleKinds } from '#server/worker/schedule-kinds.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import { reportDeliveryRunner } from '#tools/reports/service.ts'
import { deliveryText, durationOf, minutesOf } from '#tools/reports/schedule.rules.ts'
import { fireDue } from '#tools/schedules/service.ts'

import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

interface Person {
  readonly tenantUserId: number
  readonly key: string
}

interface Arranged {
  readonly tenant: TestTenant
  readonly as: { readonly key: string }
}

/** A tenant with one job that is due on the day that it is on Kiritimati now, and a report of what is due today. */
async function arranged(): Promise<Arranged> {
  const tenant = await world.newTenant()
  const as = { key: tenant.key }
  const there = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati', dateStyle: 'short' }).format(new Date())
  await call('create_property', { internalName: 'Due', dataType: 'DateOnly' }, as)
  await call('create_entity', { internalName: 'Job', properties: [{ property: 'Due' }] }, as)
  await call('save_instance', { entity: 'Job', key1: 'J', data: { Due: there } }, as)
  const definitionJson = {
    primaryEntityId: 'Job',
    columns: [{ property: 'key1' }],
    filters: [{ property: 'Due', op: 'eq', value: 'today' }],
    parameters: [
      { name: 'names', dataType: 'Text', isList: true },
      { name: 'since', dataType: 'DateOnly' },
    ],
  }
  await call('create_report', { internalName: 'DueToday', isShared: true, definitionJson }, as)
  return { tenant, as }
}

async function person({ tenant, as }: Arranged, timeZoneIana: string, languageCode: string): Promise<Person> {
  const key = await tenant.keyWith(['DataView'])
  const { tenantUserId } = await call('whoami', {}, { key })
  await call('set_user_timezone', { tenantUserId, timezone: timeZoneIana }, as)
  await call('set_user_language', { tenantUserId, language: languageCode }, as)
  return { tenantUserId, key }
}

/** As if so much time had passed. */
async function passes({ tenant }: Arranged, time: string): Promise<void> {
  await world.sql`
    update platform.schedule
    set next_due = next_due - ${time}::interval, next_look = next_look - ${time}::interval, fired_at = fired_at - ${time}::interval,
      counted_from = counted_from - ${time}::interval
    where tenant_id = ${tenant.tenantId}`
}

interface Delivered {
  readonly jobId: number
  readonly state: string
  readonly result: { readonly assetKey?: string; readonly sent: number; readonly failed: number }
}

/** Looks for what is due and carries it out, each step twice as after a death of the process; answers every delivery, the newest first. */
async function deliveries({ tenant, as }: Arranged): Promise<Delivered[]> {
  const { services } = world.platform
  const signal = new AbortController().signal
  while ((await fireDue(services, scheduleKinds)) > 0);
  for (const { jobId } of (await call('list_jobs', { states: ['queued'] }, as)) as Delivered[]) {
    const attempt = { tenantId: tenant.tenantId, jobId, attempt: 1 }
    for (let job = await readJobForRun(services, attempt); job; job = await readJobForRun(services, attempt)) {
      await reportDeliveryRunner.step(services, job, signal)
      // Whoever carries out the same step again is refused at its commit, and sends nothing twice.
      await expect(reportDeliveryRunner.step(services, job, signal)).rejects.toThrow()
    }
  }
  return call('list_jobs', { kind: 'reportDelivery' }, as)
}

interface Message {
  readonly text: string
  readonly assetKeys: readonly string[]
}

const inboxOf = async ({ key }: { key: string }): Promise<Message[]> => (await call('list_inbox', {}, { key })).messages

async function textOf(assetKey: string, key: string): Promise<string> {
  const answer = (await world.run('download_asset', { assetKey }, { key })) as { body: AsyncIterable<Buffer> }
  const parts: Buffer[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('a delivery', () => {
  it('reaches each recipient once, with the rows of their day and the words of their language, in a file that they can read', async () => {
    const of = await arranged()
    const ahead = await person(of, 'Pacific/Kiritimati', 'de-DE')
    const behind = await person(of, 'Pacific/Pago_Pago', 'fr-FR')
    const to = [ahead, behind].map(({ tenantUserId }) => ({ tenantUserId }))
    await call('schedule_report', { report: 'DueToday', every: 'P1D', format: 'csv', onlyWhenRows: false, text: 'Moin', to }, of.as)
    const [delivered, ...others] = await deliveries(of)
    expect(others).toEqual([])
    expect(delivered).toMatchObject({ state: 'succeeded', result: { sent: 2, failed: 0 } })
    const [mine, ...more] = await inboxOf(ahead)
    expect(more).toEqual([])
    expect(mine?.text).toMatch(/^Moin\n\nDueToday\nZeilen: 1\nStand: /)
    expect(await textOf(mine?.assetKeys[0] ?? '', ahead.key)).toBe('Job_key1\r\nJ\r\n')
    const [theirs] = await inboxOf(behind)
    expect(theirs?.text).toContain('Lignes: 0')
    expect(await textOf(theirs?.assetKeys[0] ?? '', behind.key)).toBe('Job_key1\r\n')
    // Each file is its maker's and its readers'.
    const assetKey = mine?.assetKeys[0]
    expect(await world.refusal('get_asset', { assetKey }, behind.key)).toMatchObject({ code: 'not_found' })
    expect(await call('get_asset', { assetKey }, of.as)).toMatchObject({ assetKey })
    expect(((await call('list_assets', {}, { key: ahead.key })) as { assetKey: string }[]).map((one) => one.assetKey)).toEqual([assetKey])
    await passes(of, '1 day')
    await deliveries(of)
    expect(await inboxOf(ahead)).toHaveLength(2)
  })

  it('keeps the files of all its zones, however many, until the next one', async () => {
    const of = await arranged()
    const zones = ['Etc/GMT+1', 'Etc/GMT+2', 'Etc/GMT+3', 'Etc/GMT+4', 'Etc/GMT+5', 'Etc/GMT+6', 'Etc/GMT+7', 'Etc/GMT+8']
    const people: Person[] = []
    for (const zone of [...zones, 'Asia/Tokyo', 'Asia/Dubai', 'UTC']) people.push(await person(of, zone, 'en-US'))
    const [first, ...others] = people
    if (!first) throw new Error('Nobody is there')
    const to = [first, ...others, first].map(({ tenantUserId }) => ({ tenantUserId }))
    await call('schedule_report', { report: 'DueToday', every: 'P1D', format: 'csv', onlyWhenRows: false, to }, of.as)
    expect((await deliveries(of))[0]).toMatchObject({ state: 'succeeded', result: { sent: 12, failed: 0 } })
    const kept = async () => (await call('list_assets', {}, of.as)).map((one: { assetKey: string }) => one.assetKey)
    const files = await kept()
    expect(files).toHaveLength(11)
    const received = await Promise.all(people.map(inboxOf))
    expect(received.map((messages) => messages.length)).toEqual([2, ...others.map(() => 1)])
    expect(new Set(received.flat().flatMap(({ assetKeys }) => assetKeys))).toEqual(new Set(files))
    await passes(of, '1 day')
    expect((await deliveries(of))[0]).toMatchObject({ state: 'succeeded', result: { sent: 12, failed: 0 } })
    const next = await kept()
    expect(next).toHaveLength(11)
    expect(next.filter((assetKey: string) => files.includes(assetKey))).toEqual([])
  })

  it('sends nothing where the report is empty, unless it was asked to', async () => {
    const of = await arranged()
    const behind = await person(of, 'Pacific/Pago_Pago', 'en-US')
    const asked = { report: 'DueToday', every: 'P1D', to: [{ tenantUserId: behind.tenantUserId }] }
    await call('schedule_report', asked, of.as)
    expect((await deliveries(of))[0]).toMatchObject({ state: 'succeeded', result: { sent: 0, failed: 0, rows: 0 } })
    expect(await inboxOf(behind)).toEqual([])
  })

  it('without recipients is an asset of the subscriber’s', async () => {
    const of = await arranged()
    await call('set_user_timezone', { tenantUserId: of.tenant.tenantUserId, timezone: 'Pacific/Kiritimati' }, of.as)
    await call('schedule_report', { report: 'DueToday', every: 'PT1H', format: 'json' }, of.as)
    const [delivered] = await deliveries(of)
    expect(JSON.parse(await textOf(delivered?.result.assetKey ?? '', of.as.key))).toEqual([{ Job_key1: 'J' }])
  })

  it('goes on to the others where one recipient cannot be reached, and says who in its log', async () => {
    const of = await arranged()
    const ahead = await person(of, 'Pacific/Kiritimati', 'en-US')
    const to = [{ phone: '+34600123456' }, { tenantUserId: ahead.tenantUserId }]
    await call('schedule_report', { report: 'DueToday', every: 'P1D', onlyWhenRows: false, to, channel: 'inbox' }, of.as)
    const [delivered] = await deliveries(of)
    expect(delivered).toMatchObject({ state: 'partly', result: { sent: 1, failed: 1 } })
    expect(await inboxOf(ahead)).toHaveLength(1)
    const [line] = await call('get_job_log', { jobId: delivered?.jobId }, of.as)
    expect(line.message).toMatch(/^recipient 1: /)
    expect(line.message).not.toContain('600123456')
  })
})

describe('the schedule of a report', () => {
  it('is each user’s own, replaced by the next one, and ended once', async () => {
    const of = await arranged()
    const other = { key: await of.tenant.keyWith(['DataEdit', 'DataView']) }
    const mine = await call('schedule_report', { report: 'DueToday', cron: '0 7 * * 1-5', timeZone: 'Europe/Madrid' }, of.as)
    expect(mine).toMatchObject({ cron: '0 7 * * 1-5', timeZone: 'Europe/Madrid', every: null, format: 'xlsx', to: [], onlyWhenRows: true })
    expect(Date.parse(mine.nextDate)).toBeGreaterThan(Date.now())
    expect(await call('schedule_report', { report: 'DueToday', every: 'PT90M' }, other)).toMatchObject({ every: 'PT90M', cron: null })
    expect(await call('schedule_report', { report: 'DueToday', every: 'P2D' }, of.as)).toMatchObject({ every: 'P2D', cron: null })
    expect(await call('unschedule_report', { report: 'DueToday' }, of.as)).toMatchObject({ unscheduled: true })
    expect(await world.refusal('unschedule_report', { report: 'DueToday' }, of.as.key)).toMatchObject({ code: 'not_found' })
    expect(await deliveries(of)).toHaveLength(1)
    await call('delete_report', { report: 'DueToday' }, of.as)
    expect(await world.sql`select 1 from platform.schedule where tenant_id = ${of.tenant.tenantId}`).toHaveLength(0)
  })

  it('is refused with what to send', async () => {
    const of = await arranged()
    const wrong: [object, string][] = [
      [{}, '$.cron'],
      [{ cron: '0 7 * * *', every: 'P1D' }, '$.cron'],
      [{ cron: 'at seven' }, '$.cron'],
      [{ cron: '0 7 * * *', timeZone: 'Mars/Base' }, '$.timeZone'],
      [{ every: 'PT30S' }, '$.every'],
      [{ every: 'P1M' }, '$.every'],
      [{ every: 'P1D', params: { nothing: 1 } }, '$.params.nothing'],
      [{ every: 'P1D', params: { names: ['x'.repeat(10_000)] } }, '$.params'],
      [{ every: 'P1D', params: { since: 'today'.padEnd(65) } }, '$.params.since'],
      [{ every: 'P1D', to: [{}] }, '$.to[0]'],
      [{ every: 'P1D', to: [{ email: 'a@example.com' }, { tenantUserId: 2_000_000_000 }] }, '$.to[1].tenantUserId'],
    ]
    for (const [more, path] of wrong) {
      const error = await world.refusal('schedule_report', { report: 'DueToday', ...more }, of.as.key)
      expect([error.code, error.issues?.[0]?.path], path).toEqual(['invalid_input', path])
    }
    const key = await of.tenant.keyWith(['DataEdit'])
    expect(await world.refusal('schedule_report', { report: 'DueToday', every: 'P1D' }, key)).toMatchObject({ code: 'forbidden' })
  })

  it('stops with the rights of whoever made it', async () => {
    const of = await arranged()
    const key = await of.tenant.keyWith(['DataEdit', 'DataView'])
    const { tenantUserId } = await call('whoami', {}, { key })
    await call('schedule_report', { report: 'DueToday', every: 'P1D' }, { key })
    await call('lock_user', { tenantUserId }, of.as)
    expect(await deliveries(of)).toEqual([])
    await call('unlock_user', { tenantUserId }, of.as)
    const { schedule } = await call('get_report', { report: 'DueToday' }, { key })
    expect(schedule).toMatchObject({ every: 'P1D', nextDate: null, stoppedReason: 'Whoever turned it on is locked or gone.' })
    expect((await call('get_report', { report: 'DueToday' }, of.as)).schedule).toBeNull()
    expect(await call('schedule_report', { report: 'DueToday', every: 'P1D' }, { key })).toMatchObject({ stoppedReason: null })
    expect(await deliveries(of)).toHaveLength(1)
  })
})

describe('the words of a schedule', () => {
  it('are durations of whole minutes', () => {
    expect(['PT1M', 'PT90M', 'P1D', 'P1DT12H', 'PT30S', 'P1M', '-PT5M', 'soon'].map(minutesOf)).toEqual([
      1,
      90,
      1_440,
      2_160,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect([1, 90, 60, 1_440].map(durationOf)).toEqual(['PT1M', 'PT90M', 'PT1H', 'P1D'])
  })

  it('are in English where a language is not spoken', () => {
    const of = { name: 'Costs', rows: 1_200, at: '2026-03-01T08:30:00.000Z', text: undefined }
    expect(deliveryText(of, { timeZoneIana: 'Europe/Madrid', languageCode: 'ja-JP' })).toContain('Rows: 1,200')
    expect(deliveryText(of, { timeZoneIana: 'Europe/Madrid', languageCode: 'es-ES' })).toContain('9:30')
  })
})
