/** What a workbook's ZIP archive says of itself, before anything of it is unpacked. */

const MiB = 1024 * 1024
/** Of everything in the archive, unpacked; sheets are read as they are unpacked. */
const maxUnpackedBytes = 1024 * MiB
/** Of what is held in memory as a whole: texts, styles, relations. */
const maxPartBytes = 128 * MiB
const maxEntries = 5_000
/** Sheets of that size are packed ten to twenty times; what goes far beyond is made to fill the memory, with a row that has no end say. */
const maxPacking = 100

const endOfDirectory = 0x06054b50
const directoryEntry = 0x02014b50
const endBytes = 22
const entryBytes = 46
const localEntry = 0x04034b50
const localBytes = 30
/** Stands where a size did not fit; workbooks that need it are far beyond the limits. */
const beyond = 0xffffffff

const isOle = (bytes: Uint8Array) => bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0

/** A part of the workbook, as the archive packs it. */
export interface ArchivePart {
  readonly name: string
  readonly isPacked: boolean
  readonly bytes: Uint8Array
}

/** The parts of the archive; a sentence where it is none, is locked, or unpacks to more than may be. */
export function archiveParts(bytes: Uint8Array): readonly ArchivePart[] | string {
  if (isOle(bytes)) return 'The file is encrypted, or of the old .xls format. Save it as .xlsx without a password.'
  const broken = 'The file is no XLSX workbook, or a broken one. Save it as .xlsx again, or as CSV.'
  const tooLarge = 'The workbook unpacks to more than one file may. Save the sheet as CSV, or split it.'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  if (end === undefined) return broken
  const entries = view.getUint16(end + 10, true)
  if (entries > maxEntries) return tooLarge
  let at = view.getUint32(end + 16, true)
  let unpacked = 0
  const parts: ArchivePart[] = []
  for (let entry = 0; entry < entries; entry++) {
    if (at + entryBytes > view.byteLength || view.getUint32(at, true) !== directoryEntry) return broken
    const flags = view.getUint16(at + 8, true)
    const packedBytes = view.getUint32(at + 20, true)
    const unpackedBytes = view.getUint32(at + 24, true)
    const nameBytes = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(bytes.subarray(at + entryBytes, at + entryBytes + nameBytes))
    if ((flags & 1) !== 0) return 'The workbook is encrypted. Save it without a password.'
    if (packedBytes === beyond || unpackedBytes === beyond) return tooLarge
    // The directory always knows the size; an archive that keeps it to itself would be unpacked without a limit.
    if (unpackedBytes === 0 && packedBytes > 2) return broken
    unpacked += unpackedBytes
    const isSheet = /worksheets\/[^/]+\.xml$/i.test(name)
    const isBomb = unpackedBytes > maxPartBytes && (!isSheet || unpackedBytes > packedBytes * maxPacking)
    if (unpacked > maxUnpackedBytes || isBomb) return tooLarge
    const begin = contentOf(view, view.getUint32(at + 42, true))
    if (begin === undefined || begin + packedBytes > view.byteLength) return broken
    parts.push({ name, isPacked: view.getUint16(at + 10, true) !== 0, bytes: bytes.subarray(begin, begin + packedBytes) })
    at += entryBytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return parts
}

/** Where the bytes of an entry begin, behind its own header. */
function contentOf(view: DataView, at: number): number | undefined {
  if (at + localBytes > view.byteLength || view.getUint32(at, true) !== localEntry) return undefined
  return at + localBytes + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
}

/** Where the record at the end of the archive begins; a comment of up to 65,535 bytes may follow it. */
function findEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - endBytes - 0xffff)
  for (let at = view.byteLength - endBytes; at >= first; at--) if (view.getUint32(at, true) === endOfDirectory) return at
  return undefined
}
