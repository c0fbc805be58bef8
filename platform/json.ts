/** Parsing of JSON that comes from outside: what PostgreSQL could not keep, or JavaScript would change, is refused with its place. */
import { AppError, type Issue } from './errors.ts'

const maxDepth = 64

/** Characters that PostgreSQL's text cannot hold: NUL, and half of a surrogate pair. */
export function hasForbiddenCharacter(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed()
}

interface Scan {
  readonly depth: number
  /** Whether some number would change its value. */
  readonly losesValue: boolean
}

const isDigit = (code: number) => code >= 48 && code <= 57

// Over bytes, which is several times as fast as over characters; no byte of a longer character looks like a bracket, a quote or a backslash.
function scan(text: string): Scan {
  const bytes = Buffer.from(text)
  let depth = 0
  let deepest = 0
  let isLossy = false
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes[i] ?? 0
    if (isDigit(code)) {
      const start = i
      let hasExponent = false
      for (
        let next = code;
        isDigit(next) || next === 46 || next === 43 || next === 45 || next === 69 || next === 101;
        next = bytes[++i] ?? 0
      )
        if (next === 69 || next === 101) hasExponent = true
      // With at most 15 digits and no exponent every number survives as a double, so most need no second look; and one that is lost suffices.
      if (!isLossy && (hasExponent || i - start > 15)) isLossy = losesValue(bytes.toString('latin1', start, i))
      i--
    } else if (code === 34) {
      i++
      while (i < bytes.length && bytes[i] !== 34) i += bytes[i] === 92 ? 2 : 1
    } else if (code === 123 || code === 91) {
      depth++
      if (depth > deepest) deepest = depth
    } else if (code === 125 || code === 93) depth--
  }
  return { depth: deepest, losesValue: isLossy }
}

/** Whether the double nearest to a JSON number literal has another value than the literal: 9007199254740993, 1e400. */
export function losesValue(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value)) return true
  // At most 15 digits with an exponent, far from where doubles end.
  if (literal.length <= 17 && /[eE]/.test(literal) && Math.abs(value) > 1e-290 && Math.abs(value) < 1e290) return false
  return canonicalDecimal(literal) !== canonicalDecimal(String(value))
}

/** Sign, digits without outer zeros, and the power of ten of the first digit: equal for equal values. In time linear to the length of the text. */
function canonicalDecimal(literal: string): string {
  const match = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (!match) return literal
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  let first = 0
  while (first < digits.length && digits[first] === '0') first++
  let end = digits.length
  // Not by a pattern: a run of zeros that ends in another digit makes it start again at each of them.
  while (end > first && digits[end - 1] === '0') end--
  return first === end ? '0' : `${sign}${digits.slice(first, end)}e${whole.length - first + Number(exponent)}`
}

/**
 * Parses JSON from a caller. Throws AppError `invalid_json` where it is no JSON or nests deeper than 64, and `invalid_input` with a path for
 * numbers that would change, for NUL and lone surrogates, and for `__proto__` keys.
 */
export function parseJson(text: string): unknown {
  const { depth, losesValue: isLossy } = scan(text)
  if (depth > maxDepth) throw new AppError('invalid_json', `The JSON nests deeper than ${maxDepth} levels.`)
  let value: unknown
  const issues: Issue[] = []
  try {
    value = isLossy
      ? JSON.parse(text, function reviver(this: unknown, key: string, part: unknown, context?: { source?: string }) {
          if (typeof part === 'number' && context?.source !== undefined && losesValue(context.source)) {
            issues.push({
              path: `$..${key}`,
              severity: 'error',
              message: `The number ${context.source.slice(0, 60)} cannot be kept exactly. Send at most 15 digits; all of them can be kept in a Text property alone.`,
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
