/** JSON of values of any size, written in turns with everybody else: a list of ten thousand definitions takes longer to write than a short call may wait. */
import { holdsMore } from './parse.ts'
import { inTurns } from './turns.ts'

/** Fewer parts than this are written at once. */
const partsAtOnce = 1_000
const elementsAtOnce = 64
const charactersAtOnce = 1024 * 1024

/** What `JSON.stringify` makes of a value that has a JSON form, in pieces: to put together a text of tens of megabytes takes too long as well. */
export async function jsonPieces(value: unknown): Promise<readonly string[]> {
  if (!holdsMore(value, partsAtOnce)) return [JSON.stringify(value) ?? 'null']
  const pieces: string[] = []
  let texts: string[] = []
  let characters = 0
  const put = (text: string) => {
    texts.push(text)
    characters += text.length
    if (characters < charactersAtOnce) return
    pieces.push(texts.join(''))
    texts = []
    characters = 0
  }
  await inTurns(write(value, put))
  return [...pieces, texts.join('')]
}

function* write(value: unknown, put: (text: string) => void): Generator<void, void> {
  yield
  if (!isWrittenByParts(value) || !holdsMore(value, partsAtOnce)) return put(JSON.stringify(value) ?? 'null')
  let before = ''
  if (Array.isArray(value)) {
    put('[')
    for (let from = 0; from < value.length; from += elementsAtOnce) {
      const some: unknown[] = value.slice(from, from + elementsAtOnce)
      yield
      // Small elements are written together: a turn and a count for each would cost several times as much as the writing.
      if (!holdsMore(some, partsAtOnce)) {
        put(before + JSON.stringify(some).slice(1, -1))
        before = ','
      } else
        for (const part of some) {
          put(before)
          yield* write(part, put)
          before = ','
        }
    }
    return put(']')
  }
  put('{')
  for (const [name, part] of Object.entries(value)) {
    // Others have no JSON form, and no place in a record.
    if (part === undefined || typeof part === 'function' || typeof part === 'symbol') continue
    put(`${before}${JSON.stringify(name)}:`)
    yield* write(part, put)
    before = ','
  }
  put('}')
}

/** Whether a value is a list or a record that does not say itself what its JSON is, as dates do. */
function isWrittenByParts(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value)
}

/** A text as JSON has it. */
export async function quotedText(text: string): Promise<string> {
  return text.length <= charactersAtOnce ? JSON.stringify(text) : inTurns(quote(text))
}

function* quote(text: string): Generator<void, string> {
  const parts: string[] = []
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + charactersAtOnce)
    // Half a character would be escaped.
    if (to < text.length && /[\ud800-\udbff]/.test(text.charAt(to - 1))) to--
    parts.push(JSON.stringify(text.slice(from, to)).slice(1, -1))
    from = to
    yield
  }
  return `"${parts.join('')}"`
}

/** Whether the JSON of a value has more characters than this, without writing one that has many more. */
export function isLongerAsJson(value: unknown, characters: number): boolean {
  let left = characters
  const waiting = [value]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (typeof part === 'string') left -= part.length
    else if (typeof part === 'object' && part !== null) {
      const names = Array.isArray(part) ? [] : Object.keys(part)
      left -= Array.isArray(part) ? part.length : names.length
      if (left < 0) return true
      for (const name of names) left -= name.length
      waiting.push(...(Array.isArray(part) ? (part as unknown[]) : Object.values(part)))
    }
    if (left < 0) return true
  }
  return JSON.stringify(value).length > characters
}
