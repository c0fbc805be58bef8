/** The rows of an XLSX file as a stream. The archive is held in memory as a whole, its sheet is unpacked row by row. */
import { EncryptedFileError } from 'hucre'
import { streamXlsxRows } from 'hucre/xlsx'

import { AppError } from '#platform/errors.ts'

import { uniqueHeaders } from './columns.ts'
import { maxRowCharacters } from './limits.ts'
import { type FileRow, rowOfList, type SheetCell } from './mapping.rules.ts'
import { archiveParts } from './xlsx-archive.rules.ts'
import { findDoctype } from './xlsx-prolog.ts'
import { findBrokenSheet } from './xlsx-sheets.ts'

const MiB = 1024 * 1024
/** Its directory, which says what is in it, stands at its end. */
const maxFileBytes = 64 * MiB
/** Of the rows as text, all together: a text stands in the workbook once, however many cells show it, and what is small there can be large here. */
const maxRowsCharacters = 1024 * MiB

const problems = {
  encrypted: 'The file is encrypted, or of the old .xls format. Save it as .xlsx without a password.',
  noSheet: 'The workbook has no sheet of this name, or nothing stands in it.',
  tooLarge: 'The workbook unpacks to more than one file, or one row of it, may. Save the sheet as CSV, or split it.',
  broken: 'The file is no XLSX workbook, or a broken one. Save it as .xlsx again, or as CSV.',
  doctype: 'The workbook declares a document type (DOCTYPE), as no spreadsheet program does. Save it as .xlsx again, or the sheet as CSV.',
} as const

/** Whether what was refused is a sheet that is not there, or is blank. */
export const isNoSheet = (error: unknown) => error instanceof AppError && error.message === problems.noSheet

const refuse = (problem: keyof typeof problems, cause?: unknown) => new AppError('unprocessable', problems[problem], { cause })

export interface XlsxWish {
  readonly sheet: string | undefined
  readonly maxColumns: number
  /** Of the rows as text. */
  readonly maxCharacters?: number
}

/** The first sheet unless one is named; its first row that is not blank names the columns. Throws AppError `unprocessable` and `too_large`. */
export async function* readXlsx(
  chunks: AsyncIterable<Buffer>,
  { sheet, maxColumns, maxCharacters = maxRowsCharacters }: XlsxWish,
): AsyncGenerator<FileRow> {
  const bytes = await readWhole(chunks)
  const parts = archiveParts(bytes)
  if (typeof parts === 'string') throw new AppError('unprocessable', parts)
  if ((await findDoctype(parts)) !== undefined) throw refuse('doctype')
  if ((await findBrokenSheet(parts)) !== undefined) throw refuse('broken')
  let headers: readonly string[] | undefined
  let characters = 0
  for await (const { line, cells } of rowsOf(bytes, sheet)) {
    const size = cells.reduce((sum: number, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0)
    characters += size
    if (size > maxRowCharacters || characters > maxCharacters) throw refuse('tooLarge')
    if (headers === undefined)
      headers = uniqueHeaders(
        cells.map((cell) => String(cell ?? '')),
        maxColumns,
      )
    else yield { ...rowOfList(headers, cells), line }
  }
  if (headers === undefined) throw refuse('noSheet')
}

/** Rows that are not blank, each up to its last cell that holds something. */
async function* rowsOf(bytes: Uint8Array, sheet: string | undefined): AsyncGenerator<{ line: number; cells: SheetCell[] }> {
  try {
    for await (const row of streamXlsxRows(bytes, sheet === undefined ? {} : { sheet })) {
      const cells = row.values.map(cellOf)
      const last = cells.findLastIndex((cell) => !isBlank(cell))
      if (last !== -1) yield { line: row.index + 1, cells: cells.slice(0, last + 1) }
    }
  } catch (cause) {
    // Too much memory is told apart by whoever started the process.
    if (cause instanceof RangeError) throw cause
    throw refuse(cause instanceof EncryptedFileError ? 'encrypted' : 'broken', cause)
  }
}

/** Text, numbers and booleans as they are. A date is a day where it has no time, a time where it has no day, and both in UTC otherwise. */
function cellOf(value: unknown): SheetCell {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return null
    const text = value.toISOString()
    if (value.getTime() < Date.UTC(1900, 0, 1)) return text.slice(11, 19)
    return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

const isBlank = (cell: SheetCell) => cell === null || (typeof cell === 'string' && cell.trim() === '')

async function readWhole(chunks: AsyncIterable<Buffer>): Promise<Uint8Array> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxFileBytes)
      throw new AppError('too_large', `A workbook may have at most ${maxFileBytes / MiB} MiB. Save the sheet as CSV, or split it.`)
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}
