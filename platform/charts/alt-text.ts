/** What a chart shows, in words: for a screen reader, a message without pictures, and an agent. */
import { type Chart, chartLimits } from './chart.types.ts'

type Told = Pick<Chart, 'type' | 'title' | 'categories' | 'series' | 'categoryName' | 'languageCode'>

const nouns = {
  bar: 'Bar chart',
  line: 'Line chart',
  area: 'Area chart',
  pie: 'Pie chart',
  donut: 'Donut chart',
  scatter: 'Scatter chart',
} as const

const tellsSeries = 4
const tellsAllUpTo = 6

/** No more of a name than a chart shows, on one line, and nothing that XML does not take. */
export function shownName(text: string, most: number = chartLimits.nameCharacters): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\ufffe\uffff]+/gu, ' ')
    .trim()
  return clean.length > most
    ? `${clean
        .slice(0, most - 1)
        .toWellFormed()
        .trimEnd()}…`
    : clean
}

export function altTextOf(chart: Told): string {
  const { type, title, categories, series, categoryName, languageCode } = chart
  const number = new Intl.NumberFormat(languageCode, { maximumFractionDigits: 2 })
  const head = `${nouns[type]}: ${title}.`
  if (categories.length === 0 || series.length === 0) return `${head} There is nothing to show.`
  const sentences = series.slice(0, tellsSeries).map(({ name, values }) => {
    const known = values.flatMap((value, index) => (value === null ? [] : [{ value, at: categories[index] ?? '' }]))
    const [first] = known
    if (!first) return `${name}: no values.`
    if (known.length <= tellsAllUpTo) return `${name}: ${known.map(({ value, at }) => `${at} ${number.format(value)}`).join(', ')}.`
    const high = known.reduce((a, b) => (b.value > a.value ? b : a), first)
    const low = known.reduce((a, b) => (b.value < a.value ? b : a), first)
    return `${name}: from ${number.format(low.value)} (${low.at}) to ${number.format(high.value)} (${high.at}).`
  })
  const others = series.length > tellsSeries ? ` ${series.length - tellsSeries} more series.` : ''
  const count = `${number.format(categories.length)} ${categories.length === 1 ? 'value' : 'values'} of ${categoryName}.`
  return `${head} ${count} ${sentences.join(' ')}${others}`
}
