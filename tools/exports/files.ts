/** Rows as the bytes of a file: a CSV, a workbook, JSON. Nothing larger than a batch of rows is held. */
import { writeXlsxStream } from 'hucre/xlsx'
import Papa from 'papaparse'

import { workbookText } from '#platform/spreadsheets.ts'
import { nextTurn } from '#platform/turns.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'

import { csvCell, numberFormat, sheetCell } from './cells.rules.ts'
import type { Format } from './exports.schema.ts'

type DataType = CatalogProperty['dataType']

export interface FileColumn {
  readonly name: string
  readonly dataType: DataType
}

export interface Rows {
  readonly columns: readonly FileColumn[]
  /** The JSON text of each row, an object by column. */
  readonly batches: AsyncIterable<readonly string[]>
  /** Names the sheet. */
  readonly name: string
}

export const mimeTypes: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

const newline = '\r\n'
const maxSheetName = 31

type Row = Readonly<Record<string, unknown>>

// PostgreSQL wrote it as an object by column.
const parse = (text: string) => JSON.parse(text) as Row

async function* csvOf({ columns, batches }: Rows): AsyncGenerator<string> {
  const lines = (rows: readonly (readonly string[])[]) => `${Papa.unparse(rows as string[][], { header: false, newline })}${newline}`
  yield lines([columns.map((column) => csvCell(column.name))])
  for await (const batch of batches) {
    await nextTurn()
    yield lines(batch.map(parse).map((row) => columns.map((column) => csvCell(row[column.name]))))
  }
}

async function* jsonOf({ batches }: Rows): AsyncGenerator<string> {
  let before = '['
  for await (const batch of batches) {
    yield `${before}\n${batch.join(',\n')}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

async function* sheetRows({ columns, batches }: Rows) {
  for await (const batch of batches) {
    for (const [index, text] of batch.entries()) {
      // A row of many columns takes its time, and the writer asks for the next one at once.
      if (index % 100 === 0) await nextTurn()
      const row = parse(text)
      yield columns.map(({ name, dataType }) => sheetCell(dataType, row[name]))
    }
  }
}

async function* sheetOf(rows: Rows): AsyncGenerator<Uint8Array> {
  const columns = rows.columns.map((column) => {
    const numFmt = numberFormat(column.dataType)
    return { header: workbookText(column.name), ...(numFmt === undefined ? {} : { numFmt }) }
  })
  yield* writeXlsxStream(sheetRows(rows), { name: rows.name.slice(0, maxSheetName), columns })
}

/** The bytes of a file of these rows. */
export function fileOf(format: Format, rows: Rows): AsyncGenerator<string | Uint8Array> {
  switch (format) {
    case 'csv':
      return csvOf(rows)
    case 'json':
      return jsonOf(rows)
    case 'xlsx':
      return sheetOf(rows)
  }
}
