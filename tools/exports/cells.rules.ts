/** Values as the cells of a file: the import reads them back as they were. */
import type { CellValue } from 'hucre'

import type { CatalogProperty } from '#tools/entities/catalog.types.ts'

type DataType = CatalogProperty['dataType']

/** Of a sheet: Excel takes no longer text. */
const maxCellCharacters = 32_767
const firstDay = Date.UTC(1900, 2, 1)

/** A list in one cell. */
const listSeparator = '; '

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(listSeparator)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * A text that a spreadsheet would take for a formula gets an apostrophe before it, as spreadsheets have it: whoever opens a file must not run what a
 * stranger saved into a record. Numbers and telephone numbers begin with a sign too, and stay.
 */
export const formula = /^[=@\t\r]|^[+-](?![\d\s().,/-]*$)/

/** Of a CSV: a text. */
export function csvCell(value: unknown): string {
  return textOf(value)
}

/** Of a sheet: a number is a number, a day is a day. Times of day, and days before those that sheets know, are texts. */
export function sheetCell(dataType: DataType, value: unknown): CellValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if ((dataType === 'DateTime' || dataType === 'DateOnly') && typeof value === 'string') {
    const time = Date.parse(value)
    if (time >= firstDay) return new Date(time)
  }
  return textOf(value).slice(0, maxCellCharacters)
}

/** How a sheet shows the numbers of a column. */
export function numberFormat(dataType: DataType): string | undefined {
  if (dataType === 'DateTime') return 'yyyy-mm-dd hh:mm:ss'
  return dataType === 'DateOnly' ? 'yyyy-mm-dd' : undefined
}
