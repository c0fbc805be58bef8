/** The rows of an XLSX file as a stream. A thread with a memory of its own unpacks the sheet into a temporary file, which is then read row by row. */
import { createReadStream, type ReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { AppError } from '#platform/errors.ts'

import { uniqueHeaders } from './import-csv.ts'
import { textBlocks } from './import-text.ts'
import { type FileRow, rowOfList, type SheetCell } from './import.rules.ts'
import { findArchiveProblem } from './xlsx-archive.rules.ts'

const MiB = 1024 * 1024
/** The archive is held in memory as a whole; its directory, which says what is in it, stands at its end. */
const maxFileBytes = 64 * MiB
const threadHeapMiB = 768
const threadMs = 120_000
/** Of the temporary file. */
const maxRowsBytes = 1024 * MiB

/** What the thread is given. */
export interface SheetRequest {
  readonly bytes: Uint8Array
  readonly sheet: string | undefined
  /** Where it writes a JSON array of cells for each row, a line each. */
  readonly path: string
  /** Of that file. */
  readonly maxBytes: number
}

/** What the thread answers. */
export type SheetAnswer = { readonly rows: number } | { readonly problem: 'encrypted' | 'noSheet' | 'broken' | 'tooLarge' }

const problems = {
  encrypted: 'The file is encrypted, or of the old .xls format. Save it as .xlsx without a password.',
  noSheet: 'The workbook has no sheet of this name, or nothing stands in it.',
  tooLarge: 'The workbook unpacks to more than one file, or one row of it, may. Save the sheet as CSV, or split it.',
  broken: 'The file is no XLSX workbook, or a broken one. Save it as .xlsx again, or as CSV.',
} as const

/** The first sheet unless one is named; its first row that is not blank names the columns. Throws AppError `unprocessable` and `too_large`. */
export async function* readXlsx(
  chunks: AsyncIterable<Buffer>,
  sheet: string | undefined,
  maxBytes = maxRowsBytes,
): AsyncGenerator<FileRow> {
  const bytes = await readWhole(chunks)
  const archiveProblem = findArchiveProblem(bytes)
  if (archiveProblem) throw new AppError('unprocessable', archiveProblem)
  const folder = await mkdtemp(join(tmpdir(), 'fieldloop-sheet-'))
  const path = join(folder, 'rows')
  let lines: ReadStream | undefined
  try {
    const answer = await unpack({ bytes, sheet, path, maxBytes })
    if ('problem' in answer) throw new AppError('unprocessable', problems[answer.problem])
    let headers: readonly string[] | undefined
    lines = createReadStream(path)
    for await (const line of linesOf(lines)) {
      // The thread wrote the line: cells, the last of which is not empty.
      const cells = JSON.parse(line) as SheetCell[]
      if (headers === undefined) headers = uniqueHeaders(cells.map((cell) => String(cell ?? '')))
      else yield rowOfList(headers, cells)
    }
  } finally {
    lines?.destroy()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Lines end at a newline alone: a cell may hold the other characters that some readers end lines at, and JSON does not escape all of them. */
async function* linesOf(stream: ReadStream): AsyncGenerator<string> {
  let pending = ''
  for await (const block of textBlocks(stream as AsyncIterable<Buffer>)) {
    const lines = (pending + block).split('\n')
    pending = lines.pop() ?? ''
    yield* lines
  }
}

async function readWhole(chunks: AsyncIterable<Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxFileBytes)
      throw new AppError('too_large', `A workbook may have at most ${maxFileBytes / MiB} MiB. Save the sheet as CSV, or split it.`)
    parts.push(chunk)
  }
  // A copy with a memory of its own, which can be handed over to the thread.
  const whole = new Uint8Array(size)
  whole.set(Buffer.concat(parts))
  return whole
}

/** A workbook that takes all of the thread's memory or time ends the thread, and nothing else. */
async function unpack(request: SheetRequest & { readonly bytes: Uint8Array<ArrayBuffer> }): Promise<SheetAnswer> {
  const worker = new Worker(new URL('./import-xlsx-thread.ts', import.meta.url), {
    workerData: request,
    transferList: [request.bytes.buffer],
    resourceLimits: { maxOldGenerationSizeMb: threadHeapMiB },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<SheetAnswer>()
  const tooMuch = (what: string) =>
    new AppError('unprocessable', `Reading the workbook takes more ${what} than one file may. Save the sheet as CSV, or split it.`)
  const timer = setTimeout(() => reject(tooMuch('time')), threadMs)
  worker.once('message', resolve)
  worker.once('error', (error) => reject('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('memory') : error))
  worker.once('exit', () => reject(new Error('The thread that reads workbooks ended without an answer')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
