/**
 * Expressions to values. Total: an argument that does not fit makes the result null, never an error and never a number that JSON has no word for. Only a
 * text that grows past its limit is refused.
 */
import { type Budget, made, spend } from './budget.ts'
import type { Expression } from './expression.ts'
import { type Resolving, resolveTyped } from './resolve.ts'
import { clean, isObject, textOf } from './values.ts'
import { addDuration, printDay, printInstant, readDuration, readTime, readUnit, type Time, unitsBetween } from './zoned.ts'

function numbers(args: readonly unknown[]): readonly number[] | undefined {
  return args.every((one) => typeof one === 'number') ? args : undefined
}

/** Null for what is no number of JSON: a division by zero, a sum past the largest. */
function numberOf(value: number): number | null {
  return Number.isFinite(value) ? clean(value) : null
}

function arithmetic(operator: string, args: readonly unknown[]): number | null {
  const values = numbers(args)
  const [first = 0, second = 0] = values ?? []
  if (!values) return null
  switch (operator) {
    case '+':
      return numberOf(values.reduce((sum, one) => sum + one, 0))
    case '-':
      return numberOf(values.length === 1 ? -first : values.slice(1).reduce((rest, one) => rest - one, first))
    case '*':
      return numberOf(values.reduce((product, one) => product * one, 1))
    case '/':
      return numberOf(first / second)
    default:
      return numberOf(first % second)
  }
}

/** Half away from zero, by the decimals that the number shows: 1.005 to two is 1.01. */
function round(value: unknown, digits: unknown): number | null {
  if (typeof value !== 'number' || typeof digits !== 'number' || !Number.isInteger(digits) || Math.abs(digits) > 15) return null
  const shifted = shift(Math.abs(value), digits)
  return Number.isFinite(shifted) ? numberOf(Math.sign(value) * shift(Math.round(shifted), -digits)) : numberOf(value)
}

/** By the decimal text, since a product with a power of ten rounds by itself. */
function shift(value: number, digits: number): number {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  return Number(`${mantissa}e${Number(exponent) + digits}`)
}

/** -1, 0 or 1; undefined where the two are not of one kind. Times are compared as moments, other texts by their characters. */
function compare(a: unknown, b: unknown): number | undefined {
  if (typeof a === 'number' && typeof b === 'number') return Math.sign(a - b)
  if (typeof a !== 'string' || typeof b !== 'string') return undefined
  const [one, other] = [readTime(a), readTime(b)]
  if (one && other && one.kind === other.kind) return Math.sign(one.ms - other.ms)
  return a === b ? 0 : a < b ? -1 : 1
}

function equals(a: unknown, b: unknown, budget: Budget, depth = 0): boolean {
  spend(budget, 10 + (typeof a === 'string' ? a.length : 0))
  if (a === b) return true
  if (typeof a === 'string' && typeof b === 'string') return compare(a, b) === 0
  if (depth > 64) return false
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, n) => equals(one, b[n], budget, depth + 1))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equals(a[key], b[key], budget, depth + 1))
}

function lengthOf(value: unknown, budget: Budget): number | null {
  if (value === null) return 0
  if (Array.isArray(value)) return value.length
  if (typeof value !== 'string') return null
  spend(budget, value.length)
  let length = 0
  for (const _ of value) length++
  return length
}

function printTime(time: Time | undefined): string | null {
  if (!time || time.kind === 'clock') return null
  return time.kind === 'day' ? printDay(time.ms) : printInstant(time.ms)
}

function dateAdd(date: unknown, duration: unknown, timeZone: string): string | null {
  const [time, step] = [readTime(date), readDuration(duration)]
  return time && step ? printTime(addDuration(time, step, timeZone)) : null
}

function dateDiff(from: unknown, to: unknown, unit: unknown, timeZone: string): number | null {
  const [begin, end, known] = [readTime(from), readTime(to), readUnit(unit)]
  return (begin && end && known && unitsBetween(begin, end, known, timeZone)) ?? null
}

function elementAt(list: unknown, index: unknown): unknown {
  return Array.isArray(list) && typeof index === 'number' && Number.isInteger(index) ? (list.at(index) ?? null) : null
}

function cased(value: unknown, make: (text: string) => string, budget: Budget): string | null {
  return typeof value === 'string' ? made(budget, make(value)) : null
}

function apply(operator: string, args: readonly unknown[], { budget, rendering }: Resolving): unknown {
  const [first = null, second = null, third = null] = args
  const order = () => compare(first, second)
  const ordered = (holds: (order: number) => boolean) => {
    const found = order()
    return found === undefined ? null : holds(found)
  }
  switch (operator) {
    case '=':
      return equals(first, second, budget)
    case '!=':
      return !equals(first, second, budget)
    case '<':
      return ordered((found) => found < 0)
    case '<=':
      return ordered((found) => found <= 0)
    case '>':
      return ordered((found) => found > 0)
    case '>=':
      return ordered((found) => found >= 0)
    case 'not':
      return first !== true
    case 'concat':
      return made(budget, args.map((one) => textOf(one, budget)).join(''))
    case 'length':
      return lengthOf(first, budget)
    case 'round':
      return round(first, args.length > 1 ? second : 0)
    case 'lower':
      return cased(first, (text) => text.toLocaleLowerCase(rendering.locale), budget)
    case 'upper':
      return cased(first, (text) => text.toLocaleUpperCase(rendering.locale), budget)
    case 'dateAdd':
      return dateAdd(first, second, rendering.timeZone)
    case 'dateDiff':
      return dateDiff(first, second, third, rendering.timeZone)
    case 'at':
      return elementAt(first, second)
    case 'has':
      return Array.isArray(first) && first.some((one) => equals(one, second, budget))
    default:
      return arithmetic(operator, args)
  }
}

/** The value of an expression. `and`, `or` and `if` look at no more of their arguments than they need; only true is true. */
export function evaluate(expression: Expression, at: Resolving): unknown {
  spend(at.budget, 50)
  switch (expression.kind) {
    case 'value':
      return expression.value
    case 'template':
      return resolveTyped(expression.template, at)
    case 'list':
      return expression.elements.map((one) => evaluate(one, at))
    case 'call': {
      const { operator, args } = expression
      const holds = (one: Expression) => evaluate(one, at) === true
      if (operator === 'and') return args.every(holds)
      if (operator === 'or') return args.some(holds)
      if (operator !== 'if')
        return apply(
          operator,
          args.map((one) => evaluate(one, at)),
          at,
        )
      const [condition, then, otherwise] = args
      const chosen = condition && holds(condition) ? then : otherwise
      return chosen ? evaluate(chosen, at) : null
    }
  }
}
