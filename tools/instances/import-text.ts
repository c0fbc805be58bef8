/** The text of an uploaded file, block by block. */
import { TextDecoder } from 'node:util'

import { AppError } from '#platform/errors.ts'

import { maxRowCharacters } from './import-limits.ts'

export function rowTooLong(row: number): AppError {
  return new AppError(
    'unprocessable',
    `Row ${row} has more than ${maxRowCharacters / 1024 / 1024} million characters: a quote or a bracket is probably never closed. The rows before it may have been saved.`,
  )
}

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
    if (cause instanceof TypeError)
      throw new AppError('unprocessable', 'The file is not UTF-8 text. Save it as UTF-8 and upload it again.', { cause })
    throw cause
  }
}

function encodingOf(head: Buffer): string {
  const mark = head.readUInt16BE(0)
  return mark === 0xff_fe ? 'utf-16le' : mark === 0xfe_ff ? 'utf-16be' : 'utf-8'
}
