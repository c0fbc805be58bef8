/** The rows of a CSV file as a stream. */
import Papa from 'papaparse'

import { AppError } from '#platform/errors.ts'

import { maxRowCharacters } from './import-limits.ts'
import { rowTooLong, textBlocks } from './import-text.ts'
import { type FileRow, rowOfList } from './import.rules.ts'

/** The delimiter is found out from this much of the beginning. */
const sampleCharacters = 64 * 1024

/** What `Papa.Parser` answers; its type is any. */
interface Parsed {
  readonly data: readonly (readonly string[])[]
  readonly errors: readonly { readonly code: string; readonly row: number }[]
  readonly meta: { readonly cursor: number }
}

/** Rows that are blank are no rows. A row whose quotes or cells are not as they should be says so in `problem`. */
export async function* readCsv(chunks: AsyncIterable<Buffer>, delimiter: string | undefined): AsyncGenerator<FileRow> {
  let parser: Papa.Parser | undefined
  let pending = ''
  let headers: readonly string[] | undefined
  let count = 0

  function* take(isLast: boolean): Generator<FileRow> {
    parser ??= parserFor(pending, delimiter)
    // The parser is made for exactly this: a text, and whether its last row may be the beginning of one.
    const { data, errors, meta } = parser.parse(pending, 0, !isLast) as Parsed
    const broken = new Map(errors.filter((error) => error.code.endsWith('Quotes')).map((error) => [error.row, error.code]))
    for (const [index, cells] of data.entries()) {
      if (cells.every((cell) => cell.trim() === '')) continue
      if (headers === undefined) headers = uniqueHeaders(cells)
      else {
        count++
        yield rowOfList(headers, cells, quoteProblem(broken.get(index)))
      }
    }
    pending = isLast ? '' : pending.slice(meta.cursor)
    if (pending.length > maxRowCharacters) throw rowTooLong(count + 1)
  }

  for await (const block of textBlocks(chunks)) {
    pending += block
    if (parser === undefined && pending.length < sampleCharacters) continue
    yield* take(false)
  }
  yield* take(true)
}

function quoteProblem(code: string | undefined): string | undefined {
  if (code === undefined) return undefined
  return code === 'MissingQuotes'
    ? 'The row opens a quote that is never closed, so that the rest of the file belongs to it. Double the quotes inside of a quoted cell.'
    : 'A quoted cell of the row goes on after its closing quote. Double the quotes inside of a quoted cell.'
}

function parserFor(sample: string, delimiter: string | undefined): Papa.Parser {
  // Blank lines, the end of the file among them, have one cell whatever the delimiter is, and would outvote the right one.
  const guessing = { preview: 20, skipEmptyLines: 'greedy', ...(delimiter === undefined ? {} : { delimiter }) } as const
  const { meta } = Papa.parse(sample.slice(0, sampleCharacters), guessing)
  return new Papa.Parser({ delimiter: delimiter ?? meta.delimiter, newline: meta.linebreak as '\n' })
}

/** The names of the columns; one without a name is called after its place. Throws AppError `unprocessable` for a name that stands twice. */
export function uniqueHeaders(cells: readonly string[]): string[] {
  const headers = cells.map((cell) => cell.trim())
  const twice = headers.find((header, index) => header !== '' && headers.indexOf(header) !== index)
  if (twice !== undefined)
    throw new AppError('unprocessable', `The file has two columns named "${twice.slice(0, 60)}". Name each column once.`)
  return headers.map((header, index) => (header === '' ? `column${index + 1}` : header))
}
