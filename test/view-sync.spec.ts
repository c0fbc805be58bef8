/** Views that are exported by themselves: when, as whom, into which files, and what the view shows of it. */
import { describe, expect, it } from 'vitest'

import { scheduleKinds } from '#server/worker/schedule-kinds.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import { fireDue } from '#tools/schedules/service.ts'
import { viewExportRunner } from '#tools/views/service.ts'

import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()

interface Arranged {
  readonly tenant: TestTenant
  readonly as: { readonly key: string }
}

const entity = 'Order'
const view = 'Open'
const here = { entity, view }

/** A tenant with one record and a view of it. */
async function arranged(): Promise<Arranged> {
  const tenant = await world.newTenant()
  const as = { key: tenant.key }
  await world.call('create_property', { internalName: 'Title', dataType: 'Text' }, as)
  await world.call('create_entity', { internalName: entity, properties: [{ property: 'Title' }] }, as)
  await world.call('save_instance', { entity, key1: 'WO-1', data: { Title: 'Valve' } }, as)
  await world.call('save_view', { entity, internalName: view, isShared: true, viewJson: { columns: ['key1', 'Title'] } }, as)
  return { tenant, as }
}

/** As if so much time had passed. */
async function passes({ tenant }: Arranged, time: string): Promise<void> {
  await world.sql`
    update platform.schedule
    set next_due = next_due - ${time}::interval, next_look = next_look - ${time}::interval, fired_at = fired_at - ${time}::interval,
      counted_from = counted_from - ${time}::interval
    where tenant_id = ${tenant.tenantId}`
}

interface Export {
  readonly jobId: number
  readonly state: string
  readonly result?: { readonly assetKey: string }
}

/** Looks for what is due, and carries out what was queued; answers every export so far, the newest first. */
async function exports({ tenant, as }: Arranged, key = as.key): Promise<Export[]> {
  const { services } = world.platform
  while ((await fireDue(services, scheduleKinds)) > 0);
  for (const { jobId } of (await world.call('list_jobs', { states: ['queued'] }, as)) as Export[]) {
    const job = await readJobForRun(services, { tenantId: tenant.tenantId, jobId, attempt: 1 })
    if (job) await viewExportRunner.step(services, job, new AbortController().signal)
  }
  return world.call('list_jobs', { kind: 'viewExport' }, { key })
}

async function textOf(assetKey: string, key: string): Promise<string> {
  const answer = (await world.run('download_asset', { assetKey }, { key })) as { body: AsyncIterable<Buffer> }
  const parts: Buffer[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('a view that is exported on a schedule', () => {
  it('is exported at once and then at each interval, and shows the setting and when it was last', async () => {
    const of = await arranged()
    const set = { ...here, syncEnabled: true, syncFrequencyMinutes: 60 }
    const shown = { syncEnabled: true, syncFrequencyMinutes: 60, lastExportUtc: null, validation: null }
    expect(await world.call('set_view_sync', set, of.as)).toMatchObject(shown)
    const [first, ...others] = await exports(of)
    expect(others).toEqual([])
    expect(first).toMatchObject({ state: 'succeeded', result: { rows: 1, assetKey: expect.any(String) } })
    expect(await textOf(first?.result?.assetKey ?? '', of.as.key)).toBe('key1,Title\r\nWO-1,Valve\r\n')
    const [listed] = await world.call('list_views', { entity }, of.as)
    expect(listed).toMatchObject({ ...shown, lastExportUtc: expect.any(String) })
    expect(await world.call('get_view', here, of.as)).toEqual(listed)
    // Said again, it is the same one.
    await world.call('set_view_sync', set, of.as)
    await passes(of, '59 minutes')
    expect(await exports(of)).toHaveLength(1)
    await passes(of, '2 minutes')
    expect(await exports(of)).toHaveLength(2)
  })

  it('is no longer exported once it is off, keeps its interval and format, and begins at once when it is on again', async () => {
    const of = await arranged()
    await world.call('set_view_sync', { ...here, syncEnabled: true, syncFrequencyMinutes: 5, format: 'json' }, of.as)
    expect(await exports(of)).toHaveLength(1)
    expect(await world.call('set_view_sync', { ...here, syncEnabled: false }, of.as)).toMatchObject({
      syncEnabled: false,
      syncFrequencyMinutes: 5,
    })
    await passes(of, '1 day')
    expect(await exports(of)).toHaveLength(1)
    await world.call('set_view_sync', { ...here, syncEnabled: true }, of.as)
    const [again] = await exports(of)
    expect(JSON.parse(await textOf(again?.result?.assetKey ?? '', of.as.key))).toEqual([{ key1: 'WO-1', Title: 'Valve' }])
    expect(await exports(of)).toHaveLength(2)
    // The interval may be said while it is off.
    await world.call('set_view_sync', { ...here, syncEnabled: false, syncFrequencyMinutes: 30 }, of.as)
    expect(await world.call('get_view', here, of.as)).toMatchObject({ syncEnabled: false, syncFrequencyMinutes: 30 })
    await passes(of, '1 day')
    expect(await exports(of)).toHaveLength(2)
  })

  it('keeps its ten newest files', async () => {
    const of = await arranged()
    await world.call('set_view_sync', { ...here, syncEnabled: true, syncFrequencyMinutes: 1 }, of.as)
    const keys: string[] = []
    for (let count = 0; count < 12; count++) {
      await passes(of, '1 minute')
      const [newest] = await exports(of)
      keys.push(newest?.result?.assetKey ?? '')
    }
    const kept = (await world.call('list_assets', {}, of.as)) as { assetKey: string }[]
    expect(kept.map((one) => one.assetKey).sort()).toEqual(keys.slice(2).sort())
  })

  it('is exported in the name of whoever set it last: the files are theirs, and show what they see', async () => {
    const of = await arranged()
    const other = await of.tenant.keyWith(['AdminIntegration', 'DataView'])
    await world.call('set_view_sync', { ...here, syncEnabled: true, syncFrequencyMinutes: 60 }, { key: other })
    const [theirs] = await exports(of, other)
    const { assetKey } = theirs?.result ?? { assetKey: '' }
    expect(await textOf(assetKey, other)).toContain('WO-1')
    expect(await world.refusal('get_asset', { assetKey }, of.as.key)).toMatchObject({ code: 'not_found' })
    await world.call(
      'set_entity_access',
      { entity, rules: [{ role: 'AdminIntegration', read: true, filter: { rules: [{ property: 'Title', op: 'eq', value: 'None' }] } }] },
      of.as,
    )
    await passes(of, '1 hour')
    const [narrowed] = await exports(of, other)
    expect(await textOf(narrowed?.result?.assetKey ?? '', other)).toBe('key1,Title\r\n')
  })

  it('stops where whoever set it does not see the view any more, and says why until it is set again', async () => {
    const of = await arranged()
    const other = await of.tenant.keyWith(['AdminIntegration', 'DataView'])
    await world.call('set_view_sync', { ...here, syncEnabled: true, syncFrequencyMinutes: 60 }, { key: other })
    await world.call('share_view', { ...here, isShared: false }, of.as)
    expect(await exports(of)).toEqual([])
    const message = 'The scheduled export has stopped. No such view. set_view_sync turns it on again.'
    expect(await world.call('get_view', here, of.as)).toMatchObject({
      syncEnabled: false,
      syncFrequencyMinutes: 60,
      validation: { ok: true, issues: [{ path: '$.syncEnabled', severity: 'warning', message }] },
    })
    expect(await world.call('set_view_sync', { ...here, syncEnabled: true }, of.as)).toMatchObject({ syncEnabled: true, validation: null })
    expect(await exports(of)).toHaveLength(1)
  })

  it('goes with the view', async () => {
    const of = await arranged()
    await world.call('set_view_sync', { ...here, syncEnabled: true, syncFrequencyMinutes: 60 }, of.as)
    await world.call('delete_view', here, of.as)
    expect(await exports(of)).toEqual([])
    expect(await world.sql`select 1 from platform.schedule where tenant_id = ${of.tenant.tenantId}`).toHaveLength(0)
  })
})

describe('setting it', () => {
  it('needs an interval the first time, of at least a minute and at most a year', async () => {
    const of = await arranged()
    const missing = await world.refusal('set_view_sync', { ...here, syncEnabled: true }, of.as.key)
    expect([missing.code, missing.issues?.[0]?.path]).toEqual(['invalid_input', '$.syncFrequencyMinutes'])
    for (const syncFrequencyMinutes of [0, -5, 1.5, 10_000_000])
      expect(await world.refusal('set_view_sync', { ...here, syncEnabled: true, syncFrequencyMinutes }, of.as.key)).toMatchObject({
        status: 400,
      })
    expect(await world.call('get_view', here, of.as)).toMatchObject({ syncEnabled: false, syncFrequencyMinutes: null })
  })

  it('takes the role that reads records beside its own, since it reads them; turning it off does not', async () => {
    const of = await arranged()
    const key = await of.tenant.keyWith(['AdminIntegration'])
    const refused = await world.refusal('set_view_sync', { ...here, syncEnabled: true, syncFrequencyMinutes: 60 }, key)
    expect([refused.code, refused.message]).toEqual(['forbidden', expect.stringContaining('DataView')])
    expect(await world.call('set_view_sync', { ...here, syncEnabled: false }, { key })).toMatchObject({ syncEnabled: false })
  })
})
