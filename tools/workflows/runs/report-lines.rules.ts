/** Rows of a report as lines of a message: what a person reads at a glance. */
import { newBudget } from '#platform/tokens/budget.ts'
import { formatNumber, formatTimeValue } from '#platform/tokens/formatting.ts'
import { type Rendering, renderingOf } from '#platform/tokens/rendering.ts'
import { textOf } from '#platform/tokens/values.ts'

import { isObject, listIn } from './steps.rules.ts'

const mostLines = 20
const mostCharacters = 3_000
const mostOfValue = 200
const noValue = '–'

type Budget = ReturnType<typeof newBudget>

function wordsOf(value: unknown, rendering: Rendering, budget: Budget): string {
  if (Array.isArray(value))
    return value
      .slice(0, mostLines)
      .map((one) => wordsOf(one, rendering, budget))
      .join(', ')
  if (typeof value === 'number') return formatNumber(value, { maximumFractionDigits: 15 }, rendering, budget)
  if (typeof value === 'boolean') return value ? '✓' : '✗'
  const time = formatTimeValue(value, { shows: 'datetime', style: undefined, zone: undefined }, rendering, budget)
  const text = time ?? textOf(value, budget).replaceAll(/\s+/g, ' ').trim()
  return text === '' ? noValue : text
}

const cut = (text: string) => (text.length > mostOfValue ? `${text.slice(0, mostOfValue - 1)}…` : text)

/** The first rows, their values behind each other, and how many more there are; in the language and zone of whoever reads them. */
export function linesOf(
  rows: readonly unknown[],
  totalCount: number,
  { languageCode, timeZone }: { readonly languageCode: string; readonly timeZone: string },
): string {
  const budget = newBudget()
  const rendering = renderingOf({ locale: languageCode || 'en-US', timeZone: timeZone || 'UTC', nowMs: 0 })
  const lines: string[] = []
  let left = mostCharacters
  for (const row of listIn(rows).slice(0, mostLines)) {
    const data = isObject(row) && isObject(row['data']) ? row['data'] : {}
    const line = Object.values(data)
      .map((value) => cut(wordsOf(value, rendering, budget)))
      .join(' · ')
      .slice(0, mostCharacters)
    left -= line.length + 1
    if (left < 0) break
    lines.push(line)
  }
  const more = totalCount - lines.length
  if (rows.length === 0) return noValue
  return [...lines, ...(more > 0 ? [`+ ${formatNumber(more, {}, rendering, budget)}`] : [])].join('\n')
}
