/** The text of an uploaded file, block by block. */
import { TextDecoder } from 'node:util'

import { AppError } from '#platform/errors.ts'

import { maxRowCharacters } from './limits.ts'

/** Of a row by its number, else of the row that names the columns. */
export function rowTooLong(row: number | undefined): AppError {
  return new AppError(
    'unprocessable',
    `${row === undefined ? 'The row of column names' : `Row ${row}`} has more than ${maxRowCharacters / 1024 / 1024} million characters: a quote or a bracket is probably never closed. The rows before it may have been saved.`,
  )
}

const notText = (advice: string, cause?: unknown) => new AppError('unprocessable', `The file is not UTF-8 text. ${advice}`, { cause })

/** UTF-8 with or without its mark, UTF-16 with it; anything else is refused rather than guessed. */
export async function* textBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let head: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of chunks) {
      if (decoder) {
        yield decoder.decode(chunk, { stream: true })
        continue
      }
      head = Buffer.concat([head, chunk])
      if (head.length < 2) continue
      decoder = new TextDecoder(encodingOf(head), { fatal: true })
      yield decoder.decode(head, { stream: true })
    }
    yield decoder ? decoder.decode() : new TextDecoder('utf-8', { fatal: true }).decode(head)
  } catch (cause) {
    if (cause instanceof TypeError) throw notText('Save it as UTF-8 and upload it again.', cause)
    throw cause
  }
}

function encodingOf(head: Buffer): string {
  const mark = head.readUInt16BE(0)
  if (mark === 0xff_fe) return 'utf-16le'
  if (mark === 0xfe_ff) return 'utf-16be'
  // No text begins so, but that of UTF-16 without its mark.
  if (head[0] === 0 || head[1] === 0)
    throw notText('It holds NUL bytes, as UTF-16 without its mark does. Save it as UTF-8 and upload it again.')
  return 'utf-8'
}
