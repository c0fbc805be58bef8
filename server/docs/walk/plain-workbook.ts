/** A workbook whose bytes can all stand in a text, so that the collection needs no file of whoever runs it: nothing is packed, and no byte is above 127. */
import { crc32 } from 'node:zlib'

const declaration = '<?xml version="1.0" encoding="UTF-8"?>'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const ofWorkbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const little = (value: number, bytes: number) =>
  Array.from({ length: bytes }, (_, at) => String.fromCharCode(Math.floor(value / 256 ** at) % 256)).join('')

const isPlain = (...values: readonly number[]) =>
  values.every((value) => [0, 1, 2, 3].every((at) => Math.floor(value / 256 ** at) % 256 < 128))

/** The content with white space behind it, which XML allows, until its sum and what its length leads to have no high byte. */
function padded(content: string, before: number): string {
  for (let tries = 0; tries < 100_000; tries++) {
    const spaces = tries.toString(2).replaceAll('0', ' ').replaceAll('1', '\n')
    const whole = `${content}${' '.repeat(tries % 256)}${spaces}`
    if (isPlain(crc32(whole), whole.length, before + whole.length)) return whole
  }
  throw new Error('No padding makes the workbook plain')
}

/** One sheet of texts. */
export function plainWorkbook(sheet: string, rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) => row.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')
  const files: readonly (readonly [name: string, content: string])[] = [
    [
      '[Content_Types].xml',
      `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${ofWorkbook}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${ofWorkbook}.worksheet+xml"/></Types>`,
    ],
    [
      '_rels/.rels',
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="${sheet}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    ],
    [
      'xl/worksheets/sheet1.xml',
      `<worksheet xmlns="${main}"><sheetData>${rows.map((row) => `<row>${cells(row)}</row>`).join('')}</sheetData></worksheet>`,
    ],
  ]
  let archive = ''
  let directory = ''
  for (const [name, content] of files) {
    const at = archive.length
    const begin = at + 30 + name.length
    const text = padded(`${declaration}${content}`, begin)
    const said = `${little(0, 4)}${little(0, 2)}${little(0x21, 2)}${little(crc32(text), 4)}${little(text.length, 4)}${little(text.length, 4)}${little(name.length, 2)}`
    archive += `PK\u0003\u0004${little(20, 2)}${said}${little(0, 2)}${name}${text}`
    directory += `PK\u0001\u0002${little(20, 2)}${little(20, 2)}${said}${little(0, 12)}${little(at, 4)}${name}`
  }
  if (!isPlain(directory.length)) throw new Error('The directory of the workbook is not plain')
  const end = `PK\u0005\u0006${little(0, 4)}${little(files.length, 2)}${little(files.length, 2)}${little(directory.length, 4)}${little(archive.length, 4)}${little(0, 2)}`
  return `${archive}${directory}${end}`
}
