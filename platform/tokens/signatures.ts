/** What filters there are, and what each takes: the static side, which every check and every page of documents shares. */
import { LRUCache } from 'lru-cache'

import { nearest, quoted } from '../suggest.ts'

type Argument = string | number | boolean

/** What a filter is made for; what it does not fit it leaves as it is. */
export type Fits = 'any' | 'text' | 'number' | 'time' | 'list'

interface Signature {
  readonly fits: Fits
  readonly least: number
  readonly most: number
  /** Lists are taken whole; else each element is filtered by itself. */
  readonly takesLists?: true
  /** What is wrong with the arguments. */
  readonly fault?: (args: readonly Argument[]) => string | undefined
}

export const dateStyles = ['short', 'medium', 'long', 'full', 'iso'] as const

const zones = new LRUCache<string, boolean>({ max: 1_000 })

function isZone(zone: Argument): boolean {
  if (typeof zone !== 'string') return false
  let isOne = zones.get(zone)
  if (isOne === undefined) {
    try {
      isOne = Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
    } catch {
      isOne = false
    }
    zones.set(zone, isOne)
  }
  return isOne
}

function styleFault([style, zone]: readonly Argument[]): string | undefined {
  if (style !== undefined && !dateStyles.some((known) => known === style)) {
    const near = nearest(String(style), dateStyles)
    return `takes one of ${dateStyles.join(', ')}, not ${quoted(style)}.${near === undefined ? '' : ` Did you mean ${near}?`}`
  }
  if (zone !== undefined && !isZone(zone)) return `takes a time zone such as "Europe/Berlin", not ${quoted(zone)}.`
  return undefined
}

function wholeFault(value: Argument | undefined, least: number, most: number, what: string): string | undefined {
  if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)) return undefined
  return `takes ${what} from ${least} to ${most}, not ${quoted(value)}.`
}

const digitsFault = ([digits]: readonly Argument[]) => wholeFault(digits, 0, 15, 'a number of decimals')

function currencyFault([code, digits]: readonly Argument[]): string | undefined {
  if (typeof code !== 'string' || !/^[A-Z]{3}$/.test(code)) return `takes the code of a currency such as EUR, not ${quoted(code)}.`
  return wholeFault(digits, 0, 15, 'a number of decimals')
}

const signatures: Readonly<Record<string, Signature>> = {
  date: { fits: 'time', least: 0, most: 2, fault: styleFault },
  time: { fits: 'time', least: 0, most: 2, fault: styleFault },
  datetime: { fits: 'time', least: 0, most: 2, fault: styleFault },
  relative: { fits: 'time', least: 0, most: 0 },
  number: { fits: 'number', least: 0, most: 1, fault: digitsFault },
  currency: { fits: 'number', least: 1, most: 2, fault: currencyFault },
  percent: { fits: 'number', least: 0, most: 1, fault: digitsFault },
  bytes: { fits: 'number', least: 0, most: 0 },
  upper: { fits: 'text', least: 0, most: 0 },
  lower: { fits: 'text', least: 0, most: 0 },
  trim: { fits: 'text', least: 0, most: 0 },
  truncate: {
    fits: 'text',
    least: 1,
    most: 2,
    fault: ([length]) => wholeFault(length, 1, 10_000, 'a number of characters'),
  },
  default: { fits: 'any', least: 1, most: 1, takesLists: true },
  label: { fits: 'any', least: 0, most: 0 },
  map: { fits: 'any', least: 2, most: 99 },
  yesno: { fits: 'any', least: 0, most: 3, takesLists: true },
  count: { fits: 'list', least: 0, most: 0, takesLists: true },
  sum: { fits: 'list', least: 0, most: 1, takesLists: true },
  join: { fits: 'list', least: 0, most: 2, takesLists: true },
  pluck: { fits: 'list', least: 1, most: 1, takesLists: true },
  link: { fits: 'text', least: 0, most: 1 },
  mask: { fits: 'any', least: 0, most: 1, fault: ([shown]) => wholeFault(shown, 0, 20, 'a number of characters') },
  json: { fits: 'any', least: 0, most: 0, takesLists: true },
}

export const filterNames: readonly string[] = Object.keys(signatures)

/** Of a filter that there is. */
export function signatureOf(name: string): Signature {
  const signature = signatures[name]
  if (!signature) throw new Error(`There is no filter ${name}.`)
  return signature
}

function argumentsInWords(least: number, most: number): string {
  if (most === 0) return 'takes no argument'
  const number = least === most ? String(least) : least === 0 ? `at most ${most}` : `${least} to ${most}`
  return `takes ${number} argument${most === 1 ? '' : 's'}`
}

/** What is wrong with the arguments of a filter that there is, as a sentence. */
export function argumentFault(name: string, args: readonly Argument[]): string | undefined {
  const { least, most, fault } = signatureOf(name)
  const { length } = args
  if (length < least || length > most) return `The filter ${name} ${argumentsInWords(least, most)}, not ${length}.`
  const said = fault?.(args)
  return said === undefined ? undefined : `The filter ${name} ${said}`
}
