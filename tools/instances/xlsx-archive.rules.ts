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
/** Stands where a size did not fit; workbooks that need it are far beyond the limits. */
const beyond = 0xffffffff

const isOle = (bytes: Uint8Array) => bytes[0] === 0xd0 && bytes[1] === 0xcf && bytes[2] === 0x11 && bytes[3] === 0xe0

/** A sentence where the archive is none, is locked, or unpacks to more than may be; undefined where it may be read. */
export function findArchiveProblem(bytes: Uint8Array): string | undefined {
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
    at += entryBytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return undefined
}

/** Where the record at the end of the archive begins; a comment of up to 65,535 bytes may follow it. */
function findEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - endBytes - 0xffff)
  for (let at = view.byteLength - endBytes; at >= first; at--) if (view.getUint32(at, true) === endOfDirectory) return at
  return undefined
}
