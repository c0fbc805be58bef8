/** Values of JSON as texts, within limits: what a token without a filter shows. */
import { type Budget, made, maxValueLength, spend } from './budget.ts'

const maxDepth = 64

export interface Link {
  readonly [linkMark]: true
  readonly url: string
  readonly label: string
}

// A symbol, which no JSON has: nothing in a record can pass for a link that a filter made.
const linkMark: unique symbol = Symbol('link')

export function linkTo(url: string, label: string): Link {
  return { [linkMark]: true, url, label }
}

export function isLink(value: unknown): value is Link {
  return typeof value === 'object' && value !== null && linkMark in value
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLink(value)
}

/** Nothing, a blank text or a list of nothing: what `default` stands in for. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Money and hours, without the dust of binary fractions. */
export function clean(value: number): number {
  return Number.isSafeInteger(value) ? value + 0 : Number(value.toPrecision(15)) + 0
}

/** A value as JSON, its parts counted as they are written. What nests deeper than JSON of ours does is null. */
export function jsonOf(value: unknown, budget: Budget): string {
  const pieces: string[] = []
  let length = 0
  const write = (piece: string) => {
    spend(budget, piece.length + 10)
    length += piece.length
    pieces.push(piece)
    // Ends the work where `made` would refuse the text.
    if (length > maxValueLength) made(budget, ' '.repeat(maxValueLength + 1))
  }
  const visit = (at: unknown, depth: number): void => {
    if (isLink(at)) return visit(at.url, depth)
    if (typeof at === 'string') {
      spend(budget, at.length)
      return write(JSON.stringify(at))
    }
    if (typeof at !== 'object' || at === null || depth > maxDepth) return write(scalarJson(at))
    spend(budget, 30)
    if (Array.isArray(at)) {
      write('[')
      for (let n = 0; n < at.length; n++) {
        if (n > 0) write(',')
        visit(at[n], depth + 1)
      }
      return write(']')
    }
    write('{')
    let isFirst = true
    for (const [key, part] of Object.entries(at)) {
      if (part === undefined) continue
      write(`${isFirst ? '' : ','}${JSON.stringify(key)}:`)
      isFirst = false
      visit(part, depth + 1)
    }
    write('}')
  }
  visit(value, 0)
  return pieces.join('')
}

function scalarJson(value: unknown): string {
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)) ? String(value) : 'null'
}

/** A value as it reads in a text: nothing for null, a list of plain values by commas, everything else as JSON. */
export function textOf(value: unknown, budget: Budget): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return made(budget, value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  if (typeof value === 'boolean') return String(value)
  if (isLink(value)) return made(budget, value.label === value.url ? value.url : `${value.label} (${value.url})`)
  if (!Array.isArray(value)) return jsonOf(value, budget)
  spend(budget, value.length)
  return value.some((one) => Array.isArray(one) || isObject(one)) ? jsonOf(value, budget) : joined(value, ', ', ', ', budget)
}

export function joined(list: readonly unknown[], separator: string, last: string, budget: Budget): string {
  const pieces: string[] = []
  let length = 0
  for (const [n, one] of list.entries()) {
    const piece = `${n === 0 ? '' : n === list.length - 1 ? last : separator}${textOf(one, budget)}`
    length += piece.length
    spend(budget, piece.length + 5)
    pieces.push(piece)
    if (length > maxValueLength) break
  }
  return made(budget, pieces.join(''))
}
