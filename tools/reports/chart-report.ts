import { Readable } from 'node:stream'

import { z } from 'zod'

import { chartFormats, chartLimits, chartTypes } from '#platform/charts/chart.types.ts'
import { drawChart } from '#platform/charts/drawing.ts'
import { defineStagedOperation, type TxContext, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { createAssetFromStream, ownerOf } from '#tools/assets/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { fileNameOf } from '#tools/exports/service.ts'

import { type ChartColumn, chartOf, readColumns } from './chart.rules.ts'
import { isSensitiveRun } from './exporting.ts'
import { reportSlot, runInput } from './reports.schema.ts'
import { prepareRun, runPage, type RunnableReport } from './running.ts'
import { soundReport } from './shown.ts'

const column = z.string().min(1).max(200)
const side = z.int().min(200).max(chartLimits.side)
const mimeTypes = { svg: 'image/svg+xml', png: 'image/png' } as const
const usualWidth = 960
const usualHeight = 540
// Of rows that a chart may hold.
const mostBytes = 2 * 1024 * 1024

function columnsOf({ ready, computed }: RunnableReport): ChartColumn[] {
  const { outputs, variance, isGrouped } = ready.report
  return [
    ...(variance ? [{ name: 'snapshotDate', isMeasure: false, isNumber: false }] : []),
    ...outputs.map(({ name, made, result }) => {
      const isNumber = (result.dataType === 'Number' || result.dataType === 'Currency') && result.of?.isList !== true
      return { name, isNumber, isMeasure: made.kind === 'aggregate' || (!isGrouped && isNumber) }
    }),
    ...computed.map(({ alias }) => ({ name: alias, isMeasure: true, isNumber: false })),
  ]
}

export const chartReport = defineStagedOperation({
  ...writes(
    z.object({
      assetKey: z.uuid(),
      mimeType: z.enum(['image/svg+xml', 'image/png']),
      altText: z.string().describe('What it shows, in words'),
      rows: z.int().describe('Shown'),
      totalCount: z.int(),
      truncated: z.literal(true).optional().describe('Rows are left out; narrow the report, or name fewer columns'),
    }),
  ),
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'chart_report',
  title: 'Draw a chart of a report',
  description:
    'Draws the rows of a report as a chart, kept as an asset of yours, and tells in altText what it shows. Without x, y and series it takes the groups and the numbers of the report. download_asset gives the picture.',
  method: 'POST',
  path: '/api/v1/reports/{report}/chart',
  roles: 'DataView',
  input: z.object({
    report: reportSlot,
    params: runInput.params,
    type: z.enum(chartTypes).optional().describe('bar unless told'),
    x: column.optional().describe('Column along the axis, or of the slices'),
    y: z.array(column).min(1).max(chartLimits.series).optional().describe('Columns of numbers'),
    series: column.optional().describe('Column whose values each become a series'),
    stacked: z.boolean().optional().describe('One series on the other'),
    title: z.string().min(1).max(chartLimits.titleCharacters).optional().describe('The name of the report unless told'),
    format: z.enum(chartFormats).optional().describe('svg unless told'),
    width: side.optional().describe('960 unless told'),
    height: side.optional().describe('540 unless told'),
  }),
  examples: [
    {
      title: 'Hours by status, as a picture for a message',
      input: { report: 'HoursByStatus', type: 'bar', x: 'WorkOrder_Status', y: ['hours'], format: 'png' },
      output: {
        assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10',
        mimeType: 'image/png',
        altText: 'Bar chart: HoursByStatus. 2 values of WorkOrder_Status. hours: open 40.5, done 12.',
        rows: 2,
        totalCount: 2,
      },
    },
  ],
  async stagedHandler(context, input) {
    const { type = 'bar', format = 'svg', x, y, series } = input
    const read = async (inner: TxContext) => {
      const catalog = await cachedCatalog(inner)
      const sound = await soundReport(inner, catalog, input.report)
      const run = await prepareRun(inner, catalog, sound, input)
      const { columns, findings } = readColumns(columnsOf(run), { type, x, y, series })
      refuseErrors(findings, 'The chart', 'drawn')
      if (!columns) throw new Error('A chart without findings has no columns')
      const found = await runPage(inner, run, { page: 1, pageSize: chartLimits.marks }, mostBytes)
      // The statement wrote them.
      const rows = (JSON.parse(found.rows) as { data: Record<string, unknown>; snapshotDate?: string }[]).map((row) =>
        row.snapshotDate === undefined ? row.data : { ...row.data, snapshotDate: row.snapshotDate },
      )
      const { internalName } = sound.row
      const wish = {
        type,
        isStacked: input.stacked === true,
        title: input.title ?? internalName,
        languageCode: run.at.rendering.locale,
        width: input.width ?? usualWidth,
        height: input.height ?? usualHeight,
      }
      const drawn = chartOf(rows, columns, wish)
      return {
        ...drawn,
        shown: rows.length - drawn.leftOut,
        total: found.totalCount,
        isSensitive: isSensitiveRun(run),
        internalName,
        at: inner.stamp,
      }
    }
    const made = await context.inTransaction(read)
    const { services, tenantId, signal } = context
    const bytes = await drawChart({ chart: made.chart, format }, { caller: String(tenantId), cacheDir: services.config.cacheDir, signal })
    const mimeType = mimeTypes[format]
    const { assetKey } = await createAssetFromStream(
      ownerOf(context),
      {
        fileName: `${fileNameOf(made.internalName, made.at)}.${format}`,
        title: made.chart.title,
        mimeType,
        isSensitive: made.isSensitive,
        isPrivate: true,
      },
      { stream: Readable.from([Buffer.from(bytes)]) },
    )
    context.audit({ assetKey, rows: made.shown })
    const truncated = made.shown < made.total ? { truncated: true as const } : {}
    return { assetKey, mimeType, altText: made.chart.altText, rows: made.shown, totalCount: made.total, ...truncated }
  },
})
