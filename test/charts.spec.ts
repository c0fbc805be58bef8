/** Charts: what they show and say, how they are told apart without colours, and that drawing one holds nobody up. */
import { SaxesParser } from 'saxes'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { altTextOf, shownName } from '#platform/charts/alt-text.ts'
import { type Chart, chartLimits, type ChartType, chartTypes } from '#platform/charts/chart.types.ts'
import { drawChart } from '#platform/charts/drawing.ts'
import { palette } from '#platform/charts/palette.ts'
import { loadConfig } from '#platform/config.ts'

import { leastMs, longestTurn, turnLimitMs } from './support/turns.ts'

const { cacheDir } = loadConfig()

function chartOf(type: ChartType, more: Partial<Chart> = {}): Chart {
  const chart = {
    type,
    title: 'Cost by status',
    categories: ['open', 'waiting', 'closed'],
    series: [
      { name: 'Cost', values: [1_200.5, null, 300] },
      { name: 'Hours', values: [40, 12, 7] },
    ],
    categoryName: 'Status',
    valueName: 'Sum',
    isStacked: false,
    languageCode: 'de-DE',
    width: 800,
    height: 450,
    ...more,
  }
  return { ...chart, altText: altTextOf(chart), ...more }
}

async function svgOf(chart: Chart): Promise<string> {
  return Buffer.from(await drawChart({ chart, format: 'svg' }, { caller: '1', cacheDir })).toString()
}

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  text: string
}

/** Its elements in order. Throws where it is no XML. */
function elementsOf(svg: string): Element[] {
  const elements: Element[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => void elements.push({ name, attributes, text: '' }))
  parser.on('text', (text) => {
    const last = elements.at(-1)
    if (last) last.text += text
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.write(svg).close()
  return elements.map((one) => ({ ...one, text: one.text.trim() }))
}

describe('a chart', () => {
  it.each(chartTypes)('of the type %s is an SVG that says what it is and what it shows', async (type) => {
    const chart = chartOf(type)
    const elements = elementsOf(await svgOf(chart))
    expect(elements[0]).toMatchObject({ name: 'svg', attributes: { role: 'img', 'aria-labelledby': 'title desc' } })
    expect(elements.find(({ name }) => name === 'title')?.text).toBe('Cost by status')
    expect(elements.find(({ name }) => name === 'desc')?.text).toBe(chart.altText)
    const texts = elements.filter(({ name }) => name === 'text').map(({ text }) => text)
    expect(texts.some((text) => text.includes('open'))).toBe(true)
  })

  it('shows names as they are, whatever they hold, and nothing that a page would run', async () => {
    const name = '<script>alert(1)</script> & "b" ]]>'
    const chart = chartOf('bar', { title: name, categories: [shownName('a\u0000b\ud800c'), 'x', name] })
    const elements = elementsOf(await svgOf(chart))
    expect(elements.filter((one) => one.name === 'script')).toEqual([])
    expect(elements.find((one) => one.name === 'title')?.text).toBe(name)
    expect(elements.some(({ text }) => text.startsWith('a b'))).toBe(true)
  })

  it.each(['bar', 'area', 'pie', 'donut'] as const)('of the type %s has patterns, so that it can be read without colours', async (type) => {
    const patterns = elementsOf(await svgOf(chartOf(type))).filter(({ name }) => name === 'pattern')
    expect(patterns.length).toBeGreaterThan(1)
    // What is rotated takes seconds to be painted.
    expect(patterns.filter(({ attributes }) => (attributes['patternTransform'] ?? '').includes('rotate'))).toEqual([])
  })

  it('of lines has another dash for each, so that they can be told apart without colours', async () => {
    const dashed = elementsOf(await svgOf(chartOf('line')))
      .filter(({ name, attributes }) => name === 'path' && attributes['stroke-width'] === '2.5' && attributes['fill'] === 'none')
      .map(({ attributes }) => attributes['stroke-dasharray'])
    expect(new Set(dashed).size).toBe(2)
  })

  it('as a PNG is sharp, opaque and has its texts painted, whatever fonts the machine has', async () => {
    const draw = async (title: string) => {
      const bytes = await drawChart({ chart: chartOf('bar', { title }), format: 'png' }, { caller: '1', cacheDir })
      return sharp(bytes)
    }
    const picture = await draw('Cost by status')
    expect(await picture.metadata()).toMatchObject({ format: 'png', width: 1_600, height: 900, hasAlpha: false })
    const area = { left: 400, top: 20, width: 800, height: 50 }
    const darkness = async (title: string) => {
      const { data } = await (await draw(title)).extract(area).greyscale().raw().toBuffer({ resolveWithObject: true })
      return data.reduce((sum, value) => sum + (value < 128 ? 1 : 0), 0)
    }
    // Boxes in the place of letters would be alike.
    expect(await darkness('')).toBe(0)
    expect(await darkness('iiii')).toBeGreaterThan(0)
    expect(await darkness('iiii')).toBeLessThan((await darkness('WWWW')) / 2)
  })

  it('as a PNG of any size is painted, with fewer pixels for each of its own where it is very large', async () => {
    const sized = async (width: number, height: number) => {
      const series = Array.from({ length: 6 }, (_, at) => ({ name: `Series ${at}`, values: [9 - at, 9 - at, 9 - at] }))
      const bytes = await drawChart({ chart: chartOf('area', { width, height, series }), format: 'png' }, { caller: '1', cacheDir })
      const picture = await sharp(bytes).metadata()
      return [picture.width, picture.height]
    }
    expect(await sized(1_920, 1_080)).toEqual([3_840, 2_160])
    expect(await sized(1_921, 1_080)).toEqual([1_921, 1_080])
    expect(await sized(chartLimits.side, chartLimits.side)).toEqual([chartLimits.side, chartLimits.side])
  })

  it('that is as large as one may be holds up nobody', async () => {
    const categories = Array.from({ length: chartLimits.marks / chartLimits.series }, (_, index) => `Category ${index}`)
    const series = Array.from({ length: chartLimits.series }, (_, at) => ({
      name: `Series ${at}`,
      values: categories.map((_name, index) => at * index),
    }))
    const draw = async () => {
      const { result, ms } = await longestTurn(() => svgOf(chartOf('bar', { categories, series })))
      expect(result.length).toBeGreaterThan(100_000)
      return ms
    }
    expect(await leastMs(draw)).toBeLessThan(turnLimitMs)
  })

  it('is drawn for several tenants at once, one after the other', async () => {
    const drawn = await Promise.all(
      ['1', '2', '3'].map((caller) => drawChart({ chart: chartOf('pie'), format: 'svg' }, { caller, cacheDir })),
    )
    expect(drawn.map((bytes) => bytes.length > 1_000)).toEqual([true, true, true])
  })
})

describe('what a chart shows, in words', () => {
  const told = (more: Partial<Chart>) => altTextOf(chartOf('bar', more))

  it('is every value where there are few, and the least and the greatest where there are many', () => {
    expect(told({})).toBe(
      'Bar chart: Cost by status. 3 values of Status. Cost: open 1.200,5, closed 300. Hours: open 40, waiting 12, closed 7.',
    )
    const categories = Array.from({ length: 30 }, (_, index) => `Day ${index + 1}`)
    const values = categories.map((_, index) => (index * 7) % 30)
    expect(told({ categories, series: [{ name: 'Jobs', values }], languageCode: 'en-US' })).toBe(
      'Bar chart: Cost by status. 30 values of Status. Jobs: from 0 (Day 1) to 29 (Day 18).',
    )
    expect(told({ categories: [], series: [] })).toBe('Bar chart: Cost by status. There is nothing to show.')
  })

  it('stays short, however many series there are', () => {
    const series = Array.from({ length: 12 }, (_, index) => ({ name: `S${index}`, values: [1, 2, 3] }))
    expect(told({ series })).toContain('8 more series.')
  })
})

it('has colours that stand out from the ground', () => {
  const light = (hex: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const contrast = (hex: string) => (light(palette.ground) + 0.05) / (light(hex) + 0.05)
  expect(palette.series).toHaveLength(chartLimits.series)
  for (const colour of palette.series) expect(contrast(colour), colour).toBeGreaterThan(3)
  for (const colour of [palette.text, palette.quietText]) expect(contrast(colour), colour).toBeGreaterThan(4.5)
})
