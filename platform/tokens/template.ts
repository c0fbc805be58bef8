/** Texts with tokens: `[[path|filter:argument]]`, read once into literal parts and tokens. Pure; what a token means is told elsewhere. */
import { nearest, quoted } from '../suggest.ts'
import { argumentFault, filterNames } from './signatures.ts'

export const maxTextLength = 65_536
export const maxTokens = 1_000
export const maxSegments = 8
export const maxFilters = 6
const maxFaults = 50

/** A name and, in brackets, which element of a list. */
export interface Segment {
  readonly name: string
  readonly index?: number | '*' | 'first' | 'last'
}

export type Path = readonly [Segment, ...Segment[]]
export type Argument = string | number | boolean

export interface FilterCall {
  readonly name: string
  readonly args: readonly Argument[]
}

export interface Token {
  readonly path: Path
  readonly filters: readonly FilterCall[]
  /** Where it stands in its text, brackets included. */
  readonly from: number
  readonly to: number
}

/** Why a token cannot be read. It stays in the text as it stands. */
export interface Fault {
  readonly from: number
  readonly to: number
  readonly message: string
  readonly suggestion?: string
}

export interface Template {
  readonly parts: readonly (string | Token)[]
  readonly faults: readonly Fault[]
}

const opening = '[['
const spacesAt = /\s*/y
const segmentAt = /(\$?[\p{L}_][\p{L}\p{N}_-]{0,99})(?:\[(0|[1-9]\d{0,5}|\*|first|last)\])?/uy
const keyAt = /([\p{L}\p{N}_][\p{L}\p{N}_-]{0,99})(?:\[(0|[1-9]\d{0,5}|\*|first|last)\])?/uy
const filterAt = /\s*\|\s*([A-Za-z][A-Za-z0-9]{0,29})\s*/y
const argumentAt = /\s*(?:"((?:[^"\\]|\\[^]){0,1000})"|(-?\d{1,12}(?:\.\d{1,12})?)(?![\p{L}\p{N}_])|([\p{L}_][\p{L}\p{N}_-]{0,99}))\s*/uy
const closingAt = /\s*\]\]/y

/** Reads with a sticky expression at `at`. */
function match(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at
  return expression.exec(text)
}

const escapes: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', n: '\n' }

function argumentOf([, text, number, word]: RegExpExecArray): Argument {
  if (text !== undefined) return text.replaceAll(/\\([^])/g, (whole, character: string) => escapes[character] ?? whole)
  if (number !== undefined) return Number(number) + 0
  return word === 'true' || word === 'false' ? word === 'true' : (word ?? '')
}

type ReadAt<T> = { readonly value: T; readonly to: number } | { readonly fault: Omit<Fault, 'from' | 'to'> }

function indexOf(text: string | undefined): Pick<Segment, 'index'> {
  if (text === undefined) return {}
  return { index: text === '*' || text === 'first' || text === 'last' ? text : Number(text) }
}

function readPath(text: string, from: number): ReadAt<Path> {
  const root = match(segmentAt, text, from)
  if (!root) return { fault: { message: 'A token begins with a name: [[Name]]. Write \\[[ where two brackets are meant.' } }
  const path: [Segment, ...Segment[]] = [{ name: root[1] ?? '', ...indexOf(root[2]) }]
  let to = from + root[0].length
  while (text[to] === '.') {
    const key = match(keyAt, text, to + 1)
    if (!key) return { fault: { message: 'A name is missing behind the dot.' } }
    path.push({ name: key[1] ?? '', ...indexOf(key[2]) })
    to += 1 + key[0].length
    if (path.length > maxSegments) return { fault: { message: `A path has at most ${maxSegments} names.` } }
  }
  if (text[to] === '[')
    return { fault: { message: 'In brackets behind a name stands the number of an element from 0, *, first or last, and one of them.' } }
  return { value: path, to }
}

function readArguments(text: string, from: number): ReadAt<Argument[]> {
  const args: Argument[] = []
  let to = from
  do {
    const one = match(argumentAt, text, to + 1)
    if (!one) return { fault: { message: 'An argument is a "text" of at most 1000 characters, a number or a word.' } }
    args.push(argumentOf(one))
    to += 1 + one[0].length
  } while (text[to] === ',' && args.length < 100)
  return { value: args, to }
}

function readFilters(text: string, from: number): ReadAt<FilterCall[]> {
  const filters: FilterCall[] = []
  let to = from
  for (let called = match(filterAt, text, to); called; called = match(filterAt, text, to)) {
    const [whole, name = ''] = called
    to += whole.length
    if (filters.length === maxFilters) return { fault: { message: `A token has at most ${maxFilters} filters.` } }
    if (!filterNames.includes(name)) {
      const suggestion = nearest(name, filterNames)
      const message = `There is no filter ${quoted(name)}. Filters: ${filterNames.join(', ')}.`
      return { fault: suggestion === undefined ? { message } : { message, suggestion } }
    }
    const read = text[to] === ':' ? readArguments(text, to) : { value: [], to }
    if ('fault' in read) return read
    const message = argumentFault(name, read.value)
    if (message !== undefined) return { fault: { message } }
    filters.push({ name, args: read.value })
    ;({ to } = read)
  }
  return { value: filters, to }
}

function readToken(text: string, from: number): ReadAt<Token> {
  const begin = match(spacesAt, text, from + opening.length)
  const path = readPath(text, from + opening.length + (begin?.[0].length ?? 0))
  if ('fault' in path) return path
  const filters = readFilters(text, path.to)
  if ('fault' in filters) return filters
  const end = match(closingAt, text, filters.to)
  if (!end) {
    const rest = text.slice(filters.to).trimStart()
    const message = rest === '' ? 'The token does not end: ]] is missing.' : `Expected |, . or ]] before ${quoted(rest, 20)}.`
    return { fault: { message } }
  }
  const to = filters.to + end[0].length
  return { value: { path: path.value, filters: filters.value, from, to }, to }
}

/**
 * Reads a text into its parts. `\[[` is two brackets; a backslash before them that shall stay is doubled. What cannot be read is told in `faults`, and
 * stays as it stands.
 */
export function parseTemplate(text: string): Template {
  if (text.length > maxTextLength)
    return whole(text, { from: 0, to: text.length, message: `A text with tokens has at most ${maxTextLength} characters.` })
  const parts: (string | Token)[] = []
  const faults: Fault[] = []
  let literal = ''
  let tokens = 0
  let at = 0
  for (let found = text.indexOf(opening); found !== -1 && faults.length < maxFaults; found = text.indexOf(opening, at)) {
    let slashes = 0
    while (found - slashes > at && text[found - slashes - 1] === '\\') slashes++
    literal += text.slice(at, found - slashes) + '\\'.repeat(Math.floor(slashes / 2))
    if (slashes % 2 === 1) {
      literal += opening
      at = found + opening.length
      continue
    }
    // Of three brackets the last two may begin a token: so it stands in the label of a link.
    if (text[found + opening.length] === '[') {
      literal += '['
      at = found + 1
      continue
    }
    const read = tokens === maxTokens ? { fault: { message: `A text holds at most ${maxTokens} tokens.` } } : readToken(text, found)
    if ('fault' in read) {
      const end = text.indexOf(']]', found)
      faults.push({ ...read.fault, from: found, to: end === -1 || end > found + 200 ? found + opening.length : end + opening.length })
      literal += opening
      at = found + opening.length
      if (tokens === maxTokens) break
      continue
    }
    if (literal !== '') parts.push(literal)
    literal = ''
    parts.push(read.value)
    tokens++
    at = read.to
  }
  literal += text.slice(at)
  if (literal !== '') parts.push(literal)
  return { parts, faults }
}

function whole(text: string, fault: Fault): Template {
  return { parts: [text], faults: [fault] }
}

/** Whether a text could hold a token or an escape at all: most texts do not, and are not read. */
export function mayHoldTokens(text: string): boolean {
  return text.includes(opening)
}

/** The token that a text is, and nothing else. */
export function soleToken({ parts }: Template): Token | undefined {
  const [only] = parts
  return parts.length === 1 && typeof only === 'object' ? only : undefined
}

function printArgument(argument: Argument): string {
  // Never with an exponent, which the grammar does not have.
  if (typeof argument === 'number') return argument.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 12 })
  if (typeof argument === 'boolean') return String(argument)
  return `"${argument.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`
}

/** A path as it is written, without brackets around it. */
export function printPath(path: readonly Segment[]): string {
  return path.map(({ name, index }) => (index === undefined ? name : `${name}[${index}]`)).join('.')
}

export function printToken({ path, filters }: Pick<Token, 'path' | 'filters'>): string {
  const calls = filters.map(({ name, args }) => `|${name}${args.length === 0 ? '' : `:${args.map(printArgument).join(',')}`}`)
  return `[[${printPath(path)}${calls.join('')}]]`
}

/** A text that is read into the same parts again. */
export function printTemplate({ parts }: Pick<Template, 'parts'>): string {
  return parts
    .map((part, n) => {
      if (typeof part !== 'string') return printToken(part)
      const escaped = part.replaceAll(/(\\*)\[\[/g, String.raw`$1$1\[[`)
      // What ends in a backslash, or in one and a bracket, would take the brackets of the token for its own.
      return n === parts.length - 1 ? escaped : escaped.replace(/(\\+)(\[?)$/, '$1$1$2')
    })
    .join('')
}

/** The text with the names of its tokens changed, as after a rename; all else stays as it was written. */
export function withNames(text: string, rename: (path: Path) => Path): string {
  const { parts } = parseTemplate(text)
  let at = 0
  let changed = ''
  for (const part of parts) {
    if (typeof part === 'string') continue
    const [before, after] = [printPath(part.path), printPath(rename(part.path))]
    if (before === after) continue
    const begin = text.indexOf(before, part.from)
    changed += text.slice(at, begin) + after
    at = begin + before.length
  }
  return changed + text.slice(at)
}
