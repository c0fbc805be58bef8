/** Makes the files that the recognition tests read, from the committed ones: PDFs by hand, pictures through sharp. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'

import sharp from 'sharp'

const folder = fileURLToPath(new URL('../fixtures/recognition/', import.meta.url))
/** Absolute path of a committed file. */
export const fixture = (name: string): string => join(folder, name)

/** A PDF of the given objects, numbered from 1, the first being the catalogue. */
export function writePdf(objects: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const add = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  for (const [index, body] of objects.entries()) {
    offsets.push(length)
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n')]))
  }
  const start = length
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  add(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer << /Size ${count} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`))
  return Buffer.concat(parts)
}

export const stream = (dictionary: string, content: string | Buffer) =>
  Buffer.concat([Buffer.from(`<< ${dictionary} /Length ${content.length} >>\nstream\n`), Buffer.from(content), Buffer.from('\nendstream')])

/**
 * Pages of 400 by 200 points, each with its lines of text, the first baseline 40 points below the top. `onSide`: stored as upright sheets whose
 * writing runs upwards, and shown turned, as scanners and spreadsheets write landscape pages.
 */
export function textPdf(pages: readonly (readonly string[])[], onSide = false): Buffer {
  const [sheet, start] = onSide ? ['[0 0 200 400] /Rotate 90', '0 1 -1 0 40 20 Tm'] : ['[0 0 400 200]', '20 160 Td']
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ')
  const content = pages.flatMap((lines, index) => [
    `<< /Type /Page /Parent 2 0 R /MediaBox ${sheet} /Contents ${5 + index * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    stream('', `BT /F1 12 Tf ${start} 20 TL ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`),
  ])
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...content,
  ])
}

/** A4 pages (595 by 842 points), each nothing but the picture. */
export async function scannedPdf(picture: string, pages = 1): Promise<Buffer> {
  const { data, info } = await sharp(picture).toColourspace('b-w').jpeg({ quality: 80 }).toBuffer({ resolveWithObject: true })
  const image = `/Type /XObject /Subtype /Image /Width ${info.width} /Height ${info.height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode`
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R /Resources << /XObject << /Scan 4 0 R >> >> >>'
  const sheets = Array.from({ length: pages }, () => page)
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${sheets.map((_, index) => `${5 + index} 0 R`).join(' ')}] /Count ${pages} >>`,
    stream('', 'q 595 0 0 842 0 0 cm /Scan Do Q'),
    stream(image, data),
    ...sheets,
  ])
}

/** A PNG of a few bytes that claims to be this large. */
export function pngBomb(width: number, height: number): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), content])
    const framed = Buffer.alloc(8)
    framed.writeUInt32BE(content.length, 0)
    framed.writeUInt32BE(crc32(named), 4)
    return Buffer.concat([framed.subarray(0, 4), named, framed.subarray(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', Buffer.from('789c030000000001', 'hex')),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The page as a hand-held telephone takes it: a shadow across it, grain, two degrees off level, soft, strongly compressed. The same each time. */
export async function photographed(picture: string): Promise<Buffer> {
  const { data, info } = await sharp(picture).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  let seed = 7
  const random = () => (seed = (seed * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32
  const grain = () => Math.sqrt(-2 * Math.log(random() + 1e-9)) * Math.cos(2 * Math.PI * random()) * 14
  for (const [index, value] of data.entries()) {
    const [x, y] = [(index % info.width) / info.width, Math.floor(index / info.width) / info.height]
    const light = 0.35 + 0.65 * (0.5 + 0.5 * Math.sin(2.2 * x + 1.4 * y + 0.4))
    data[index] = Math.max(0, Math.min(255, value * light * 0.9 + grain()))
  }
  const grey = { raw: { width: info.width, height: info.height, channels: 1 as const } }
  const turned = await sharp(data, grey).rotate(2, { background: '#777' }).png().toBuffer()
  return sharp(turned).blur(0.9).jpeg({ quality: 55 }).toBuffer()
}
