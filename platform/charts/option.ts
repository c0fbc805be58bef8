/** A chart in the words of the library that draws it. */
import type { EChartsOption, SeriesOption } from 'echarts'

import { type Chart, type ChartSeries, chartLimits } from './chart.types.ts'
import { dashes, decals, palette, symbols } from './palette.ts'

const textStyle = { color: palette.text, fontFamily: 'Liberation Sans, Arial, Helvetica, sans-serif', fontSize: 13 }
/** Points of a line beyond these stand too close to be marked one by one. */
const markedPoints = 60
/** So many categories each have their name, cut to the room that there is; of more only some have. */
const namedCategories = 12
const leastNameWidth = 36
const besideGrid = 120

const isRound = ({ type }: Chart) => type === 'pie' || type === 'donut'

export function optionOf(chart: Chart): EChartsOption {
  const { title, languageCode } = chart
  const number = new Intl.NumberFormat(languageCode, { maximumFractionDigits: 2 })
  const hasLegend = chart.series.length > 1 || isRound(chart)
  const common: EChartsOption = {
    animation: false,
    backgroundColor: palette.ground,
    color: [...palette.series],
    textStyle,
    // Patterns tell areas apart where colours do not: on paper, and for eyes that see them alike.
    aria: { enabled: true, label: { enabled: false }, decal: { show: true, decals } },
    title: {
      text: title,
      left: 'center',
      top: 12,
      textStyle: { ...textStyle, fontSize: 18, width: chart.width - 40, overflow: 'truncate' },
    },
    ...(hasLegend
      ? { legend: { bottom: 8, left: 'center', textStyle, itemWidth: chart.type === 'scatter' ? 14 : 34, itemHeight: 14 } }
      : {}),
  }
  if (isRound(chart)) return { ...common, series: [roundOf(chart, number)] }
  const axis = { nameTextStyle: textStyle, axisLine: { show: true, lineStyle: { color: palette.quietText } } }
  return {
    ...common,
    grid: { left: 24, right: 24, top: 64, bottom: hasLegend ? 64 : 32, outerBoundsMode: 'same', outerBoundsContain: 'all' },
    xAxis: {
      ...axis,
      type: 'category',
      name: chart.categoryName,
      nameLocation: 'middle',
      data: [...chart.categories],
      boundaryGap: chart.type === 'bar' || chart.type === 'scatter',
      axisLabel: { ...textStyle, overflow: 'truncate', ...namesOf(chart) },
    },
    yAxis: {
      ...axis,
      type: 'value',
      name: chart.valueName,
      nameLocation: 'middle',
      axisLabel: { ...textStyle, formatter: (value: number) => number.format(value) },
      splitLine: { lineStyle: { color: palette.grid } },
    },
    series: chart.series.map((one, index) => flatOf(chart, one, index)),
  }
}

function namesOf({ categories, width }: Chart) {
  if (categories.length > namedCategories) return { width: 140, hideOverlap: true }
  return { interval: 0, width: Math.max(leastNameWidth, (width - besideGrid) / Math.max(1, categories.length) - 8) }
}

function flatOf(chart: Chart, { name, values }: ChartSeries, index: number): SeriesOption {
  const data = values.map((value) => value ?? '-')
  const stack = chart.isStacked ? { stack: 'all' } : {}
  const symbol = symbols[index % symbols.length] ?? 'circle'
  switch (chart.type) {
    case 'bar':
      return { type: 'bar', name, data, ...stack, barMaxWidth: 80 }
    case 'scatter':
      return { type: 'scatter', name, data, symbol, symbolSize: 9 }
    default: {
      const dash = dashes[index % dashes.length] ?? 'solid'
      return {
        type: 'line',
        name,
        data,
        ...stack,
        symbol,
        symbolSize: 8,
        showSymbol: values.length <= markedPoints,
        lineStyle: { width: 2.5, type: typeof dash === 'string' ? dash : [...dash] },
        ...(chart.type === 'area' ? { areaStyle: { opacity: 0.45 } } : {}),
      }
    }
  }
}

/** The largest slices by themselves, the rest as one: more of them nobody tells apart. */
function roundOf(chart: Chart, number: Intl.NumberFormat): SeriesOption {
  const [series] = chart.series
  const slices = chart.categories
    .map((name, index) => ({ name, value: series?.values[index] ?? 0 }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value)
  const most = chartLimits.slices
  const rest = slices.slice(most - 1)
  const shown =
    slices.length <= most
      ? slices
      : [...slices.slice(0, most - 1), { name: `${rest.length} others`, value: rest.reduce((sum, { value }) => sum + value, 0) }]
  return {
    type: 'pie',
    name: series?.name ?? '',
    radius: chart.type === 'donut' ? ['38%', '62%'] : '62%',
    center: ['50%', '50%'],
    data: shown,
    itemStyle: { borderColor: palette.ground, borderWidth: 2 },
    label: {
      ...textStyle,
      formatter: ({ name, value, percent }) => `${name}: ${number.format(Number(value))} (${number.format(percent ?? 0)} %)`,
    },
  }
}
