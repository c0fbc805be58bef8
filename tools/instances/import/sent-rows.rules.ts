/** Rows of sheets on their way between processes. */
import type { FileRow } from './mapping.rules.ts'

export interface SheetRows {
  readonly sheet: string
  readonly rows: readonly FileRow[]
}

/** The same on its way between processes: the names of columns, which each row would bring along, are said once. */
export interface SentRows {
  readonly sheet: string
  readonly columns: readonly string[]
  /** Each up to its last cell that holds something. */
  readonly rows: readonly (Omit<FileRow, 'values'> & { readonly cells: readonly unknown[] })[]
}

export function sentRows({ sheet, rows }: SheetRows): SentRows {
  // All rows of a sheet have the columns of its header.
  const columns = Object.keys(rows[0]?.values ?? {})
  const sent = rows.map(({ values, ...row }) => {
    const cells = columns.map((column) => values[column])
    return { ...row, cells: cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1) }
  })
  return { sheet, columns, rows: sent }
}

export function receivedRows({ sheet, columns, rows }: SentRows): SheetRows {
  const received = rows.map(({ cells, ...row }) => ({
    ...row,
    values: Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ''])),
  }))
  return { sheet, rows: received }
}
