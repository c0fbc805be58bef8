/** What each filter makes of a value. A filter that does not fit a value leaves it as it is; nothing throws but a value that grows too large. */
import { type Budget, made, spend } from './budget.ts'
import { isSafeAddress } from './escape.ts'
import { decimals, formatBytes, formatNumber, formatRelative, formatTimeValue, formatUnits, type TimeStyle } from './formatting.ts'
import { formatterOf, type Rendering } from './rendering.ts'
import { signatureOf } from './signatures.ts'
import type { Argument, FilterCall } from './template.ts'
import { clean, isEmpty, isLink, isObject, joined, jsonOf, linkTo, textOf } from './values.ts'

interface Run {
  readonly rendering: Rendering
  readonly budget: Budget
  /** The names that led here, for labels. */
  readonly names: readonly string[]
}

type Apply = (value: unknown, args: readonly Argument[], run: Run) => unknown

/** A value, and the names that lead to it. */
export interface Filtered {
  readonly value: unknown
  readonly names: readonly string[]
}

function ofNumber(format: (value: number, args: readonly Argument[], run: Run) => unknown): Apply {
  return (value, args, run) => (typeof value === 'number' && Number.isFinite(value) ? format(value, args, run) : value)
}

function ofText(format: (text: string, args: readonly Argument[], run: Run) => unknown): Apply {
  return (value, args, run) => (value === null || isObject(value) ? value : format(textOf(value, run.budget), args, run))
}

function ofTime(shows: TimeStyle['shows']): Apply {
  // The styles and the zone were checked when the token was read.
  return (value, [style, zone], { rendering, budget }) =>
    formatTimeValue(value, { shows, style: style as TimeStyle['style'], zone: zone as string | undefined }, rendering, budget) ?? value
}

/** A whole number of decimals, which the check of the arguments saw to. */
const digitsOf = (argument: Argument | undefined) => (typeof argument === 'number' ? argument : undefined)

const yesAndNo: Readonly<Record<string, readonly [string, string]>> = {
  en: ['Yes', 'No'],
  de: ['Ja', 'Nein'],
  fr: ['Oui', 'Non'],
  es: ['Sí', 'No'],
}

function isYes(value: unknown): boolean {
  return (
    value === true ||
    (typeof value === 'number' && value !== 0) ||
    (typeof value !== 'boolean' && typeof value !== 'number' && !isEmpty(value))
  )
}

/** The first characters as a reader counts them, where the text has more than so many; what stands for the rest counts too. */
function truncated(text: string, most: number, rest: string, { rendering, budget }: Run): string {
  if (text.length <= most) return text
  const ellipsis = rest.length < most ? rest : ''
  const room = most - ellipsis.length
  const { locale } = rendering
  const segmenter = formatterOf(budget, 'segments', locale, {}, () => new Intl.Segmenter(locale))
  // One reader's character may take many of ours; past some the rest is cut.
  const graphemes = segmenter.segment(text.slice(0, most * 10 + 100))
  let [shown, end, keep] = [0, 0, 0]
  for (const { segment } of graphemes) {
    spend(budget, 20)
    shown++
    end += segment.length
    if (shown === room) keep = end
    if (shown > most) return made(budget, text.slice(0, keep) + ellipsis)
  }
  return end === text.length ? text : made(budget, text.slice(0, keep) + ellipsis)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isEmpty(value) ? [] : [value]
}

function pluckFrom(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null
}

function pluck(value: unknown, name: string, { budget }: Run): unknown {
  if (!Array.isArray(value)) return isObject(value) ? pluckFrom(value, name) : value
  spend(budget, value.length)
  return value.map((one) => pluckFrom(one, name))
}

function sum(value: unknown, args: readonly Argument[], run: Run): number | null {
  const list = listOf(args.length === 0 ? value : pluck(value, String(args[0]), run))
  spend(run.budget, list.length)
  const total = clean(list.reduce<number>((all, one) => (typeof one === 'number' ? all + one : all), 0))
  return Number.isFinite(total) ? total : null
}

function mapped(value: unknown, args: readonly Argument[], { budget }: Run): unknown {
  const text = textOf(value, budget)
  spend(budget, args.length)
  for (let n = 0; n + 1 < args.length; n += 2) if (String(args[n]) === text) return args[n + 1]
  return args.length % 2 === 1 ? args.at(-1) : value
}

function masked(text: string, shown: number): string {
  const characters = Array.from(text.slice(-2 * shown - 2))
  // Of a short text the end would tell too much, and the number of dots never tells its length.
  return text === '' ? '' : `••••••••${shown > 0 && text.length >= 2 * shown ? characters.slice(-shown).join('') : ''}`
}

const applied: Readonly<Record<string, Apply>> = {
  date: ofTime('date'),
  time: ofTime('time'),
  datetime: ofTime('datetime'),
  relative: (value, _, { rendering, budget }) => formatRelative(value, rendering, budget) ?? value,
  number: ofNumber((value, [digits], { rendering, budget }) => formatNumber(value, decimals(digitsOf(digits), 0, 20), rendering, budget)),
  currency: ofNumber((value, [code, digits], { rendering, budget }) => {
    const own = digits === undefined ? {} : decimals(digitsOf(digits), 0, 0)
    return formatNumber(value, { style: 'currency', currency: String(code), ...own }, rendering, budget)
  }),
  percent: ofNumber((value, [digits], { rendering, budget }) =>
    formatNumber(value, { style: 'percent', ...decimals(digitsOf(digits), 0, 2) }, rendering, budget),
  ),
  bytes: ofNumber((value, _, { rendering, budget }) => formatBytes(value, rendering, budget)),
  upper: ofText((text, _, { rendering, budget }) => made(budget, text.toLocaleUpperCase(rendering.locale))),
  lower: ofText((text, _, { rendering, budget }) => made(budget, text.toLocaleLowerCase(rendering.locale))),
  trim: ofText((text, _, { budget }) => made(budget, text.trim())),
  truncate: ofText((text, [most, ellipsis = '…'], run) => truncated(text, Number(most), String(ellipsis), run)),
  default: (value, [other]) => (isEmpty(value) ? other : value),
  label: (value, _, { rendering, names }) => (typeof value === 'string' ? (rendering.labelOf?.(names, value) ?? value) : value),
  map: mapped,
  yesno(value, args, { rendering }) {
    const [yes, no] = yesAndNo[rendering.locale.slice(0, 2)] ?? ['Yes', 'No']
    if (args.length === 3 && isEmpty(value)) return args[2]
    return isYes(value) ? (args[0] ?? yes) : (args[1] ?? no)
  },
  count: (value) => listOf(value).length,
  sum,
  join: (value, [separator = ', ', last = separator], { budget }) =>
    Array.isArray(value) ? joined(value, String(separator), String(last), budget) : value,
  pluck: (value, [name], run) => pluck(value, String(name), run),
  link(value, [label], { budget }) {
    const url = isLink(value) ? value.url : typeof value === 'string' ? value : ''
    return isSafeAddress(url) ? linkTo(url, label === undefined ? url : made(budget, String(label))) : value
  },
  mask: ofText((text, [shown]) => masked(text, digitsOf(shown) ?? 0)),
  json: (value, _, { budget }) => jsonOf(value, budget),
}

function applyOne(value: unknown, { name, args }: FilterCall, run: Run): unknown {
  const apply = applied[name]
  if (!apply) return value
  const { takesLists } = signatureOf(name)
  if (takesLists || !Array.isArray(value)) {
    spend(run.budget, formatUnits)
    return value === null && !takesLists && name !== 'map' ? null : apply(value, args, run)
  }
  spend(run.budget, formatUnits * value.length)
  return value.map((one) => (one === null ? null : apply(one, args, run)))
}

/** The filters of a token, one behind the other. */
export function applyFilters(from: Filtered, filters: readonly FilterCall[], rendering: Rendering, budget: Budget): Filtered {
  let { value, names } = from
  for (const filter of filters) {
    value = applyOne(value, filter, { rendering, budget, names }) ?? null
    if (filter.name === 'pluck') names = [...names, String(filter.args[0])]
  }
  return { value, names }
}
