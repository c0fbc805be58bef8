/** The rows of a JSON file as a stream: an array of objects, each read by the same rules as a body of a call. */
import { AppError } from '#platform/errors.ts'
import { parseJson } from '#platform/json.ts'

import { columnCounter } from './columns.ts'
import { maxRowCharacters } from './limits.ts'
import type { FileRow } from './mapping.rules.ts'
import { rowTooLong, textBlocks } from './text.ts'

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const newline = 0x0a
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** As in the body of a call. */
const maxDepth = 64

const notAnArray = (why: string) => new AppError('unprocessable', `The file is not a JSON array of objects: ${why}`)

function isBlank(code: number): boolean {
  return code === 0x20 || code === newline || code === 0x0d || code === 0x09
}

/**
 * A number that cannot be kept, or a text that no database takes, is a problem of its row. Throws AppError `unprocessable` for what is no array of
 * objects, `too_large` where the rows have too many different fields together.
 */
export async function* readJson(chunks: AsyncIterable<Buffer>, maxColumns: number): AsyncGenerator<FileRow> {
  // As what it may become, which the compiler does not see through the loops.
  let place = 'before' as 'before' | 'first' | 'element' | 'next' | 'after'
  let element = ''
  let depth = 0
  let deepest = 0
  let isInText = false
  let isEscaped = false
  let count = 0
  let line = 1
  let firstLine = 1
  const countColumns = columnCounter(maxColumns)
  for await (const block of textBlocks(chunks)) {
    let from = 0
    for (let index = 0; index < block.length; index++) {
      const code = block.charCodeAt(index)
      if (code === newline) line++
      if (place !== 'element') {
        if (isBlank(code)) continue
        if (place === 'before' && code === openArray) place = 'first'
        else if (place === 'first' && code === closeArray) place = 'after'
        else if (place === 'before') throw notAnArray('it does not begin with [.')
        else if (place === 'after') throw notAnArray(`something stands behind its end, in line ${line}.`)
        else if (code !== openObject) throw notAnArray(`row ${count + 1}, in line ${line}, does not begin with {.`)
        else {
          place = 'element'
          from = index
          depth = deepest = 1
          firstLine = line
        }
        continue
      }
      if (isInText) {
        if (isEscaped) isEscaped = false
        else if (code === backslash) isEscaped = true
        else if (code === quote) isInText = false
      } else if (code === quote) isInText = true
      else if (code === openObject || code === openArray) deepest = Math.max(deepest, ++depth)
      else if (depth > 0 && (code === closeObject || code === closeArray)) depth--
      else if (depth === 0 && (code === comma || code === closeArray)) {
        const row = rowOf(element + block.slice(from, index), ++count, deepest)
        countColumns(row.values)
        yield { ...row, line: firstLine }
        element = ''
        place = code === comma ? 'next' : 'after'
      }
    }
    if (place === 'element') element += block.slice(from)
    if (element.length > maxRowCharacters) throw rowTooLong(count + 1)
  }
  if (place !== 'after')
    throw notAnArray(place === 'before' ? 'it is empty.' : `it ends in row ${place === 'element' ? count + 1 : count}, before its ].`)
}

function rowOf(text: string, row: number, depth: number): FileRow {
  // Nothing of it is parsed: what is nested a million deep ends more than one recursion.
  if (depth > maxDepth) return { values: {}, problem: `The row nests deeper than ${maxDepth} levels.`, characters: text.length }
  try {
    // Every element begins with a brace, so what it parses to is an object.
    return { values: parseJson(text) as FileRow['values'], characters: text.length }
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code === 'invalid_json')
      throw new AppError('unprocessable', `The file is not a JSON array of objects: row ${row} is not valid JSON.`, { cause })
    // It is JSON, though none that can be kept. Its columns count; its values go nowhere, since the row fails.
    return {
      values: JSON.parse(text) as FileRow['values'],
      problem: cause.issues?.[0]?.message ?? cause.message,
      characters: text.length,
    }
  }
}
