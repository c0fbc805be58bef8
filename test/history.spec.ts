import { beforeAll, describe, expect, it } from 'vitest'

import { patience } from './support/patience.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

beforeAll(async () => {
  await world.call('create_property', { internalName: 'Note', dataType: 'Text' })
  await world.call('create_property', { internalName: 'Level', dataType: 'Number' })
  await world.call('create_entity', { internalName: 'Gauge', properties: [{ property: 'Note' }, { property: 'Level' }] })
})

const save = (key1: string, data: Record<string, unknown>) => world.call('save_instance', { entity: 'Gauge', key1, data })

interface Row {
  readonly key1: string
  readonly changeKind: string
  readonly eiRecordId: number
}

async function drain(watermark?: string, pageSize = 3): Promise<{ rows: Row[]; watermark: string }> {
  await world.settled()
  return drainAtOnce(watermark, pageSize)
}

async function drainAtOnce(watermark?: string, pageSize = 3): Promise<{ rows: Row[]; watermark: string }> {
  const rows: Row[] = []
  let at = watermark
  for (let pages = 0; pages < 500; pages++) {
    const page = await world.call('list_instances_changed_since', {
      entity: 'Gauge',
      pageSize,
      ...(at === undefined ? {} : { watermark: at }),
    })
    rows.push(...page.rows)
    at = page.watermark
    if (!page.hasMore) return { rows, watermark: page.watermark }
  }
  throw new Error('the drain did not end')
}

describe('versions', () => {
  it('tells every version, who made it and what changed', async () => {
    const { eiRecordId } = await save('v', { Level: 1, Note: 'a' })
    await save('v', { Level: 2 })
    await save('v', { Level: 2 })
    await world.call('delete_instance', { entity: 'Gauge', record: 'v' })
    const history = await world.call('get_instance_history', { entity: 'Gauge', record: String(eiRecordId) })
    expect(history.map((one: { changeKind: string }) => one.changeKind)).toEqual(['added', 'modified', 'deleted'])
    expect(history[1].changes).toEqual([{ property: 'Level', from: 1, to: 2 }])
    expect(history[1].changedBy).toEqual({ tenantUserId: world.tenant.tenantUserId, displayName: 'admin' })
    expect(history[2].changes).toEqual([])
  })

  it('tells a rename and a move by the names of the fields, and says a key part that follows from a property once', async () => {
    await world.call('create_property', { internalName: 'Serial', dataType: 'Text' })
    await world.call('create_entity', { internalName: 'Rack', properties: [{ property: 'Note' }] })
    await world.call('create_entity', { internalName: 'Card', properties: [{ property: 'Serial', keyPart: 1 }] })
    await world.call('attach_child_entity', { entity: 'Rack', childEntity: 'Card' })
    const saved = (entity: string, body: object) => world.call('save_instance', { entity, ...body })
    const left = await saved('Rack', { key1: 'left', data: {} })
    const right = await saved('Rack', { key1: 'right', data: {} })
    const card = await saved('Card', { parentKey1: 'left', data: { Serial: 'S-1' } })
    const rename = { entity: 'Rack', record: String(right.eiRecordId), key1: 'far', key2: 'end', data: { Note: 'a' } }
    await world.call('upsert_instance', rename)
    const move = { entity: 'Card', record: String(card.eiRecordId), parentEIRecordId: right.eiRecordId, data: { Serial: 'S-2' } }
    await world.call('upsert_instance', move)

    const changesOf = async (entity: string, record: number) =>
      (await world.call('get_instance_history', { entity, record: String(record) })).map((one: { changes: unknown }) => one.changes)
    expect(await changesOf('Rack', right.eiRecordId)).toEqual([
      [],
      [
        { property: 'key1', from: 'right', to: 'far' },
        { property: 'key2', from: '', to: 'end' },
        { property: 'Note', from: null, to: 'a' },
      ],
    ])
    expect(await changesOf('Card', card.eiRecordId)).toEqual([
      [{ property: 'Serial', from: null, to: 'S-1' }],
      [
        { property: 'parentEIRecordId', from: left.eiRecordId, to: right.eiRecordId },
        { property: 'Serial', from: 'S-1', to: 'S-2' },
      ],
    ])
  })

  it('pages through a long history without losing or repeating a version', async () => {
    const { eiRecordId } = await save('long', { Level: 0 })
    for (let level = 1; level <= 6; level++) await save('long', { Level: level })
    const record = String(eiRecordId)
    const whole = await world.call('get_instance_history', { entity: 'Gauge', record })
    const pages = []
    for (let page = 1; page <= 3; page++)
      pages.push(...(await world.call('get_instance_history', { entity: 'Gauge', record, page, pageSize: 3 })))
    expect(pages).toEqual(whole)
    expect(whole).toHaveLength(7)
  })

  it('shows a long text in every version, although history keeps one copy', async () => {
    const text = 'long '.repeat(500)
    const { eiRecordId } = await save('text', { Note: text, Level: 1 })
    await save('text', { Level: 2 })
    await save('text', { Level: 3 })
    const history = await world.call('get_instance_history', { entity: 'Gauge', record: String(eiRecordId) })
    expect(history.map((one: { data: { Note: string } }) => one.data.Note)).toEqual([text, text, text])
    const entityId = (await world.call('describe_entity', { entity: 'Gauge' })).entity.entityId
    const kept = await world.sql.unsafe(
      `select same_as_next from t_${world.tenant.tenantId}.e_${entityId}_history where id = ${eiRecordId} order by version`,
    )
    expect(kept.map((row) => row['sameAsNext'].length)).toEqual([1, 1])
  })

  it('answers as of a time, for one record and for all', async () => {
    const before = await save('asof', { Level: 1 })
    const { modifiedDate: first } = before
    const after = await save('asof', { Level: 2 })
    const record = String(before.eiRecordId)
    expect((await world.call('get_instance_as_of', { entity: 'Gauge', record, utc: first })).data.Level).toBe(1)
    expect((await world.call('get_instance_as_of', { entity: 'Gauge', record, utc: after.modifiedDate })).data.Level).toBe(2)
    await expect(world.run('get_instance_as_of', { entity: 'Gauge', record, utc: '2001-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await world.call('delete_instance', { entity: 'Gauge', record })
    const then = await world.call('list_instances_as_of', { entity: 'Gauge', asOfDate: after.modifiedDate, pageSize: 1000 })
    expect(then.filter((row: Row) => row.key1 === 'asof').map((row: { data: { Level: number } }) => row.data.Level)).toEqual([2])
    const now = await world.call('list_instances_as_of', { entity: 'Gauge', asOfDate: '2999-01-01T00:00:00Z', pageSize: 1000 })
    expect(now.some((row: Row) => row.key1 === 'asof')).toBe(false)
    expect((await world.call('get_instance_as_of', { entity: 'Gauge', record, utc: '2999-01-01T00:00:00Z' })).deletedDate).not.toBeNull()
  })

  it('takes a day for its end in as-of and dateTo, and for its beginning in dateFrom', async () => {
    const { eiRecordId: record } = await save('today', { Level: 1 })
    await save('today', { Level: 2 })
    const today = new Date().toISOString().slice(0, 10)
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    expect((await world.call('get_instance_as_of', { entity: 'Gauge', record, utc: today })).data.Level).toBe(2)
    const asOfToday = await world.call('list_instances_as_of', { entity: 'Gauge', asOfDate: today })
    expect(asOfToday.map((row: Row) => row.eiRecordId)).toContain(record)
    expect(await world.call('list_instances_as_of', { entity: 'Gauge', asOfDate: yesterday })).toEqual([])
    const varied = await world.call('get_instance_variance', { entity: 'Gauge', record, dateFrom: today, dateTo: today })
    expect(varied.snapshots).toHaveLength(2)
    expect((await world.call('list_instances', { entity: 'Gauge', modifiedSinceUtc: today })).length).toBeGreaterThan(0)
    for (const [name, input, path] of [
      ['get_instance_as_of', { record, utc: '2026-02-30' }, '$.utc'],
      ['list_instances_as_of', { asOfDate: 'today' }, '$.asOfDate'],
      ['get_instance_variance', { record, dateTo: '' }, '$.dateTo'],
      ['list_instances', { changedSince: '9999-12-31T23:59:59-10:00' }, '$.changedSince'],
    ] as const) {
      await expect(world.run(name, { entity: 'Gauge', ...input })).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path }] })
    }
    await expect(world.run('get_instance_variance', { entity: 'Gauge', record, dateFrom: today, dateTo: yesterday })).rejects.toMatchObject(
      { code: 'invalid_input' },
    )
  })

  it('shows how chosen properties varied in a range', async () => {
    const { eiRecordId } = await save('var', { Level: 1, Note: 'x' })
    await save('var', { Level: 2 })
    const last = await save('var', { Note: 'y' })
    const record = String(eiRecordId)
    const variance = await world.call('get_instance_variance', { entity: 'Gauge', record, propertyNames: ['level'] })
    expect(variance.snapshots.map((one: { changeFlags: unknown }) => one.changeFlags)).toEqual([
      { Level: true },
      { Level: true },
      { Level: false },
    ])
    expect(variance.diffs.map((one: { to: unknown }) => one.to)).toEqual([1, 2])
    const late = await world.call('get_instance_variance', { entity: 'Gauge', record, dateFrom: last.modifiedDate })
    expect(late.snapshots).toHaveLength(1)
    expect(late.diffs).toMatchObject([{ property: 'Note', from: 'x', to: 'y' }])
  })
})

describe('watermarks', () => {
  it('tells added, modified and deleted, each once, page by page', async () => {
    const { watermark } = await drain()
    await save('w1', { Level: 1 })
    await save('w2', { Level: 1 })
    const second = await drain(watermark, 1)
    expect(second.rows.map((row) => [row.key1, row.changeKind])).toEqual([
      ['w1', 'added'],
      ['w2', 'added'],
    ])
    await save('w1', { Level: 2 })
    await world.call('delete_instance', { entity: 'Gauge', record: 'w2' })
    const third = await drain(second.watermark)
    expect(third.rows.map((row) => [row.key1, row.changeKind])).toEqual([
      ['w1', 'modified'],
      ['w2', 'deleted'],
    ])
    expect((await drain(third.watermark)).rows).toEqual([])
    await world.settled()
    const gone = await world.call('list_instances_deleted_since', { entity: 'Gauge', watermark: second.watermark })
    expect(gone.rows).toMatchObject([{ key1: 'w2', deletedBy: { displayName: 'admin' } }])
  })

  it('loses no row whose transaction commits after one that began later', async () => {
    const { watermark } = await drain()
    const entityId = (await world.call('describe_entity', { entity: 'Gauge' })).entity.entityId
    const table = `t_${world.tenant.tenantId}.e_${entityId}`
    await save('late', { Level: 1 })
    let release: () => void = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let written: () => void = () => {}
    const isWritten = new Promise<void>((resolve) => (written = resolve))
    // An older transaction that has written, and commits only after a younger one did.
    const older = world.sql.begin(async (tx) => {
      await tx.unsafe(
        `update ${table} set change_no = (change_no >> 48 << 48) | pg_current_xact_id()::text::bigint, valid_from = date_trunc('milliseconds', now()), version = version + 1 where key1 = 'late'`,
      )
      written()
      await held
    })
    await isWritten
    await save('early', { Level: 1 })
    const between = await drainAtOnce(watermark)
    expect(between.rows.map((row) => row.key1)).not.toContain('early')
    release()
    await older
    const after = await drain(between.watermark)
    const seen = [...between.rows, ...after.rows].map((row) => row.key1)
    expect(seen).toContain('late')
    expect(seen).toContain('early')
    expect(after.rows.map((row) => row.key1).sort()).toEqual(['early', 'late'])
  })

  it('sees every row of concurrent writers once, however they commit', async () => {
    let { watermark } = await drain()
    const seen = new Map<string, number>()
    const deadline = Date.now() + patience.timeout
    const count = () => [...seen.keys()].filter((key) => key.startsWith('c')).length
    const reader = (async () => {
      // Any transaction of the cluster that is still open holds the watermark back, so the reader goes on until it has seen all.
      while (count() < 100 && Date.now() < deadline) {
        const page = await drainAtOnce(watermark, 7)
        watermark = page.watermark
        for (const row of page.rows) seen.set(row.key1, (seen.get(row.key1) ?? 0) + 1)
      }
    })()
    await Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let index = 0; index < 25; index++) await save(`c${writer}-${index}`, { Level: index })
      }),
    )
    await reader
    expect(count()).toBe(100)
    expect([...seen].filter(([key, times]) => key.startsWith('c') && times > 1)).toEqual([])
  })

  it('takes a time instead of a token, and refuses what is neither', async () => {
    const saved = await save('timed', { Level: 1 })
    await world.settled()
    const page = await world.call('list_instances_changed_since', { entity: 'Gauge', watermark: saved.modifiedDate, pageSize: 1000 })
    expect(page.rows.map((row: Row) => row.key1)).toContain('timed')
    await expect(world.run('list_instances_changed_since', { entity: 'Gauge', watermark: 'soon' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('tells from a time on what was added and what was changed on every page, not on the first alone', async () => {
    const names = ['old1', 'old2', 'old3', 'old4']
    let last = ''
    for (const name of names) last = (await save(name, { Level: 1 })).modifiedDate
    let begun = last
    for (let level = 0; begun === last; level++) begun = (await save('clock', { Level: level })).modifiedDate
    for (const name of names) await save(name, { Level: 2 })
    await save('fresh', { Level: 1 })
    const { rows: all, watermark } = await drain(begun, 2)
    const rows = all.filter((row) => row.key1 !== 'clock')
    expect(rows.map((row) => [row.key1, row.changeKind])).toEqual([...names.map((name) => [name, 'modified']), ['fresh', 'added']])
    expect((await drain(watermark)).rows).toEqual([])
    const today = await drain(begun.slice(0, 10), 500)
    expect(today.rows.length).toBeGreaterThan(rows.length)
  })

  it('refuses tokens that hold what no watermark can', async () => {
    const { watermark } = await drain()
    const parts: unknown[] = JSON.parse(Buffer.from(watermark, 'base64url').toString())
    const tooLarge = '9'.repeat(19)
    for (const place of [4, 5, 6]) {
      const forged = Buffer.from(JSON.stringify(parts.with(place, tooLarge))).toString('base64url')
      await expect(world.run('list_instances_changed_since', { entity: 'Gauge', watermark: forged })).rejects.toMatchObject({
        code: 'invalid_input',
      })
    }
  })

  it('refuses a token of another database with watermark_reset', async () => {
    const { watermark } = await drain()
    const parts = JSON.parse(Buffer.from(watermark, 'base64url').toString()) as unknown[]
    parts[1] = '00000000-0000-4000-8000-000000000000'
    const foreign = Buffer.from(JSON.stringify(parts)).toString('base64url')
    await expect(world.run('list_instances_changed_since', { entity: 'Gauge', watermark: foreign })).rejects.toMatchObject({
      code: 'watermark_reset',
    })
  })
})
