/** What stands before the first element of a workbook's XML parts. Documents with types of their own are no workbooks: such types are made to be unfolded. */
import { Readable } from 'node:stream'
import { createInflateRaw } from 'node:zlib'

import type { ArchivePart } from './xlsx-archive.rules.ts'

/** Longer than that nothing stands before the first element but what is meant to hide something. */
const maxPrologCharacters = 256 * 1024

/** The name of the first part that declares a document type, or hides its beginning. */
export async function findDoctype(parts: readonly ArchivePart[]): Promise<string | undefined> {
  for (const part of parts) if (/\.(xml|rels|vml)$/i.test(part.name) && (await declaresType(part))) return part.name
  return undefined
}

async function declaresType({ isPacked, bytes }: ArchivePart): Promise<boolean> {
  const packed = Readable.from([bytes], { objectMode: false })
  // A packing that is broken is found by the reader of the workbook, which says so.
  const unpacked = isPacked ? packed.pipe(createInflateRaw()) : packed
  let prolog = ''
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      prolog += chunk.toString('latin1')
      // Comments may hold anything, so they go first; an instruction cannot hold what follows.
      const declarations = prolog.replaceAll(/<!--[\s\S]*?-->/g, '')
      const element = declarations.search(/<[^?!]/)
      const before = element === -1 ? declarations : declarations.slice(0, element)
      if (/<!DOCTYPE/i.test(before)) return true
      if (element !== -1) return false
      if (prolog.length > maxPrologCharacters) return true
    }
  } catch {
    return false
  } finally {
    unpacked.destroy()
    packed.destroy()
  }
  return false
}
