/** Reading the rows of an uploaded file as a stream, whatever its format. Nothing larger than a chunk of rows is kept. */
import { AppError } from '#platform/errors.ts'

import { readCsv } from './import-csv.ts'
import { readJson } from './import-json.ts'
import { readXlsx } from './import-xlsx.ts'
import type { FileFormat, FileRow } from './import.rules.ts'

const formats: Readonly<Record<string, FileFormat>> = { csv: 'csv', tsv: 'csv', txt: 'csv', json: 'json', xlsx: 'xlsx', xlsm: 'xlsx' }

/** The format of a file by its extension, or what the caller says. Throws 415 for anything else. */
export function formatOf(extension: string, said: FileFormat | undefined): FileFormat {
  const format = said ?? formats[extension.toLowerCase()]
  if (format) return format
  const advice = ['xls', 'xlsb', 'ods', 'numbers'].includes(extension)
    ? 'Save it as .xlsx or CSV.'
    : 'Upload CSV, XLSX or JSON, or say format.'
  throw new AppError('unsupported_type', `Files of type ${extension || '(none)'} cannot be imported. ${advice}`)
}

export interface ReadingWish {
  readonly format: FileFormat
  /** Of a CSV; found out where it is absent. */
  readonly delimiter?: string | undefined
  /** Of a workbook; the first where it is absent. */
  readonly sheet?: string | undefined
}

/** The rows of a file, one after the other. Throws AppError `unprocessable` where the file is not what it claims to be, `too_large`. */
export function readRows(chunks: AsyncIterable<Buffer>, { format, delimiter, sheet }: ReadingWish): AsyncGenerator<FileRow> {
  switch (format) {
    case 'csv':
      return readCsv(chunks, delimiter)
    case 'json':
      return readJson(chunks)
    case 'xlsx':
      return readXlsx(chunks, sheet)
  }
}
