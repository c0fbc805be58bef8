/** The rows of a JSON file as a stream: an array of objects, each read by the same rules as a body of a call. */
import { AppError } from '#platform/errors.ts'
import { parseJson } from '#platform/json.ts'

import { maxRowCharacters } from './import-limits.ts'
import { rowTooLong, textBlocks } from './import-text.ts'
import type { FileRow } from './import.rules.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

const notAnArray = (cause?: unknown) => new AppError('unprocessable', 'The file is not a JSON array of objects.', { cause })

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** A number that cannot be kept, or a text that no database takes, is a problem of its row. Throws AppError `unprocessable` for what is no array of objects. */
export async function* readJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<FileRow> {
  // As what it may become, which the compiler does not see through the loops.
  let place = 'before' as 'before' | 'first' | 'element' | 'next' | 'after'
  let element = ''
  let depth = 0
  let isInText = false
  let isEscaped = false
  let count = 0
  for await (const block of textBlocks(chunks)) {
    let from = 0
    for (let index = 0; index < block.length; index++) {
      const code = block.charCodeAt(index)
      if (place !== 'element') {
        if (isBlank(code)) continue
        if (place === 'before' && code === openArray) place = 'first'
        else if (place === 'first' && code === closeArray) place = 'after'
        else if (place === 'before' || place === 'after' || code !== openObject) throw notAnArray()
        else {
          place = 'element'
          from = index
          depth = 1
        }
        continue
      }
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (code === backslash) isEscaped = true
        else if (code === quote) isInText = false
      } else if (code === quote) isInText = true
      else if (code === openObject || code === openArray) depth++
      else if (depth > 0 && (code === closeObject || code === closeArray)) depth--
      else if (depth === 0 && (code === comma || code === closeArray)) {
        yield rowOf(element + block.slice(from, index), ++count)
        element = ''
        place = code === comma ? 'next' : 'after'
      }
    }
    if (place === 'element') element += block.slice(from)
    if (element.length > maxRowCharacters) throw rowTooLong(count + 1)
  }
  if (place !== 'after') throw notAnArray()
}

function rowOf(text: string, row: number): FileRow {
  try {
    // Every element begins with a brace, so what it parses to is an object.
    return { values: parseJson(text) as FileRow['values'] }
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code === 'invalid_json')
      throw new AppError('unprocessable', `The file is not a JSON array of objects: row ${row} is not valid JSON.`, { cause })
    // It is JSON, though none that can be kept. Its columns count; its values go nowhere, since the row fails.
    return { values: JSON.parse(text) as FileRow['values'], problem: cause.issues?.[0]?.message ?? cause.message }
  }
}
