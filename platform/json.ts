/** Parsing of JSON that comes from outside: what PostgreSQL could not keep, or JavaScript would change, is refused with its place. */
import { AppError, type Issue } from './errors.ts'
import { finding } from './findings.ts'
import { pathsAt } from './json-path.ts'
import { type Container, notJson, type Piece, scan, usualPieceBytes } from './json-scan.ts'
import { inTurns } from './turns.ts'

export { losesValue } from './json-scan.ts'

const maxIssues = 20

/** Characters that PostgreSQL's text cannot hold: NUL, and half of a surrogate pair. */
export function hasForbiddenCharacter(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed()
}

/** `refusal` is set where the text is JSON whose values cannot be kept; `value` is then good for telling whose call it was, and for nothing else. */
export interface ParsedJson {
  readonly value: unknown
  readonly refusal: AppError | undefined
}

/**
 * Parses JSON from a caller, a text of some kilobytes. Throws AppError `invalid_json` where it is no JSON or nests deeper than 64, and `invalid_input` with
 * a path for numbers that would change, for NUL and lone surrogates, and for `__proto__` keys.
 */
export function parseJson(text: string): unknown {
  const work = parse(Buffer.from(text), usualPieceBytes, text)
  for (;;) {
    const step = work.next()
    if (!step.done) continue
    if (step.value.refusal) throw step.value.refusal
    return step.value.value
  }
}

/** As `parseJson`, of bytes that are UTF-8, however many: in turns with everybody else, and part by part. Throws what shows that it is no JSON. */
export function readJson(bytes: Buffer, pieceBytes = usualPieceBytes): Promise<ParsedJson> {
  return inTurns(parse(bytes, pieceBytes))
}

/** What one parsing has to hand. */
interface Parsing {
  readonly bytes: Buffer
  readonly issues: Issue[]
}

function* parse(bytes: Buffer, pieceBytes: number, text?: string): Generator<void, ParsedJson> {
  const { lossy, root } = yield* scan(bytes, pieceBytes)
  // Bytes have no halves of surrogate pairs: what was one in the text would be kept as another character.
  const hasHalves = text?.isWellFormed() === false
  const parsing: Parsing = { bytes, issues: [] }
  let value: unknown
  if (root && !hasHalves) {
    // What stands around the only value of a text is white space.
    if (parseText(parsing, 0, bytes.length, root) !== null) throw notJson()
    value = yield* build(parsing, root, '$')
  } else {
    value = parseText(parsing, 0, bytes.length, undefined, text)
    if (mayHoldForbidden(bytes, 0, bytes.length) || hasHalves) findForbidden(value, '$', parsing.issues)
  }
  const { issues } = parsing
  if (lossy.length > 0) issues.unshift(...lossIssues(bytes, lossy, yield* pathsAt(bytes, lossy)))
  const refusal =
    issues.length > 0
      ? new AppError('invalid_input', 'The JSON holds values that cannot be kept.', { issues: issues.slice(0, maxIssues) })
      : undefined
  return { value, refusal }
}

/** Parses a part of the text in its brackets, `null` standing in the place of a large container. */
function parseText({ bytes }: Parsing, from: number, to: number, child: Container | undefined, whole?: string, brackets = ''): unknown {
  const inner =
    whole ??
    (child ? `${bytes.toString('utf8', from, child.from)}null${bytes.toString('utf8', child.to, to)}` : bytes.toString('utf8', from, to))
  const text = brackets === '' ? inner : `${brackets[0]}${inner}${brackets[1]}`
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw notJson(cause)
  }
}

function lossIssues(bytes: Buffer, places: readonly number[], paths: readonly string[]): Issue[] {
  return places.map((place, index) => {
    const sign = bytes[place - 1] === 0x2d ? '-' : ''
    const literal = sign + (/^[-+.\deE]*/.exec(bytes.toString('latin1', place, place + 60))?.[0] ?? '')
    return finding(
      paths[index] ?? '$',
      `The number ${literal} cannot be kept exactly. Send at most 15 digits; all of them can be kept in a Text property alone.`,
    )
  })
}

/** Puts a large container together from its pieces. */
function* build(parsing: Parsing, container: Container, path: string): Generator<void, unknown> {
  return container.isList ? yield* buildList(parsing, container, path) : yield* buildObject(parsing, container, path)
}

function* buildList(parsing: Parsing, { pieces }: Container, path: string): Generator<void, unknown[]> {
  const list: unknown[] = []
  for (const piece of pieces) {
    // In brackets of a list, text parses to a list.
    const part = parsePiece(parsing, piece, '[]') as unknown[]
    // Nothing between two commas is a mistake, and nothing between the brackets none.
    if ((part.length === 0 && pieces.length > 1) || (piece.child && part.length !== 1)) throw notJson()
    if (pieceMayHoldForbidden(parsing, piece))
      part.forEach((element, index) => findForbidden(element, `${path}[${list.length + index}]`, parsing.issues))
    if (piece.child) list.push(yield* build(parsing, piece.child, `${path}[${list.length}]`))
    else for (const element of part) list.push(element)
    yield
  }
  return list
}

function* buildObject(parsing: Parsing, { pieces }: Container, path: string): Generator<void, Record<string, unknown>> {
  const object: Record<string, unknown> = {}
  for (const piece of pieces) {
    // In brackets of an object, text parses to an object.
    const part = parsePiece(parsing, piece, '{}') as Record<string, unknown>
    const names = Object.keys(part)
    if ((names.length === 0 && pieces.length > 1) || (piece.child && names.length !== 1)) throw notJson()
    if (pieceMayHoldForbidden(parsing, piece)) findForbidden(part, path, parsing.issues)
    for (const name of names) {
      // It has been told, and here it would change what the object is.
      if (name === '__proto__') continue
      object[name] = piece.child ? yield* build(parsing, piece.child, `${path}.${name}`) : part[name]
    }
    yield
  }
  return object
}

function parsePiece(parsing: Parsing, { from, to, child }: Piece, brackets: string): unknown {
  return parseText(parsing, from, to, child, undefined, brackets)
}

/** Whether a look at the values is worth it: only an escape brings a forbidden character into a text that is UTF-8. */
function mayHoldForbidden(bytes: Buffer, from: number, to: number): boolean {
  const part = bytes.subarray(from, to)
  return part.includes('\\u') || part.includes('__proto__')
}

function pieceMayHoldForbidden({ bytes }: Parsing, { from, to, child }: Piece): boolean {
  if (!child) return mayHoldForbidden(bytes, from, to)
  return mayHoldForbidden(bytes, from, child.from) || mayHoldForbidden(bytes, child.to, to)
}

function findForbidden(value: unknown, path: string, issues: Issue[]): void {
  if (issues.length >= maxIssues) return
  if (typeof value === 'string') {
    if (hasForbiddenCharacter(value)) issues.push(finding(path, 'The text holds a NUL or half of a surrogate pair. Remove it.'))
  } else if (Array.isArray(value)) {
    value.forEach((element, index) => findForbidden(element, `${path}[${index}]`, issues))
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      if (hasForbiddenCharacter(key) || key === '__proto__') {
        issues.push(finding(path, 'A field name holds a NUL or half of a surrogate pair, or is __proto__. Remove it.'))
      }
      findForbidden(part, `${path}.${key}`, issues)
    }
  }
}
