/** Reading the rows of an uploaded file as a stream: CSV by its delimiter, JSON as an array of objects. Nothing larger than a chunk is kept. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import Papa from 'papaparse'
import { streamArray } from 'stream-json/streamers/stream-array.js'

import { AppError } from '#platform/errors.ts'

export type FileFormat = 'csv' | 'json'

export type FileRow = Readonly<Record<string, unknown>>

/** The format of a file by its extension, or what the caller says. Throws 415 for anything else. */
export function formatOf(extension: string, said: FileFormat | undefined): FileFormat {
  if (said) return said
  const plain = extension.replace(/^\./, '').toLowerCase()
  if (['csv', 'tsv', 'txt'].includes(plain)) return 'csv'
  if (plain === 'json') return 'json'
  throw new AppError('unsupported_type', `Files of type ${plain || '(none)'} cannot be imported. Upload CSV or JSON, or say format.`)
}

/** The rows of a file, one after the other. Throws AppError `unprocessable` where the file is not what it claims to be. */
export async function* readRows(stream: Readable, format: FileFormat, delimiter: string | undefined): AsyncGenerator<FileRow> {
  if (format === 'csv') yield* readCsv(stream, delimiter)
  else yield* readJson(stream)
}

async function* readCsv(stream: Readable, delimiter: string | undefined): AsyncGenerator<FileRow> {
  const rows = Papa.parse(Papa.NODE_STREAM_INPUT, { ...(delimiter === undefined ? {} : { delimiter }), skipEmptyLines: 'greedy' })
  const reading = pipeline(stream, decodeUtf8, rows)
  reading.catch((error: unknown) => rows.destroy(error instanceof Error ? error : undefined))
  let headers: string[] | undefined
  // Without header: true each row is an array of texts.
  for await (const cells of rows as AsyncIterable<string[]>) {
    if (headers) yield Object.fromEntries(headers.map((header, index) => [header, cells[index] ?? '']))
    else headers = uniqueHeaders(cells)
  }
  await reading
}

/** UTF-8 with or without its mark; anything else is refused rather than guessed. */
async function* decodeUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    if (cause instanceof TypeError)
      throw new AppError('unprocessable', 'The file is not UTF-8 text. Save it as UTF-8 and upload it again.', { cause })
    throw cause
  }
}

function uniqueHeaders(cells: readonly string[]): string[] {
  const headers = cells.map((cell) => cell.trim())
  const twice = headers.find((header, index) => header !== '' && headers.indexOf(header) !== index)
  if (twice !== undefined)
    throw new AppError('unprocessable', `The file has two columns named "${twice.slice(0, 60)}". Name each column once.`)
  return headers.map((header, index) => (header === '' ? `column${index + 1}` : header))
}

async function* readJson(stream: Readable): AsyncGenerator<FileRow> {
  const rows = streamArray.withParserAsStream()
  const reading = pipeline(stream, rows)
  reading.catch((error: unknown) => rows.destroy(error instanceof Error ? error : undefined))
  try {
    for await (const { value } of rows as AsyncIterable<{ value: unknown }>) {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new AppError('unprocessable', 'A JSON import is an array of objects, one for each row.')
      // Just checked to be an object that is no array.
      yield value as FileRow
    }
    await reading
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('unprocessable', 'The file is not a JSON array of objects.', { cause })
  }
}
