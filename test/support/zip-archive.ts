/** ZIP archives, honest ones and others. */
import { deflateRawSync } from 'node:zlib'

/** A ZIP archive, whose directory may lie about what its entries unpack to. */
export function zipArchive(files: readonly (readonly [name: string, content: Buffer])[], lie: { readonly unpacked?: number } = {}): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of files) {
    const packed = deflateRawSync(content)
    const sizes = Buffer.alloc(12)
    sizes.writeUInt32LE(packed.length, 4)
    sizes.writeUInt32LE(lie.unpacked ?? content.length, 8)
    const names = Buffer.alloc(4)
    names.writeUInt16LE(name.length, 0)
    const common = Buffer.concat([Buffer.from('14000000080000000000', 'hex'), sizes, names])
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), common, Buffer.from(name), packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), common, place, Buffer.from(name)]))
    parts.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(entries.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, entries, end])
}
