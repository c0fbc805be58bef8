/** Reading the rows of an uploaded file as a stream, whatever its format. Nothing larger than a chunk of rows is kept. */
import { readCsv } from './csv.ts'
import { readJson } from './json.ts'
import type { FileFormat, FileRow } from './mapping.rules.ts'
import { readXlsx } from './xlsx.ts'

export interface ReadingWish {
  readonly format: FileFormat
  /** Of a CSV; found out where it is absent. */
  readonly delimiter?: string | undefined
  /** Of a CSV; found out where it is absent. */
  readonly encoding?: string | undefined
  /** Of a workbook; the first where it is absent. */
  readonly sheet?: string | undefined
  readonly maxColumns: number
}

/**
 * The rows of a file, one after the other; `note` is told what was found out of it. It takes as much time and memory as the file asks for, so only a process of its own does it. Throws AppError
 * `unprocessable` where the file is not what it claims to be, `too_large`.
 */
export function readRows(
  chunks: AsyncIterable<Buffer>,
  { format, delimiter, encoding, sheet, maxColumns }: ReadingWish,
  note: (text: string) => void = () => {},
): AsyncGenerator<FileRow> {
  switch (format) {
    case 'csv':
      return readCsv(chunks, { delimiter, encoding, maxColumns, note })
    case 'json':
      return readJson(chunks, maxColumns)
    case 'xlsx':
      return readXlsx(chunks, { sheet, maxColumns })
  }
}
