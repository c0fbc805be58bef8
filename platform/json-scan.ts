/** The first pass over JSON from outside: how deep it nests, how much it holds, which numbers would change, and where a large text comes apart. */
import { AppError } from './errors.ts'
import { finding } from './findings.ts'

export const maxDepth = 64
/** Of fields in one object; a record has at most 300 properties. */
const maxFields = 10_000
/** Of values in all, each a number, text or the like, or a list or object of them. */
const maxValues = 2_000_000
/** What is parsed at once. */
export const usualPieceBytes = 64 * 1024
const maxLossy = 20

/** A list or object too large to be parsed at once. */
export interface Container {
  /** Of its brackets, the second one exclusive. */
  readonly from: number
  readonly to: number
  readonly isList: boolean
  readonly pieces: readonly Piece[]
}

/** Elements or fields between two commas; where one of them is a large container, that one alone. */
export interface Piece {
  readonly from: number
  readonly to: number
  readonly child: Container | undefined
}

export interface Scan {
  /** Where numbers begin that would change their value; the first ones. */
  readonly lossy: readonly number[]
  /** Undefined where the text can be parsed at once. */
  readonly root: Container | undefined
}

const isDigit = (code: number) => code >= 48 && code <= 57

/** No double needs as many characters; what has more is not worth the time to find out. */
const maxLiteral = 400

/** Whether the double nearest to a JSON number literal has another value than the literal: 9007199254740993, 1e400. */
export function losesValue(literal: string): boolean {
  if (literal.length > maxLiteral) return true
  const value = Number(literal)
  if (!Number.isFinite(value)) return true
  // At most 15 digits with an exponent, far from where doubles end.
  if (literal.length <= 17 && /[eE]/.test(literal) && Math.abs(value) > 1e-290 && Math.abs(value) < 1e290) return false
  return canonicalDecimal(literal) !== canonicalDecimal(String(value))
}

/** Sign, digits without outer zeros, and the power of ten of the first digit: equal for equal values. */
function canonicalDecimal(literal: string): string {
  const match = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(literal)
  if (!match) return literal
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  let first = 0
  while (first < digits.length && digits[first] === '0') first++
  let end = digits.length
  while (end > first && digits[end - 1] === '0') end--
  return first === end ? '0' : `${sign}${digits.slice(first, end)}e${whole.length - first + Number(exponent)}`
}

export function notJson(cause?: unknown): AppError {
  return new AppError(
    'invalid_json',
    'The text is not valid JSON. Check quotes, commas and brackets.',
    cause === undefined ? {} : { cause },
  )
}

/** What is known of each list or object that the scan stands in, by its depth. */
class Levels {
  readonly start = new Int32Array(maxDepth + 2)
  readonly isList = new Uint8Array(maxDepth + 2)
  readonly commas = new Int32Array(maxDepth + 2)
  readonly #lastComma = new Int32Array(maxDepth + 2)
  readonly #lastSplit = new Int32Array(maxDepth + 2)
  readonly #pieces: (Piece[] | undefined)[] = []
  readonly #child: (Container | undefined)[] = []
  readonly #pieceBytes: number

  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes
  }

  open(depth: number, at: number, isList: boolean): void {
    this.start[depth] = at
    this.#lastComma[depth] = at
    this.#lastSplit[depth] = at
    this.commas[depth] = 0
    this.isList[depth] = isList ? 1 : 0
    this.#pieces[depth] = undefined
    this.#child[depth] = undefined
  }

  comma(depth: number, at: number): void {
    this.commas[depth] = (this.commas[depth] ?? 0) + 1
    this.#lastComma[depth] = at
    if (this.#child[depth] !== undefined || at - (this.#lastSplit[depth] ?? 0) >= this.#pieceBytes) this.#split(depth, at)
  }

  /** Closes the innermost one; a large one becomes a piece of its own in the one around it. */
  close(depth: number, at: number): void {
    const from = this.start[depth] ?? 0
    if (at - from < this.#pieceBytes) return
    this.#split(depth, at)
    const outer = depth - 1
    const container = { from, to: at + 1, isList: this.isList[depth] === 1, pieces: this.#pieces[depth] ?? [] }
    const lastComma = this.#lastComma[outer] ?? 0
    if (lastComma > (this.#lastSplit[outer] ?? 0)) this.#split(outer, lastComma)
    this.#child[outer] = container
  }

  /** The large container that the text consists of. */
  root(): Container | undefined {
    return this.#child[0]
  }

  #split(depth: number, at: number): void {
    const piece = { from: (this.#lastSplit[depth] ?? 0) + 1, to: at, child: this.#child[depth] }
    const known = this.#pieces[depth]
    if (known) known.push(piece)
    else this.#pieces[depth] = [piece]
    this.#lastSplit[depth] = at
    this.#child[depth] = undefined
  }
}

// A short text is scanned without a pause, so that one serves all of them.
const ofShortTexts = new Levels(usualPieceBytes)

/**
 * Scans the bytes of a text, yielding now and then. Throws AppError `invalid_json`, `too_large` for too many values, and `invalid_input` for too many
 * fields or a number of very many digits. What it lets through may still be no JSON.
 */
export function* scan(bytes: Buffer, pieceBytes: number): Generator<void, Scan> {
  const levels = bytes.length < pieceBytes ? ofShortTexts : new Levels(pieceBytes)
  let hasRoot = false
  const lossy: number[] = []
  const end = bytes.length
  let depth = 0
  let values = 1
  let pauseAt = pieceBytes
  for (let i = 0; i < end; i++) {
    const code = bytes[i] ?? 0
    if (isDigit(code)) {
      const start = i
      let hasExponent = false
      for (
        let next = code;
        i - start <= maxLiteral && (isDigit(next) || next === 46 || next === 43 || next === 45 || next === 69 || next === 101);
        next = bytes[++i] ?? 0
      )
        if (next === 69 || next === 101) hasExponent = true
      if (i - start > maxLiteral) throw longNumber(bytes, start)
      // With at most 15 digits and no exponent every number survives as a double, so most need no second look.
      if (lossy.length < maxLossy && (hasExponent || i - start > 15) && losesValue(bytes.toString('latin1', start, i))) lossy.push(start)
      i--
    } else if (code === 34) {
      i = endOfString(bytes, i + 1)
    } else if (code === 44) {
      // Outside of brackets there is one value, so that what comes after it need not be parsed to be refused.
      if (depth === 0) throw notJson()
      values++
      levels.comma(depth, i)
      if ((levels.commas[depth] ?? 0) >= maxFields && levels.isList[depth] === 0) throw tooManyFields()
    } else if (code === 123 || code === 91) {
      if (depth === 0 && hasRoot) throw notJson()
      hasRoot = true
      depth++
      values++
      if (depth > maxDepth) throw new AppError('invalid_json', `The JSON nests deeper than ${maxDepth} levels.`)
      levels.open(depth, i, code === 91)
    } else if (code === 125 || code === 93) {
      if (depth === 0 || (levels.isList[depth] === 1) !== (code === 93)) throw notJson()
      levels.close(depth, i)
      depth--
    }
    if (i >= pauseAt) {
      if (values > maxValues)
        throw new AppError('too_large', `The JSON holds more than ${maxValues.toLocaleString('en')} values. Send less at a time.`)
      pauseAt = i + pieceBytes
      yield
    }
  }
  if (depth !== 0) throw notJson()
  return { lossy, root: levels.root() }
}

/** Where the quote stands that ends a string, or the end of the text. */
function endOfString(bytes: Buffer, from: number): number {
  const end = bytes.length
  let i = from
  for (;;) {
    const stop = Math.min(end, i + 4_096)
    while (i < stop && bytes[i] !== 34) i += bytes[i] === 92 ? 2 : 1
    if (i < stop || i >= end) return i
    // In a long string whole stretches are looked through at once.
    const quote = bytes.indexOf(34, i)
    const escape = bytes.subarray(i, quote === -1 ? end : quote).indexOf(92)
    if (escape === -1) return quote === -1 ? end : quote
    i += escape
  }
}

function longNumber(bytes: Buffer, at: number): AppError {
  const message = `The number ${bytes.toString('latin1', at, at + 60)} has more than ${maxLiteral} characters. Send at most 15 digits; all of them can be kept in a Text property alone.`
  return new AppError('invalid_input', message, { issues: [finding('$', message)] })
}

function tooManyFields(): AppError {
  const message = `An object in the JSON has more than ${maxFields.toLocaleString('en')} fields. Check the names of its fields, or send lists.`
  return new AppError('invalid_input', message, { issues: [finding('$', message)] })
}
