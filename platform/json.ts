/** Parsing of JSON that comes from outside: what PostgreSQL could not keep, or JavaScript would change, is refused with its place. */
import { AppError, type Issue } from './errors.ts'

const maxDepth = 64

/** Characters that PostgreSQL's text cannot hold: NUL, and half of a surrogate pair. */
export function hasForbiddenCharacter(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed()
}

interface Scan {
  readonly depth: number
  /** Whether a number has an exponent or more than 15 digits and points: every other one survives as a double, so most bodies need no second look. */
  readonly mayLoseValue: boolean
}

// Over bytes, which is several times as fast as over characters; no byte of a longer character looks like a bracket, a quote or a backslash.
function scan(text: string): Scan {
  const bytes = Buffer.from(text)
  let depth = 0
  let deepest = 0
  let digits = 0
  let mayLoseValue = false
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes[i] ?? 0
    if ((code >= 48 && code <= 57) || (code === 46 && digits > 0)) {
      digits++
      if (digits > 15) mayLoseValue = true
      continue
    }
    if (digits > 0 && (code === 69 || code === 101)) mayLoseValue = true
    digits = 0
    if (code === 34) {
      i++
      while (i < bytes.length && bytes[i] !== 34) i += bytes[i] === 92 ? 2 : 1
    } else if (code === 123 || code === 91) {
      depth++
      if (depth > deepest) deepest = depth
    } else if (code === 125 || code === 93) depth--
  }
  return { depth: deepest, mayLoseValue }
}

/** Whether the double nearest to a JSON number literal has another value than the literal: 9007199254740993, 1e400. */
export function losesValue(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) return true
  return canonicalDecimal(literal) !== canonicalDecimal(String(value))
}

/** Sign, digits without outer zeros, and the power of ten of the first digit: equal for equal values. */
function canonicalDecimal(literal: string): string {
  const match = /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(literal.includes('.') ? literal : literal.replace(/([eE].*)?$/, '.$1'))
  if (!match) return literal
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  const leading = digits.length - digits.replace(/^0+/, '').length
  const significant = digits.replace(/^0+/, '').replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${whole.length - leading + Number(exponent)}`
}

/**
 * Parses JSON from a caller. Throws AppError `invalid_json` where it is no JSON or nests deeper than 64, and `invalid_input` with a path for
 * numbers that would change, for NUL and lone surrogates, and for `__proto__` keys.
 */
export function parseJson(text: string): unknown {
  const { depth, mayLoseValue } = scan(text)
  if (depth > maxDepth) throw new AppError('invalid_json', `The JSON nests deeper than ${maxDepth} levels.`)
  let value: unknown
  const issues: Issue[] = []
  try {
    value = mayLoseValue
      ? JSON.parse(text, function reviver(this: unknown, key: string, part: unknown, context?: { source?: string }) {
          if (typeof part === 'number' && context?.source !== undefined && losesValue(context.source)) {
            issues.push({
              path: `$..${key}`,
              severity: 'error',
              message: `The number ${context.source.slice(0, 60)} cannot be kept exactly. Send it as text, or with at most 15 digits.`,
            })
          }
          return part
        })
      : JSON.parse(text)
  } catch (cause) {
    throw new AppError('invalid_json', 'The text is not valid JSON. Check quotes, commas and brackets.', { cause })
  }
  if (text.includes('\\u') || !text.isWellFormed() || text.includes('__proto__')) findForbidden(value, '$', issues)
  if (issues.length > 0) throw new AppError('invalid_input', 'The JSON holds values that cannot be kept.', { issues: issues.slice(0, 20) })
  return value
}

function findForbidden(value: unknown, path: string, issues: Issue[]): void {
  if (typeof value === 'string') {
    if (hasForbiddenCharacter(value))
      issues.push({ path, severity: 'error', message: 'The text holds a NUL or half of a surrogate pair. Remove it.' })
  } else if (Array.isArray(value)) {
    value.forEach((element, index) => findForbidden(element, `${path}[${index}]`, issues))
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      if (hasForbiddenCharacter(key) || key === '__proto__') {
        issues.push({
          path,
          severity: 'error',
          message: 'A field name holds a NUL or half of a surrogate pair, or is __proto__. Remove it.',
        })
      }
      findForbidden(part, `${path}.${key}`, issues)
    }
  }
}
