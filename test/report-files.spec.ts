/** Files of reports: all rows as a table, the rows as a chart, and what a report would cost before it is run. */
import { streamXlsxRows } from 'hucre/xlsx'
import { beforeAll, describe, expect, it } from 'vitest'

import { roleBits } from '#platform/roles.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { prepareReport, readReportRows } from '#tools/query/service.ts'
import type { ChartWish } from '#tools/reports/chart.rules.ts'
import { chartOf, readColumns } from '#tools/reports/chart.rules.ts'
import { explain } from '#tools/reports/explaining.rules.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import { reportExportRunner } from '#tools/reports/service.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { call, refusal } = world

const byStatus = {
  primaryEntityId: 'Job',
  groupBy: [{ property: 'Status' }],
  aggregates: [
    { fn: 'COUNT', alias: 'jobs' },
    { property: 'Cost', fn: 'SUM', alias: 'cost' },
  ],
  computed: [{ alias: 'each', $expr: ['/', '[[cost]]', '[[jobs]]'] }],
  filters: [{ property: 'Cost', op: 'gte', value: '[[$param.least]]' }],
  sort: [{ property: 'jobs', direction: 'desc' }],
  parameters: [{ name: 'least', dataType: 'Number' }],
}

beforeAll(async () => {
  const property = (internalName: string, dataType: string, more: object = {}) =>
    call('create_property', { internalName, dataType, ...more })
  await property('Status', 'Choice', { propertyOptions: [{ internalName: 'open' }, { internalName: 'done' }] })
  await property('Cost', 'Number')
  await property('Title', 'Text')
  await property('Secret', 'Text', { isSensitive: true })
  const properties = ['Status', 'Cost', 'Title', 'Secret'].map((one) => ({ property: one }))
  await call('create_entity', { internalName: 'Job', properties })
  const rows = [
    { key1: 'A', data: { Status: 'open', Cost: 10, Title: '=1+1' } },
    { key1: 'B', data: { Status: 'open', Cost: 2.5, Title: 'b' } },
    { key1: 'C', data: { Status: 'done', Cost: 7, Title: 'c' } },
  ]
  await call('save_instances_bulk', { entity: 'Job', rows })
  await call('create_report', { internalName: 'ByStatus', definitionJson: byStatus })
  await call('create_report', {
    internalName: 'Titles',
    definitionJson: { primaryEntityId: 'Job', columns: [{ property: 'Title' }, { property: 'Cost' }], sort: [{ property: 'Cost' }] },
  })
})

async function bytesOf(assetKey: string, key?: string): Promise<Buffer> {
  const answer = (await world.run('download_asset', { assetKey }, key === undefined ? {} : { key })) as { body: AsyncIterable<Buffer> }
  const parts: Buffer[] = []
  for await (const part of answer.body) parts.push(part)
  return Buffer.concat(parts)
}

describe('exporting a report', () => {
  it('writes every row with its columns and what is computed, in its order, with the values of its parameters', async () => {
    const done = await call('export_report', { report: 'ByStatus', format: 'csv' })
    expect(done).toEqual({ assetKey: expect.any(String), rows: 2 })
    expect((await bytesOf(done.assetKey)).toString()).toBe('Job_Status,jobs,cost,each\r\nopen,2,12.5,6.25\r\ndone,1,7,7\r\n')
    const narrowed = await call('export_report', { report: 'ByStatus', format: 'json', params: { least: 5 } })
    expect(JSON.parse((await bytesOf(narrowed.assetKey)).toString())).toEqual([
      { Job_Status: 'open', jobs: 1, cost: 10, each: 10 },
      { Job_Status: 'done', jobs: 1, cost: 7, each: 7 },
    ])
    expect(await call('get_asset', { assetKey: done.assetKey })).toMatchObject({
      mimeType: 'text/csv',
      originalFileName: expect.stringMatching(/^ByStatus-\d{12}\.csv$/),
    })
  })

  it('keeps types in a workbook, and lets no text be a formula in a CSV', async () => {
    const sheet = await call('export_report', { report: 'Titles', format: 'xlsx' })
    const rows: unknown[][] = []
    for await (const row of streamXlsxRows(await bytesOf(sheet.assetKey))) rows.push(row.values)
    expect(rows).toEqual([
      ['Job_Title', 'Job_Cost'],
      ['b', 2.5],
      ['c', 7],
      ['=1+1', 10],
    ])
    const { assetKey } = await call('export_report', { report: 'Titles', format: 'csv' })
    expect((await bytesOf(assetKey)).toString()).toContain("'=1+1")
  })

  it('has the time of each snapshot, where the report shows how figures varied', async () => {
    const { groupBy, primaryEntityId } = byStatus
    const definitionJson = {
      primaryEntityId,
      groupBy,
      aggregates: [{ fn: 'COUNT', alias: 'jobs' }],
      variance: { dateFrom: '-1h', cadence: 'hour' },
    }
    await call('create_report', { internalName: 'Varied', definitionJson })
    const { assetKey } = await call('export_report', { report: 'Varied', format: 'json' })
    const rows = JSON.parse((await bytesOf(assetKey)).toString())
    expect(rows.length).toBeGreaterThan(0)
    const executed = await call('execute_report', { report: 'Varied' })
    expect(rows.map((row: { snapshotDate: string }) => row.snapshotDate)).toHaveLength(executed.totalCount)
    expect(Object.keys(rows[0])).toEqual(['snapshotDate', 'Job_Status', 'jobs'])
    expect(Date.parse(rows[0].snapshotDate)).not.toBeNaN()
  })

  it('is a job past five thousand rows, done as whoever asked, and private', async () => {
    const tenant = await world.newTenant()
    const as = { key: tenant.key }
    await call('create_property', { internalName: 'Name', dataType: 'Text' }, as)
    await call('create_entity', { internalName: 'Thing', properties: [{ property: 'Name' }] }, as)
    for (const part of [0, 1]) {
      const rows = Array.from({ length: 3_000 }, (_, index) => ({ key1: `K${part}-${index}`, data: { Name: `${part} ${index}` } }))
      await call('save_instances_bulk', { entity: 'Thing', rows }, as)
    }
    const definitionJson = { primaryEntityId: 'Thing', columns: [{ property: 'key1' }, { property: 'Name' }] }
    await call('create_report', { internalName: 'All', definitionJson, isShared: true }, as)
    const job = await call('export_report', { report: 'All', format: 'csv' }, as)
    expect(job).toMatchObject({ kind: 'reportExport', state: 'queued' })
    const attempt = { tenantId: tenant.tenantId, jobId: job.jobId, attempt: 1 }
    const running = await readJobForRun(world.platform.services, attempt)
    if (!running) throw new Error('The job has nothing to do')
    expect(await reportExportRunner.step(world.platform.services, running, new AbortController().signal)).toBe('done')
    const { state, result } = await call('get_job', { jobId: job.jobId }, as)
    expect({ state, result }).toEqual({ state: 'succeeded', result: { assetKey: expect.any(String), rows: 6_000 } })
    expect((await bytesOf(result.assetKey, tenant.key)).toString().split('\r\n')).toHaveLength(6_002)
    expect(await refusal('get_asset', { assetKey: result.assetKey }, await tenant.keyWith(['DataView']))).toMatchObject({
      code: 'not_found',
    })
  })

  it('is refused as the report itself is, and its file is as sensitive as what stands in it', async () => {
    expect(await refusal('export_report', { report: 'ByStatus', format: 'csv', params: { leest: 1 } })).toMatchObject({ status: 400 })
    expect(await refusal('export_report', { report: 'Nowhere', format: 'csv' })).toMatchObject({ status: 404 })
    await call('create_report', { internalName: 'Secrets', definitionJson: { primaryEntityId: 'Job', columns: [{ property: 'Secret' }] } })
    const sensitive = async (report: string) => {
      const { assetKey } = await call('export_report', { report, format: 'json' })
      return (await call('get_asset', { assetKey })).isSensitive
    }
    expect([await sensitive('Secrets'), await sensitive('ByStatus')]).toEqual([true, false])
  })

  it('takes the sum of a sensitive value for one, in its file and in the audit log: of one record it is the value', async () => {
    await call('create_property', { internalName: 'Wage', dataType: 'Number', isSensitive: true })
    await call('create_entity', { internalName: 'Worker', properties: [{ property: 'Wage' }] })
    await call('save_instance', { entity: 'Worker', key1: 'W', data: { Wage: 1_000 } })
    const each = { primaryEntityId: 'Worker', groupBy: [{ property: 'key1' }] }
    const told = async (fn: string) => {
      const definitionJson = { ...each, aggregates: [{ fn, property: 'Wage' }] }
      await call('create_report', { internalName: `Wages${fn}`, definitionJson })
      const { assetKey } = await call('export_report', { report: `Wages${fn}`, format: 'json' })
      await call('execute_report_inline', { definitionJson })
      return (await call('get_asset', { assetKey })).isSensitive
    }
    const audited = () => world.sql<{ sensitive: string[] | null }[]>`
      select facts->'sensitive' as sensitive from platform.audit_event where operation = 'execute_report_inline' and facts->'sensitive' ? 'Worker_Wage'`
    expect([await told('COUNT'), await told('SUM')]).toEqual([false, true])
    // What was read is noted behind the answer, of the sum alone.
    await expect.poll(async () => (await audited()).length).toBe(1)
  })

  it('reads long rows in small batches, whatever the rows before them took', async () => {
    await call('create_entity', { internalName: 'Folder', properties: [{ property: 'Title' }] })
    await call('create_entity', { internalName: 'Page', properties: [{ property: 'Title' }] })
    await call('attach_child_entity', { entity: 'Folder', childEntity: 'Page', isList: true })
    await call('save_instance', { entity: 'Folder', key1: 'F', data: { Title: 'x'.repeat(32_000) } })
    const pages = Array.from({ length: 60 }, (_, index) => ({ key1: `P${index}`, parentKey1: 'F', data: { Title: 'p' } }))
    await call('save_instances_bulk', { entity: 'Page', rows: pages })
    const said = {
      primaryEntityId: 'Page',
      joins: [{ entityId: 'Folder', parentEntityId: 'Page', joinType: 'parent' }],
      columns: Array.from({ length: 100 }, (_, index) => ({ entity: 'Folder', property: 'Title', alias: `t${index}` })),
    }
    const batches: { rows: number; characters: number }[] = []
    const { tenantId, tenantUserId } = world.tenant
    const own = { tenantUserId, roleFlag: roleBits.DataView, origin: { kind: 'system' as const, depth: 0 } }
    await inSystemTransaction(
      world.platform.services,
      tenantId,
      async (context) => {
        const ready = await prepareReport(context, await cachedCatalog(context), said, { path: '$', what: 'The report' })
        for await (const batch of readReportRows(context, ready))
          batches.push({ rows: batch.length, characters: batch.reduce((sum, row) => sum + row.length, 0) })
      },
      own as never,
    )
    expect(batches.reduce((sum, { rows }) => sum + rows, 0)).toBe(60)
    expect(batches.length).toBeGreaterThan(1)
    expect(Math.max(...batches.map(({ characters }) => characters))).toBeLessThan(16 * 1024 * 1024)
  })
})

describe('a chart of a report', () => {
  it('shows its groups and numbers, is an asset of the caller, and tells what it shows', async () => {
    const made = await call('chart_report', { report: 'ByStatus' })
    expect(made).toEqual({
      assetKey: expect.any(String),
      mimeType: 'image/svg+xml',
      altText: 'Bar chart: ByStatus. 2 values of Job_Status. jobs: open 2, done 1. cost: open 12.5, done 7.',
      rows: 2,
      totalCount: 2,
    })
    const svg = (await bytesOf(made.assetKey)).toString()
    expect(svg).toContain('<title id="title">ByStatus</title>')
    expect(svg).toContain(made.altText)
    expect(await refusal('get_asset', { assetKey: made.assetKey }, await world.tenant.keyWith(['DataView']))).toMatchObject({
      code: 'not_found',
    })
  })

  it('takes the columns, the type, the title and the size that were asked for', async () => {
    const asked = { report: 'ByStatus', type: 'pie', x: 'job_status', y: ['each'], title: 'Each', format: 'png', width: 400, height: 300 }
    const made = await call('chart_report', asked)
    expect(made).toMatchObject({ mimeType: 'image/png', altText: 'Pie chart: Each. 2 values of Job_Status. each: open 6.25, done 7.' })
    const bytes = await bytesOf(made.assetKey)
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([800, 600])
  })

  it('is refused with the nearest name for a column that the report does not have', async () => {
    const error = await refusal('chart_report', { report: 'ByStatus', y: ['costt'] })
    expect([error.code, error.issues]).toEqual(['invalid_input', [expect.objectContaining({ path: '$.y[0]', suggestion: 'cost' })]])
    expect(await refusal('chart_report', { report: 'ByStatus', type: 'pie', y: ['cost', 'jobs'] })).toMatchObject({ status: 400 })
  })

  it('says that it leaves rows out', async () => {
    const columns = { x: 'x', y: ['n'], series: undefined }
    const wish: ChartWish = { type: 'bar', isStacked: false, title: 'T', languageCode: 'en-US', width: 400, height: 300 }
    const many = Array.from({ length: 700 }, (_, n) => ({ x: `${n}`, n }))
    const large = chartOf(many, columns, wish)
    expect([large.chart.categories.length, large.leftOut]).toEqual([500, 200])
    const split = chartOf(
      [
        { x: 'a', n: 1, s: 'u' },
        { x: 'a', n: 2, s: 'v' },
        { x: 'b', n: 3, s: 'v' },
        { x: 'b', n: 9, s: 'v' },
        { x: null, n: 'none', s: 'u' },
      ],
      { ...columns, series: 's' },
      wish,
    )
    expect(split).toMatchObject({
      leftOut: 1,
      chart: {
        categories: ['a', 'b', '–'],
        series: [
          { name: 'u', values: [1, null, null] },
          { name: 'v', values: [2, 3, null] },
        ],
      },
    })
    const lots = Array.from({ length: 40 }, (_, n) => ({ x: 'a', n, s: `s${n}` }))
    expect(chartOf(lots, { ...columns, series: 's' }, wish)).toMatchObject({ leftOut: 28 })
  })

  it('splits by the second group where there is one number, and a pie does not', () => {
    const of = (type: 'bar' | 'pie') =>
      readColumns(
        [
          { name: 'month', isMeasure: false, isNumber: false },
          { name: 'status', isMeasure: false, isNumber: false },
          { name: 'n', isMeasure: true, isNumber: true },
        ],
        { type },
      ).columns
    expect(of('bar')).toEqual({ x: 'month', y: ['n'], series: 'status' })
    expect(of('pie')).toEqual({ x: 'month', y: ['n'], series: undefined })
  })
})

describe('what a report would cost', () => {
  it('is told without running it: what is read, by which index, and in words', async () => {
    const told = await call('explain_report', { definitionJson: byStatus, params: { least: 5 } })
    expect(told).toMatchObject({ verdict: 'light', cost: expect.any(Number), advice: [] })
    expect(told.reads).toEqual([{ of: 'Job', by: expect.any(String), estimatedRows: expect.any(Number) }])
    expect(told.summary).toMatch(/^This costs little\. Job: .* Nothing needs to be done\.$/)
    const byId = await call('explain_report', {
      definitionJson: {
        primaryEntityId: 'Job',
        columns: [{ property: 'Title' }],
        filters: [{ property: 'eiRecordId', op: 'eq', value: 5 }],
      },
    })
    expect(byId.reads).toEqual([{ of: 'Job', by: 'its id', estimatedRows: expect.any(Number) }])
  })

  it('names what would help: a filter, a shorter range, a job', () => {
    const reads = [{ entity: 'Job', isHistory: false, index: undefined, rows: 500_000 }]
    const heavy = explain({ cost: 900_000, reads }, { isVariance: true, isPast: false }, true)
    expect(heavy.verdict).toBe('heavy')
    expect(heavy.summary).toContain('Job: read one by one, about 500,000 rows.')
    expect(heavy.advice).toHaveLength(3)
  })

  it('is refused as the report would be', async () => {
    const error = await refusal('explain_report', { definitionJson: { primaryEntityId: 'Jobb', columns: [{ property: 'Title' }] } })
    expect([error.status, error.issues?.[0]?.suggestion]).toEqual([400, 'Job'])
  })

  it('tells nobody how many records there are whom access rules keep from seeing them all', async () => {
    const tenant = await world.newTenant()
    const as = { key: tenant.key }
    await call('create_property', { internalName: 'Name', dataType: 'Text' }, as)
    await call('create_entity', { internalName: 'Thing', properties: [{ property: 'Name' }] }, as)
    await call('save_instance', { entity: 'Thing', key1: 'K', data: { Name: 'x' } }, as)
    const filter = { rules: [{ property: 'Name', op: 'eq', value: 'y' }] }
    await call('set_entity_access', { entity: 'Thing', rules: [{ role: 'DataView', read: true, filter }] }, as)
    const definitionJson = {
      primaryEntityId: 'Thing',
      aggregates: [{ fn: 'COUNT' }],
      filters: [{ property: 'Name', op: 'eq', value: 'x' }],
    }
    const told = await call('explain_report', { definitionJson }, { key: await tenant.keyWith(['DataView']) })
    expect(told.cost).toBeNull()
    expect(told.reads.map((one: { estimatedRows: unknown }) => one.estimatedRows)).toEqual([null])
    expect(told.summary).not.toMatch(/\d/)
  })
})
