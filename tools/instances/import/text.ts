/** The text of an uploaded file, block by block. */
import { TextDecoder } from 'node:util'

import { AppError } from '#platform/errors.ts'

import { encodingOf, isText, wideEncodingOf } from './encoding.ts'
import { maxRowCharacters } from './limits.ts'

/** Of a row by its number, else of the row that names the columns. */
export function rowTooLong(row: number | undefined): AppError {
  return new AppError(
    'unprocessable',
    `${row === undefined ? 'The row of column names' : `Row ${row}`} has more than ${maxRowCharacters / 1024 / 1024} million characters: a quote or a bracket is probably never closed. The rows before it may have been saved.`,
  )
}

const notText = (advice: string, cause?: unknown) => new AppError('unprocessable', `The file is not UTF-8 text. ${advice}`, { cause })

export interface Guessing {
  /** Of the whole file, where the caller says so. */
  readonly encoding?: string | undefined
  /** Told once what was found out. */
  readonly note: (text: string) => void
}

/** So much is looked at before it is decided: the beginning, and what follows the first byte that is not ASCII. */
const sampleBytes = 64 * 1024

/**
 * UTF-8 with or without its mark, UTF-16 with it. Without `guessing` anything else is refused; with it, it is read as what it looks like, and that is
 * noted: a file that spreadsheets save says nowhere what it is.
 */
export async function* textBlocks(chunks: AsyncIterable<Buffer>, guessing?: Guessing): AsyncGenerator<string> {
  let reader: Reader | undefined
  let head: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (reader) {
      yield reader.take(chunk)
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < (guessing ? sampleBytes : 2)) continue
    reader = readerOf(head, guessing)
    yield reader.take(head)
  }
  reader ??= readerOf(head, guessing)
  if (head.length < (guessing ? sampleBytes : 2)) yield reader.take(head)
  yield reader.end()
}

interface Reader {
  take(bytes: Buffer): string
  end(): string
}

function readerOf(head: Buffer, guessing: Guessing | undefined): Reader {
  if (guessing?.encoding !== undefined) return strictly(guessing.encoding, 'Name another encoding, or save it as UTF-8.')
  const mark = head.length < 2 ? 0 : head.readUInt16BE(0)
  if (mark === 0xff_fe || mark === 0xfe_ff) return strictly(mark === 0xff_fe ? 'utf-16le' : 'utf-16be')
  if (!guessing) {
    // No text begins so, but that of UTF-16 without its mark.
    if (head.length > 1 && (head[0] === 0 || head[1] === 0))
      throw notText('It holds NUL bytes, as UTF-16 without its mark does. Save it as UTF-8 and upload it again.')
    return strictly('utf-8')
  }
  const wide = wideEncodingOf(head.subarray(0, sampleBytes))
  if (wide === undefined) return unlessOther(guessing)
  guessing.note(readAs('UTF-16 without its mark'))
  return strictly(wide)
}

const readAs = (what: string) =>
  `The file was read as ${what}. Where texts look wrong, name its encoding, or save it as UTF-8 and import it again.`

/** In one encoding. Throws AppError `unprocessable` where the file is not in it. */
function strictly(name: string, advice = 'Save it as UTF-8 and upload it again.'): Reader {
  const decoder = new TextDecoder(name, { fatal: true })
  const isSingle = !name.startsWith('utf-')
  const decode = (bytes?: Buffer): string => {
    let text: string
    try {
      text = bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause
      throw name === 'utf-8'
        ? notText(advice, cause)
        : new AppError('unprocessable', `The file is not ${name} throughout. ${advice}`, { cause })
    }
    // Encodings of one byte have a character for most bytes, controls among them.
    if (isSingle && !isText(text)) throw new AppError('unprocessable', `The file holds bytes that are no text in ${name}. ${advice}`)
    return text
  }
  return { take: decode, end: decode }
}

/** ASCII as long as there is nothing else, then UTF-8, or what those bytes look like. */
function unlessOther(guessing: Guessing): Reader {
  let reader: Reader | undefined
  /** From the first byte on that is not ASCII. */
  let held: Buffer[] = []
  let heldBytes = 0
  const settle = (): string => {
    const sample = Buffer.concat(held)
    held = []
    reader = strictly(otherThan(sample.subarray(0, sampleBytes), guessing))
    return reader.take(sample)
  }
  return {
    take(bytes) {
      if (reader) return reader.take(bytes)
      const at = heldBytes > 0 ? 0 : bytes.findIndex((byte) => byte > 0x7f)
      if (at < 0) return bytes.toString('latin1')
      held.push(bytes.subarray(at))
      heldBytes += bytes.length - at
      return bytes.subarray(0, at).toString('latin1') + (heldBytes < sampleBytes ? '' : settle())
    },
    end() {
      const last = heldBytes > 0 && !reader ? settle() : ''
      return last + (reader?.end() ?? '')
    },
  }
}

/** The encoding of bytes that are not ASCII. Throws AppError `unprocessable` where they are no text. */
function otherThan(sample: Buffer, guessing: Guessing): string {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true })
    return 'utf-8'
  } catch (cause) {
    const name = encodingOf(sample)
    if (name === undefined) throw notText('Save it as UTF-8 and upload it again.', cause)
    guessing.note(readAs(`${name}, which it looks like; it is not UTF-8`))
    return name
  }
}
