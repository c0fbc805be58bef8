/** Reads one file of a ZIP archive, as Python's wheels are packed. */
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

const signatures = { file: 0x04034b50, entry: 0x02014b50, end: 0x06054b50 } as const
const endLength = 22
const longestComment = 65_535
const methods = { stored: 0, deflated: 8 } as const

/** Where the list of the files begins, and how many there are. */
function findEnd(archive: Buffer): { count: number; start: number } {
  const first = Math.max(0, archive.length - endLength - longestComment)
  for (let at = archive.length - endLength; at >= first; at -= 1)
    if (archive.readUInt32LE(at) === signatures.end) return { count: archive.readUInt16LE(at + 10), start: archive.readUInt32LE(at + 16) }
  throw new Error('The archive is no ZIP file.')
}

/** The bytes of the file at `path`. Throws where there is none, and where it unpacks to more than `maxBytes`. */
export async function readZipFile(archive: Buffer, path: string, maxBytes: number): Promise<Buffer> {
  const { count, start } = findEnd(archive)
  let at = start
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== signatures.entry) throw new Error('The archive has an entry that cannot be read.')
    const nameLength = archive.readUInt16LE(at + 28)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    if (name === path) return unpack(archive, at, maxBytes)
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  throw new Error(`The archive has no ${path}.`)
}

async function unpack(archive: Buffer, entry: number, maxBytes: number): Promise<Buffer> {
  const method = archive.readUInt16LE(entry + 10)
  const packedBytes = archive.readUInt32LE(entry + 20)
  const header = archive.readUInt32LE(entry + 42)
  if (archive.readUInt32LE(header) !== signatures.file) throw new Error('The archive has a file that cannot be read.')
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28)
  const packed = archive.subarray(start, start + packedBytes)
  if (method === methods.deflated) return promisify(inflateRaw)(packed, { maxOutputLength: maxBytes })
  if (method !== methods.stored || packed.length > maxBytes)
    throw new Error('The archive has a file that is too large or packed in an unknown way.')
  return packed
}
