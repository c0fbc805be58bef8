/** The thread that unpacks a sheet: a line of JSON for each row that is not blank, whatever the size of the sheet. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

import { EncryptedFileError } from 'hucre'
import { streamXlsxRows } from 'hucre/xlsx'

import { maxRowCharacters } from './import-limits.ts'
import type { SheetAnswer, SheetRequest } from './import-xlsx.ts'
import type { SheetCell } from './import.rules.ts'

const flushAtCharacters = 256 * 1024

// Started by import-xlsx.ts alone, which gives it this.
const { bytes, sheet, path, maxBytes } = workerData as SheetRequest

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

async function unpack(): Promise<SheetAnswer> {
  const file = openSync(path, 'w', 0o600)
  let rows = 0
  let lines = ''
  let written = 0
  const flush = () => {
    written += writeSync(file, lines)
    lines = ''
  }
  try {
    for await (const row of streamXlsxRows(bytes, sheet === undefined ? {} : { sheet })) {
      const cells = row.values.map(cellOf)
      const last = cells.findLastIndex((cell) => !isBlank(cell))
      if (last === -1) continue
      rows++
      // A text stands in the workbook once, however many cells show it: what is small there can be large here.
      if (cells.reduce((sum: number, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0) > maxRowCharacters)
        return { problem: 'tooLarge' }
      lines += `${JSON.stringify(cells.slice(0, last + 1))}\n`
      if (lines.length >= flushAtCharacters) flush()
      if (written > maxBytes) return { problem: 'tooLarge' }
    }
    flush()
    return rows > 0 ? { rows } : { problem: 'noSheet' }
  } catch (error) {
    return { problem: error instanceof EncryptedFileError ? 'encrypted' : 'broken' }
  } finally {
    closeSync(file)
  }
}

parentPort?.postMessage(await unpack())
