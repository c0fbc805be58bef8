/** The columns of a file, within their limits. */
import { AppError } from '#platform/errors.ts'
import { quoted } from '#platform/suggest.ts'

import { maxColumnCharacters } from './limits.ts'

const tooMany = (found: string, maxColumns: number) =>
  new AppError(
    'too_large',
    `The file has ${found} columns; at most ${maxColumns} can be imported (MAX_IMPORT_COLUMNS). Leave out those that stand for no property.`,
  )

function checkName(name: string, column: number): void {
  if (name.length > maxColumnCharacters)
    throw new AppError(
      'too_large',
      `The name of column ${column}, ${quoted(name, 40)}, has more than ${maxColumnCharacters} characters. Shorten it: a quote is perhaps never closed.`,
    )
  if (name.includes('\u0000')) throw new AppError('unprocessable', `The name of column ${column} holds a NUL. Save the file as UTF-8 text.`)
}

/**
 * The names of the columns of rows of cells; one without a name is called after its place. Throws AppError `unprocessable` for a name that stands
 * twice, `too_large` for too many columns and for names that are too long.
 */
export function uniqueHeaders(cells: readonly string[], maxColumns: number): string[] {
  const headers = cells.map((cell) => cell.trim())
  if (headers.length > maxColumns) throw tooMany(String(headers.length), maxColumns)
  const seen = new Set<string>()
  for (const [index, header] of headers.entries()) {
    if (header === '') continue
    checkName(header, index + 1)
    if (seen.has(header))
      throw new AppError('unprocessable', `The file has two columns named ${quoted(header, 60)}. Name each column once.`)
    seen.add(header)
  }
  return headers.map((header, index) => (header === '' ? `column${index + 1}` : header))
}

/** Watches the columns of rows that name their own, row by row. Throws AppError `too_large` as the columns of a header do. */
export function columnCounter(maxColumns: number): (row: Readonly<Record<string, unknown>>) => void {
  const seen = new Set<string>()
  return (row) => {
    for (const name in row) {
      if (seen.has(name)) continue
      if (seen.size === maxColumns) throw tooMany(`more than ${maxColumns}`, maxColumns)
      if (name.length > maxColumnCharacters) checkName(name, seen.size + 1)
      seen.add(name)
    }
  }
}
