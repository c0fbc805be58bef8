/** The rows of a CSV file as a stream. */
import Papa from 'papaparse'

import { unguardedText } from '#platform/spreadsheets.ts'

import { uniqueHeaders } from './columns.ts'
import { maxRowCharacters } from './limits.ts'
import { type FileRow, rowOfList } from './mapping.rules.ts'
import { type Guessing, rowTooLong, textBlocks } from './text.ts'

/** The delimiter is found out from this much of the beginning. */
const sampleCharacters = 64 * 1024

/** What `Papa.Parser` answers; its type is any. */
interface Parsed {
  readonly data: readonly (readonly string[])[]
  readonly errors: readonly { readonly code: string; readonly row: number }[]
  readonly meta: { readonly cursor: number }
}

export interface CsvWish extends Guessing {
  readonly delimiter: string | undefined
  readonly maxColumns: number
}

/** Rows that are blank are no rows. A row whose quotes or cells are not as they should be says so in `problem`. */
export async function* readCsv(chunks: AsyncIterable<Buffer>, { delimiter, maxColumns, ...guessing }: CsvWish): AsyncGenerator<FileRow> {
  let parser: Papa.Parser | undefined
  let newline = '\n'
  let pending = ''
  let headers: readonly string[] | undefined
  let count = 0
  let line = 1
  // Of the text that waits for its row to end: looked at again once it has doubled, so that a row without an end costs no more than its length.
  let lookAt = sampleCharacters

  function* take(isLast: boolean): Generator<FileRow> {
    if (parser === undefined) {
      // What spreadsheets write before the columns, and read.
      const said = /^\uFEFF?sep=([^"\r\n])(?:\r\n|\n|\r)/i.exec(pending)
      if (said) {
        pending = pending.slice(said[0].length)
        line++
      }
      ;({ parser, newline } = parserFor(pending, delimiter ?? said?.[1]))
    }
    // The parser is made for exactly this: a text, and whether its last row may be the beginning of one.
    const { data, errors, meta } = parser.parse(pending, 0, !isLast) as Parsed
    const broken = new Map(errors.filter((error) => error.code.endsWith('Quotes')).map((error) => [error.row, error.code]))
    for (const [index, cells] of data.entries()) {
      const first = line
      line += linesOf(cells, newline)
      if (cells.every((cell) => cell.trim() === '')) continue
      const texts = cells.map(unguardedText)
      if (headers === undefined) headers = uniqueHeaders(texts, maxColumns)
      else {
        count++
        yield { ...rowOfList(headers, texts, quoteProblem(broken.get(index))), line: first }
      }
    }
    pending = isLast ? '' : pending.slice(meta.cursor)
    lookAt = data.length === 0 ? pending.length * 2 : 0
    if (pending.length > maxRowCharacters) throw rowTooLong(headers === undefined ? undefined : count + 1)
  }

  for await (const block of textBlocks(chunks, guessing)) {
    pending += block
    if (pending.length >= lookAt || pending.length > maxRowCharacters) yield* take(false)
  }
  yield* take(true)
}

/** How many lines of the file a row takes: ends of lines stand in quoted cells too. */
function linesOf(cells: readonly string[], newline: string): number {
  let lines = 1
  for (const cell of cells) if (cell.includes('\n') || cell.includes('\r')) lines += cell.match(/\r\n|\n|\r/g)?.length ?? 0
  // Of a file that mixes its ends of lines, the half that the parser leaves to the cell.
  return newline === '\n' && cells.at(-1)?.endsWith('\r') ? lines - 1 : lines
}

function quoteProblem(code: string | undefined): string | undefined {
  if (code === undefined) return undefined
  return code === 'MissingQuotes'
    ? 'The row opens a quote that is never closed, so that the rest of the file belongs to it. Double the quotes inside of a quoted cell.'
    : 'A quoted cell of the row goes on after its closing quote. Double the quotes inside of a quoted cell.'
}

function parserFor(sample: string, delimiter: string | undefined): { parser: Papa.Parser; newline: string } {
  // Blank lines, the end of the file among them, have one cell whatever the delimiter is, and would outvote the right one.
  const guessing = { preview: 20, skipEmptyLines: 'greedy', ...(delimiter === undefined ? {} : { delimiter }) } as const
  const { meta } = Papa.parse(sample.slice(0, sampleCharacters), guessing)
  const newline = meta.linebreak
  return { parser: new Papa.Parser({ delimiter: delimiter ?? meta.delimiter, newline: newline as '\n' }), newline }
}
