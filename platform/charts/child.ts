/** The child process that draws: it lays out and paints what a tenant's records say, knows no secret, and can be killed at any time. */
import { createRequire } from 'node:module'

import type * as Echarts from 'echarts'
import sharp from 'sharp'

import { liveInBackground } from '#platform/child-process.ts'

import { type Chart, type ChartFormat, chartLimits } from './chart.types.ts'
import { optionOf } from './option.ts'

export interface DrawingTask {
  readonly chart: Chart
  readonly format: ChartFormat
}

export type DrawingAnswer = { readonly bytes: Uint8Array } | { readonly said: string }

if (process.send === undefined) throw new Error('This file is started by drawing.ts.')
liveInBackground()

// One file instead of some hundred, which a start would read one by one.
const echarts = createRequire(import.meta.url)('echarts') as typeof Echarts

const dotsOfOne = 72

/** Pixels of a PNG for each of the chart's: two are sharp on a screen of today. Of a fraction each square of a pattern would be painted by itself. */
function densityOf({ width, height }: Chart): number {
  return width * height * 4 > chartLimits.sharpPixels ? 1 : 2
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function svgOf(chart: Chart): string {
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, width: chart.width, height: chart.height })
  try {
    drawing.setOption(optionOf(chart))
    const svg = drawing.renderToSVGString()
    const words = `<title id="title">${escaped(chart.title)}</title><desc id="desc">${escaped(chart.altText)}</desc>`
    return svg.replace(/^<svg ([^>]*)>/, (_, attributes: string) => `<svg role="img" aria-labelledby="title desc" ${attributes}>${words}`)
  } finally {
    drawing.dispose()
  }
}

async function draw({ chart, format }: DrawingTask): Promise<Uint8Array> {
  const svg = Buffer.from(svgOf(chart))
  return format === 'svg'
    ? svg
    : sharp(svg, { density: dotsOfOne * densityOf(chart) })
        .flatten({ background: '#ffffff' })
        .png()
        .toBuffer()
}

process.on('message', (task: DrawingTask) => {
  void draw(task)
    .then((bytes): DrawingAnswer => ({ bytes }))
    .catch((error: unknown): DrawingAnswer => ({ said: error instanceof Error ? (error.stack ?? error.message) : String(error) }))
    .then((answer) => process.send?.(answer))
})
process.send('ready')
