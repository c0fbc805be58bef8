/** Reads the files of a gzipped tar archive, as npm packs them. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const block = 512
const field = (header: Buffer, start: number, length: number) => header.toString('utf8', start, start + length).replace(/\0.*$/s, '')

/** Path in the archive to bytes, regular files only. `maxBytes` bounds the unpacked size; more throws. */
export async function readTarGz(archive: Buffer, maxBytes: number): Promise<ReadonlyMap<string, Buffer>> {
  const tar = await promisify(gunzip)(archive, { maxOutputLength: maxBytes })
  const files = new Map<string, Buffer>()
  let offset = 0
  while (offset + block <= tar.length) {
    const header = tar.subarray(offset, offset + block)
    if (header[0] === 0) break
    const size = Number.parseInt(field(header, 124, 12).trim(), 8)
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('The archive has a header that cannot be read.')
    const start = offset + block
    const type = field(header, 156, 1)
    const prefix = field(header, 345, 155)
    const name = field(header, 0, 100)
    if (type === '0' || type === '') files.set(prefix === '' ? name : `${prefix}/${name}`, tar.subarray(start, start + size))
    offset = start + Math.ceil(size / block) * block
  }
  return files
}
