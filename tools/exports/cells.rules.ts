/** Values as the cells of a file: the import reads them back as they were. */
import type { CellValue } from 'hucre'

import { guardedText, workbookText } from '#platform/spreadsheets.ts'
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

/** Of a CSV: a text. What holds no text of anybody's is no formula, -1e-7 neither. */
export function csvCell(value: unknown): string {
  const isText = Array.isArray(value) ? value.some((one) => typeof one === 'string') : typeof value === 'string'
  return isText ? guardedText(textOf(value)) : textOf(value)
}

/** Of a sheet: a number is a number, a day is a day. Times of day, and days before those that sheets know, are texts. */
export function sheetCell(dataType: DataType, value: unknown): CellValue {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if ((dataType === 'DateTime' || dataType === 'DateOnly') && typeof value === 'string') {
    const time = Date.parse(value)
    if (time >= firstDay) return new Date(time)
  }
  return workbookText(textOf(value).slice(0, maxCellCharacters))
}

/** How a sheet shows the numbers of a column. */
export function numberFormat(dataType: DataType): string | undefined {
  if (dataType === 'DateTime') return 'yyyy-mm-dd hh:mm:ss'
  return dataType === 'DateOnly' ? 'yyyy-mm-dd' : undefined
}
