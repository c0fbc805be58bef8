import { streamXlsxRows } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { roleNames } from '#platform/roles.ts'
import { unguardedText } from '#platform/spreadsheets.ts'
import { csvCell, sheetCell } from '#tools/exports/cells.rules.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import { viewExportRunner } from '#tools/views/service.ts'

import { openWorld, type World } from './support/world.ts'

let world: World
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

beforeAll(async () => {
  world = await openWorld()
})

afterAll(() => world.close())

async function refusal(name: string, input: unknown, key?: string): Promise<AppError> {
  const error: unknown = await world.run(name, input, key === undefined ? {} : { key }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`${name} was not refused: ${String(error)}`)
  return error
}

const names = ['Title', 'Status', 'Cost', 'Due', 'At', 'Done', 'Tags'] as const

interface Arranged {
  readonly entity: string
  /** The internalName of each property, by what it stands for. */
  readonly of: Readonly<Record<(typeof names)[number], string>>
}

/** An entity with a property of each type that a sheet knows, without records. */
async function arranged(): Promise<Arranged> {
  const entity = unique('Order')
  const of = Object.fromEntries(names.map((name) => [name, unique(name)])) as Record<(typeof names)[number], string>
  const types = { Title: 'Text', Status: 'Choice', Cost: 'Currency', Due: 'DateOnly', At: 'DateTime', Done: 'Boolean', Tags: 'Text' }
  for (const name of names) {
    const options = name === 'Status' ? { propertyOptions: [{ internalName: 'open' }, { internalName: 'closed' }] } : {}
    await world.call('create_property', { internalName: of[name], dataType: types[name], ...options })
  }
  await world.call('create_entity', {
    internalName: entity,
    properties: names.map((name) => ({ property: of[name], isList: name === 'Tags' })),
  })
  return { entity, of }
}

async function withRecords({ entity, of }: Arranged): Promise<void> {
  const rows = [
    {
      key1: 'WO-1',
      data: {
        Title: 'Gate, "north"\nvalve',
        Status: 'open',
        Cost: 12.5,
        Due: '2026-03-01',
        At: '2026-03-01T08:30:00.000Z',
        Done: true,
        Tags: ['a', 'b'],
      },
    },
    { key1: 'WO-2', data: { Title: '=HYPERLINK("http://evil")', Status: 'open', Cost: -3, Done: false } },
    { key1: 'WO-3', data: { Title: 'Closed', Status: 'closed' } },
  ]
  const named = rows.map(({ key1, data }) => ({
    key1,
    data: Object.fromEntries(Object.entries(data).map(([name, value]) => [of[name as keyof typeof of], value])),
  }))
  expect(await world.call('save_instances_bulk', { entity, rows: named })).toMatchObject({ inserted: 3 })
}

async function savedView({ entity, of }: Arranged, viewJson?: object): Promise<string> {
  const internalName = unique('View')
  const usual = {
    columns: ['externalKey', ...names.map((name) => of[name])],
    filters: { propertyFilters: [{ property: of.Status, op: 'eq', value: 'open' }] },
    sort: [{ property: 'key1', direction: 'desc' }],
  }
  await world.call('save_view', { entity, internalName, viewJson: viewJson ?? usual })
  return internalName
}

/** What an import of the file would do. */
async function importedAgain(entity: string, assetKey: string): Promise<object> {
  const { jobId } = await world.call('import_instances', { entity, assetKey, dryRun: true })
  const { importRunner } = await import('#tools/instances/service.ts')
  const attempt = { tenantId: world.tenant.tenantId, jobId, attempt: 1 }
  for (let job = await readJobForRun(world.platform.services, attempt); job; job = await readJobForRun(world.platform.services, attempt))
    await importRunner.step(world.platform.services, job, new AbortController().signal)
  const { state, result } = await world.call('get_job', { jobId })
  return { state, ...result }
}

async function bytesOf(assetKey: string): Promise<Buffer> {
  const answer = (await world.run('download_asset', { assetKey })) as { body: AsyncIterable<Buffer> }
  const parts: Buffer[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts)
}

async function sheetOf(assetKey: string): Promise<unknown[][]> {
  const rows: unknown[][] = []
  for await (const row of streamXlsxRows(await bytesOf(assetKey))) rows.push(row.values)
  return rows
}

describe('exporting a view', () => {
  it('writes a CSV of its columns and records, in its order, in which no text is a formula', async () => {
    const arrangedHere = await arranged()
    const { entity, of } = arrangedHere
    await withRecords(arrangedHere)
    const view = await savedView(arrangedHere)
    const done = await world.call('export_view', { entity, view, format: 'csv' })
    expect(done).toEqual({ assetKey: expect.any(String), rows: 2 })
    expect((await bytesOf(done.assetKey)).toString()).toBe(
      [
        ['externalKey', ...names.map((name) => of[name])].join(','),
        `WO-2,"'=HYPERLINK(""http://evil"")",open,-3,,,false,`,
        'WO-1,"Gate, ""north""\nvalve",open,12.5,2026-03-01,2026-03-01T08:30:00.000Z,true,a; b',
        '',
      ].join('\r\n'),
    )
    expect(await world.call('get_asset', { assetKey: done.assetKey })).toMatchObject({
      mimeType: 'text/csv',
      originalFileName: expect.stringMatching(new RegExp(`^${view}-\\d{12}\\.csv$`)),
      isSensitive: false,
    })
    const { lastExportUtc } = await world.call('get_view', { entity, view })
    expect(Date.now() - Date.parse(lastExportUtc)).toBeLessThan(60_000)
  })

  it('writes a workbook in which numbers are numbers and days are days', async () => {
    const arrangedHere = await arranged()
    await withRecords(arrangedHere)
    const view = await savedView(arrangedHere)
    const { assetKey, rows } = await world.call('export_view', { entity: arrangedHere.entity, view, format: 'xlsx' })
    expect(rows).toBe(2)
    const [header, second, first] = await sheetOf(assetKey)
    expect(header).toEqual(['externalKey', ...names.map((name) => arrangedHere.of[name])])
    expect(first).toEqual([
      'WO-1',
      'Gate, "north"\nvalve',
      'open',
      12.5,
      new Date('2026-03-01T00:00:00.000Z'),
      new Date('2026-03-01T08:30:00.000Z'),
      true,
      'a; b',
    ])
    expect(second?.slice(0, 4)).toEqual(['WO-2', '=HYPERLINK("http://evil")', 'open', -3])
    expect((await world.call('get_asset', { assetKey })).fileExtension).toBe('xlsx')
  })

  it('writes JSON as execute_view has the data, and an empty list where there is none', async () => {
    const arrangedHere = await arranged()
    const { entity } = arrangedHere
    const view = await savedView(arrangedHere)
    const empty = await world.call('export_view', { entity, view, format: 'json' })
    expect([empty.rows, JSON.parse((await bytesOf(empty.assetKey)).toString())]).toEqual([0, []])
    await withRecords(arrangedHere)
    const { assetKey } = await world.call('export_view', { entity, view, format: 'json' })
    const rows = await world.call('execute_view', { entity, view })
    expect(rows).toHaveLength(2)
    expect(JSON.parse((await bytesOf(assetKey)).toString())).toEqual(rows.map((row: { data: object }) => row.data))
  })

  it('is its maker’s: nobody else finds, reads, signs, deletes or holds the file', async () => {
    const arrangedHere = await arranged()
    await withRecords(arrangedHere)
    const view = await savedView(arrangedHere, { columns: ['key1'] })
    const { assetKey } = await world.call('export_view', { entity: arrangedHere.entity, view, format: 'csv' })
    const other = await world.tenant.keyWith([...roleNames])
    for (const name of ['get_asset', 'download_asset', 'sign_asset_url', 'delete_asset']) {
      expect(await refusal(name, { assetKey }, other), name).toMatchObject({ code: 'not_found' })
    }
    const keysFor = async (key: string) => {
      const { items, totalCount } = (await world.run('list_assets', {}, { key })) as { items: { assetKey: string }[]; totalCount: number }
      expect(totalCount).toBe(items.length)
      return items.map((one) => one.assetKey)
    }
    expect(await keysFor(other)).not.toContain(assetKey)
    expect(await keysFor(world.tenant.key)).toContain(assetKey)
    await world.call('import_catalog', {
      properties: [{ internalName: 'HeldFile', dataType: 'Attachment' }],
      entities: [{ internalName: 'Holder', properties: [{ property: 'HeldFile' }] }],
    })
    const held = { entity: 'Holder', key1: 'H', data: { HeldFile: assetKey } }
    expect(await refusal('save_instance', held, other)).toMatchObject({ code: 'invalid_input' })
    await world.call('save_instance', held)
    expect(await refusal('get_asset', { assetKey }, other)).toMatchObject({ code: 'not_found' })
  })

  it('is theirs too to whom its maker sends it', async () => {
    const arrangedHere = await arranged()
    await withRecords(arrangedHere)
    const view = await savedView(arrangedHere, { columns: ['key1'] })
    const { assetKey } = await world.call('export_view', { entity: arrangedHere.entity, view, format: 'csv' })
    const [receiver, other] = [await world.tenant.keyWith([...roleNames]), await world.tenant.keyWith([...roleNames])]
    const { tenantUserId } = await world.call('whoami', {}, { key: receiver })
    expect(await refusal('send_message', { to: { tenantUserId }, text: 'mine', assetKeys: [assetKey] }, other)).toMatchObject({
      status: 400,
    })
    expect(await refusal('get_asset', { assetKey }, receiver)).toMatchObject({ code: 'not_found' })
    await world.call('send_message', { to: { tenantUserId }, text: 'The rows', assetKeys: [assetKey] })
    expect(await world.call('get_asset', { assetKey }, { key: receiver })).toMatchObject({ assetKey })
    const listedFor = async (key: string) =>
      (await world.call('list_assets', { pageSize: 1000 }, { key })).some((one: { assetKey: string }) => one.assetKey === assetKey)
    expect([await listedFor(receiver), await listedFor(other)]).toEqual([true, false])
    expect(await refusal('get_asset', { assetKey }, other)).toMatchObject({ code: 'not_found' })
  })

  it('can be imported again as it was', async () => {
    const arrangedHere = await arranged()
    const { entity, of } = arrangedHere
    await withRecords(arrangedHere)
    const rows = ["'=1", '\n=1', 'line\r\nend', '_x0041_', '\u0001', "'plain"].map((text, at) => ({
      key1: `T-${at}`,
      data: { [of.Title]: text, [of.Tags]: ['=1', '-x'], [of.Cost]: at === 0 ? -1e-7 : null },
    }))
    expect(await world.call('save_instances_bulk', { entity, rows })).toMatchObject({ inserted: 6 })
    const view = await savedView(arrangedHere, { columns: ['key1', of.Title, of.Status, of.Cost, of.Due, of.At, of.Done, of.Tags] })
    for (const format of ['csv', 'xlsx']) {
      const { assetKey } = await world.call('export_view', { entity, view, format })
      expect(await importedAgain(entity, assetKey)).toMatchObject({
        state: 'succeeded',
        rows: 9,
        inserted: 0,
        updated: 0,
        skipped: 9,
        failed: 0,
      })
    }
  })

  it('is a workbook that can be opened, whatever somebody saved into one of its texts', async () => {
    const arrangedHere = await arranged()
    const { entity, of } = arrangedHere
    await world.call('save_instance', { entity, key1: 'WO-1', data: { [of.Title]: 'a\uFFFEb\uFFFFc', [of.Tags]: ['\uFFFF'] } })
    const view = await savedView(arrangedHere, { columns: ['key1', of.Title, of.Tags] })
    const { assetKey } = await world.call('export_view', { entity, view, format: 'xlsx' })
    expect((await sheetOf(assetKey))[1]).toEqual(['WO-1', 'a\uFFFDb\uFFFDc', '\uFFFD'])
    expect(await importedAgain(entity, assetKey)).toMatchObject({ state: 'succeeded', rows: 1, updated: 1, failed: 0 })
  })

  it('narrows by a filter, and begins with the key where the view names no columns', async () => {
    const arrangedHere = await arranged()
    const { entity, of } = arrangedHere
    await withRecords(arrangedHere)
    const view = await savedView(arrangedHere, {})
    const filterRules = [{ property: of.Done, op: 'eq', value: true }]
    const { assetKey, rows } = await world.call('export_view', { entity, view, format: 'json', filterRules })
    expect(rows).toBe(1)
    const [row] = JSON.parse((await bytesOf(assetKey)).toString())
    expect(Object.keys(row)).toEqual(['externalKey', ...names.map((name) => of[name])])
    const error = await refusal('export_view', { entity, view, format: 'json', filterRules: [{ property: 'Nothing', op: 'isEmpty' }] })
    expect([error.status, error.issues?.[0]?.path]).toEqual([400, '$.filterRules[0].property'])
  })

  it('makes a sensitive file of sensitive values', async () => {
    const [entity, secret] = [unique('Order'), unique('Secret')]
    await world.call('create_property', { internalName: secret, dataType: 'Text', isSensitive: true })
    await world.call('create_entity', { internalName: entity, properties: [{ property: secret }] })
    await world.call('save_view', { entity, internalName: 'Secrets', viewJson: { columns: [secret] } })
    await world.call('save_view', { entity, internalName: 'Keys', viewJson: { columns: ['key1'] } })
    const sensitive = async (view: string) => {
      const { assetKey } = await world.call('export_view', { entity, view, format: 'csv' })
      return (await world.call('get_asset', { assetKey })).isSensitive
    }
    expect([await sensitive('Secrets'), await sensitive('Keys')]).toEqual([true, false])
  })

  it('leaves no file behind where it fails', async () => {
    const arrangedHere = await arranged()
    await withRecords(arrangedHere)
    const view = await savedView(arrangedHere)
    const before = await world.sql`select 1 from platform.asset where tenant_id = ${world.tenant.tenantId}`
    // The statement that reads is refused by the database, after the file was begun.
    await world.sql.unsafe(
      `alter table t_${world.tenant.tenantId}.e_${(await world.call('describe_entity', { entity: arrangedHere.entity })).entity.entityId} rename column key1 to key_one`,
    )
    await expect(world.call('export_view', { entity: arrangedHere.entity, view, format: 'csv' })).rejects.toBeInstanceOf(AppError)
    const after = await world.sql`select 1 from platform.asset where tenant_id = ${world.tenant.tenantId}`
    expect(after).toHaveLength(before.length)
  })
})

describe('exporting many records', () => {
  it('is a job past five thousand, whose result has the file, and which a second run finds done', async () => {
    const tenant = await world.newTenant()
    const as = { key: tenant.key }
    await world.call('create_property', { internalName: 'Name', dataType: 'Text' }, as)
    await world.call('create_entity', { internalName: 'Thing', properties: [{ property: 'Name' }] }, as)
    for (const part of [0, 1]) {
      const rows = Array.from({ length: 3_000 }, (_, index) => ({
        key1: `K${part}-${index}`,
        data: { Name: `${part} ${index} ${'x'.repeat(300)}` },
      }))
      expect(await world.call('save_instances_bulk', { entity: 'Thing', rows }, as)).toMatchObject({ inserted: 3_000 })
    }
    await world.call('save_view', { entity: 'Thing', internalName: 'All', viewJson: { columns: ['key1', 'Name'] } }, as)
    const queued = await world.call('export_view', { entity: 'Thing', view: 'All', format: 'csv' }, as)
    expect(queued).toMatchObject({ kind: 'viewExport', state: 'queued' })
    const attempt = { tenantId: tenant.tenantId, jobId: queued.jobId, attempt: 1 }
    const job = await readJobForRun(world.platform.services, attempt)
    if (!job) throw new Error('The job has nothing to do')
    expect(await viewExportRunner.step(world.platform.services, job, new AbortController().signal)).toBe('done')
    const { state, result } = await world.call('get_job', { jobId: queued.jobId }, as)
    expect({ state, result }).toEqual({ state: 'succeeded', result: { assetKey: expect.any(String), rows: 6_000 } })
    const answer = (await world.run('download_asset', { assetKey: result.assetKey }, as)) as { body: AsyncIterable<Buffer> }
    const parts: Buffer[] = []
    for await (const part of answer.body) parts.push(part)
    const keys = Buffer.concat(parts)
      .toString()
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0])
    expect(new Set(keys).size).toBe(6_000)
    // Whoever runs the chunk again is refused, and the file that it wrote is no asset.
    await expect(viewExportRunner.step(world.platform.services, job, new AbortController().signal)).rejects.toThrow()
    expect(await world.call('list_assets', {}, as)).toHaveLength(1)
    expect((await world.call('get_view', { entity: 'Thing', view: 'All' }, as)).lastExportUtc).not.toBeNull()
  })
})

describe('a cell', () => {
  it('is no formula, and a number or a telephone number with a sign stays what it is', () => {
    for (const text of ['=1+1', '@SUM(A1)', '\tx', '\n=1', '＝1', "-2+3+cmd|' /C calc'!A0", '+x()', "'=1", "''@x"]) {
      expect(csvCell(text)).toBe(`'${text}`)
      expect(unguardedText(csvCell(text))).toBe(text)
    }
    for (const text of ['-3', '+49 (170) 123-456', '+1.5', 'a=b', '', "'quoted'", "'-5"]) {
      expect([csvCell(text), unguardedText(text)]).toEqual([text, text])
    }
    expect([csvCell(-1e-7), csvCell([-1e-7, 2]), csvCell(['=1', 'b'])]).toEqual(['-1e-7', '-1e-7; 2', "'=1; b"])
  })

  it('holds a list in one text, and no more text than a sheet takes', () => {
    expect(csvCell(['a', 'b'])).toBe('a; b')
    expect(csvCell(null)).toBe('')
    expect(sheetCell('Text', 'x'.repeat(40_000))).toHaveLength(32_767)
    // Sheets count days from 1900 on.
    expect(sheetCell('DateOnly', '1815-12-10')).toBe('1815-12-10')
  })
})
