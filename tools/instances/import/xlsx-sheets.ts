/** Whether the sheets of a workbook are whole: the reader of rows takes what it understands and says nothing of the rest. */
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { createInflateRaw } from 'node:zlib'

import { SaxesParser } from 'saxes'

import type { ArchivePart } from './xlsx-archive.rules.ts'

/** What the parser is given at a time; between two pieces others have their turn. */
const pieceCharacters = 64 * 1024

/** The name of the first sheet that is no whole XML document. Rows behind a break would be lost without a word. */
export async function findBrokenSheet(parts: readonly ArchivePart[]): Promise<string | undefined> {
  for (const part of parts) if (/worksheets\/[^/]+\.xml$/i.test(part.name) && !(await isWhole(part))) return part.name
  return undefined
}

async function isWhole({ isPacked, bytes }: ArchivePart): Promise<boolean> {
  const packed = Readable.from([bytes], { objectMode: false })
  const unpacked = isPacked ? packed.pipe(createInflateRaw()) : packed
  const parser = new SaxesParser({ position: false })
  let isSound = true
  parser.on('error', () => void (isSound = false))
  const decoder = new StringDecoder('utf8')
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      const text = decoder.write(chunk)
      for (let at = 0; at < text.length; at += pieceCharacters) parser.write(text.slice(at, at + pieceCharacters))
      if (!isSound) return false
    }
    parser.write(decoder.end()).close()
    return isSound
  } catch {
    return false
  } finally {
    unpacked.destroy()
    packed.destroy()
  }
}
