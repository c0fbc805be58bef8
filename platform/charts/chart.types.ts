/** A chart as it is asked for: what is shown, and how large. */

export const chartTypes = ['bar', 'line', 'area', 'pie', 'donut', 'scatter'] as const
export type ChartType = (typeof chartTypes)[number]

export const chartFormats = ['svg', 'png'] as const
export type ChartFormat = (typeof chartFormats)[number]

export interface ChartSeries {
  readonly name: string
  /** One for each category; null where there is none. */
  readonly values: readonly (number | null)[]
}

export interface Chart {
  readonly type: ChartType
  readonly title: string
  /** What it shows, for those who do not see it. */
  readonly altText: string
  readonly categories: readonly string[]
  /** A pie has one. */
  readonly series: readonly ChartSeries[]
  readonly categoryName: string
  readonly valueName: string
  /** One series on the other. */
  readonly isStacked: boolean
  /** Of numbers: `de-DE`. */
  readonly languageCode: string
  readonly width: number
  readonly height: number
}

/** What one chart may hold: a screen shows no more of it, and drawing it takes tenths of a second. */
export const chartLimits = {
  categories: 500,
  series: 12,
  marks: 3_000,
  slices: 24,
  nameCharacters: 80,
  titleCharacters: 200,
  side: 4_000,
  /** Of a PNG that has two for each of the chart's; a larger one has one, so that it is painted in a second or two. */
  sharpPixels: 3_840 * 2_160,
} as const
