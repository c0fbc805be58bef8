/** Some sheets of a workbook, for whatever a workbook says besides records. */
import { AppError } from '#platform/errors.ts'

import type { FileRow } from './mapping.rules.ts'
import type { SheetRows } from './sent-rows.rules.ts'
import { isNoSheet, readXlsx } from './xlsx.ts'

export interface SheetsWish {
  /** By name; one that is not there has no rows. */
  readonly sheets: readonly string[]
  readonly maxColumns: number
  /** Of each sheet. */
  readonly maxRows: number
  /** Of each sheet as text. */
  readonly maxCharacters: number
}

const rowsAtOnce = 500

/** The rows of the sheets, some at a time. Throws AppError `unprocessable` where it is no workbook, `too_large`. */
export async function* readSheetsOf(
  chunks: AsyncIterable<Buffer>,
  { sheets, maxRows, maxColumns, maxCharacters }: SheetsWish,
): AsyncGenerator<SheetRows> {
  const bytes: Buffer[] = []
  for await (const chunk of chunks) bytes.push(chunk)
  const once = async function* () {
    yield Buffer.concat(bytes)
  }
  for (const sheet of sheets) {
    let rows: FileRow[] = []
    let count = 0
    try {
      for await (const row of readXlsx(once(), { sheet, maxColumns, maxCharacters })) {
        if (++count > maxRows) throw new AppError('too_large', `The sheet ${sheet} has more than ${maxRows} rows. Split the workbook.`)
        rows.push(row)
        if (rows.length < rowsAtOnce) continue
        yield { sheet, rows }
        rows = []
      }
    } catch (error) {
      if (!isNoSheet(error)) throw error
    }
    yield { sheet, rows }
  }
}
