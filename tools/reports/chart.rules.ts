/** Which columns of a report a chart is of, and what its rows come to in it. */
import { altTextOf, shownName } from '#platform/charts/alt-text.ts'
import { type Chart, chartLimits, type ChartSeries, type ChartType } from '#platform/charts/chart.types.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'

/** A column of the result, as far as a chart asks. */
export interface ChartColumn {
  readonly name: string
  /** A measure, and nothing that rows are grouped by. */
  readonly isMeasure: boolean
  readonly isNumber: boolean
}

export interface ChartWish {
  readonly type: ChartType
  readonly x?: string | undefined
  readonly y?: readonly string[] | undefined
  readonly series?: string | undefined
  readonly isStacked: boolean
  readonly title: string
  readonly languageCode: string
  readonly width: number
  readonly height: number
}

export interface ChartColumns {
  readonly x: string
  readonly y: readonly string[]
  /** Whose values each have a series of their own. */
  readonly series: string | undefined
}

const isRound = (type: ChartType) => type === 'pie' || type === 'donut'

/** The columns that were asked for, else the first that rows are grouped by and the measures. */
export function readColumns(
  columns: readonly ChartColumn[],
  wish: Pick<ChartWish, 'type' | 'x' | 'y' | 'series'>,
): { readonly columns: ChartColumns | undefined; readonly findings: readonly Finding[] } {
  const names = columns.map(({ name }) => name)
  const findings: Finding[] = []
  const named = (name: string, path: string): string => {
    const found = names.find((one) => one.toLowerCase() === name.toLowerCase())
    if (found === undefined)
      findings.push(
        finding(path, `The report has no column ${quoted(name)}. It has ${names.join(', ').slice(0, 500)}.`, {
          suggestion: nearest(name, names),
        }),
      )
    return found ?? name
  }
  const labels = columns.filter((one) => !one.isMeasure)
  const x = wish.x === undefined ? (labels[0]?.name ?? names[0]) : named(wish.x, '$.x')
  const y =
    wish.y === undefined
      ? columns
          .flatMap((one) => (one.isMeasure && one.isNumber && one.name !== x ? one.name : []))
          .slice(0, isRound(wish.type) ? 1 : chartLimits.series)
      : wish.y.map((name, index) => named(name, `$.y[${index}]`))
  const [, second] = labels
  const splits = wish.series === undefined && wish.x === undefined && wish.y === undefined && y.length === 1 && !isRound(wish.type)
  const series = wish.series === undefined ? (splits ? second?.name : undefined) : named(wish.series, '$.series')
  if (x === undefined || y.length === 0)
    findings.push(
      finding('$.y', `The report has no column of numbers beside ${quoted(x ?? '')}. Name one in y, or give the report an aggregate.`),
    )
  if (y.length > 1 && isRound(wish.type)) findings.push(finding('$.y', `A ${wish.type} shows one column. Name one.`))
  if (series !== undefined && isRound(wish.type))
    findings.push(finding('$.series', `A ${wish.type} has one series. Leave series out, or ask for bars.`))
  if (series !== undefined && y.length > 1)
    findings.push(finding('$.series', 'Rows are split by a column where there is one y. Name one y, or leave series out.'))
  return findings.length > 0 || x === undefined ? { columns: undefined, findings } : { columns: { x, y, series }, findings: [] }
}

type Row = Readonly<Record<string, unknown>>

const none = '–'

function labelOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return none
  if (Array.isArray(value)) return shownName(value.map(String).join(', '))
  return shownName(typeof value === 'string' ? value : JSON.stringify(value))
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** The chart of these rows, and how many of them it leaves out: more than it may hold, and second ones of the same place. */
export function chartOf(
  rows: readonly Row[],
  { x, y, series: split }: ChartColumns,
  wish: ChartWish,
): { readonly chart: Chart; readonly leftOut: number } {
  const categories = new Map<string, number>()
  const series = new Map<string, (number | null)[]>()
  const most = Math.min(chartLimits.categories, Math.floor(chartLimits.marks / Math.max(1, split === undefined ? y.length : 1)))
  let marks = 0
  let leftOut = 0
  for (const [index, row] of rows.entries()) {
    // Rows of a report that is not split each have a place of their own, whatever they are called.
    const key = split === undefined ? String(index) : labelOf(row[x])
    const at = categories.get(key) ?? categories.size
    const of = split === undefined ? y : [labelOf(row[split])]
    const isFull =
      at >= most || marks + of.length > chartLimits.marks || of.some((name) => !series.has(name) && series.size >= chartLimits.series)
    if (isFull || (split !== undefined && series.get(of[0] ?? '')?.[at] !== undefined)) {
      leftOut++
      continue
    }
    categories.set(key, at)
    marks += of.length
    of.forEach((name) => {
      const values = series.get(name) ?? []
      values[at] = numberOf(row[split === undefined ? name : (y[0] ?? '')])
      series.set(name, values)
    })
  }
  const names = [...categories.keys()].map((key) => (split === undefined ? labelOf(rows[Number(key)]?.[x]) : key))
  const shown: ChartSeries[] = [...series].map(([name, values]) => ({
    name: shownName(name),
    values: names.map((_, at) => values[at] ?? null),
  }))
  const told = {
    type: wish.type,
    title: shownName(wish.title, chartLimits.titleCharacters),
    categories: names,
    series: shown,
    categoryName: shownName(x),
    languageCode: wish.languageCode,
  }
  const chart: Chart = {
    ...told,
    altText: altTextOf(told),
    valueName: y.length === 1 ? shownName(y[0] ?? '') : '',
    isStacked: wish.isStacked,
    width: wish.width,
    height: wish.height,
  }
  return { chart, leftOut }
}
