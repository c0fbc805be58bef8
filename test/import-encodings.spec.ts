/** CSV files that say nowhere which characters their bytes are. */
import { TextDecoder } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type ImportWorld, openImports } from './support/imports.ts'
import type { World } from './support/world.ts'

let imports: ImportWorld
let world: World

beforeAll(async () => {
  imports = await openImports()
  ;({ world } = imports)
})

afterAll(() => imports.close())

const importFile: ImportWorld['importFile'] = (...file) => imports.importFile(...file)
const task = async (record: string) => (await world.call('get_instance', { entity: 'Task', record })).data

const tables = new Map<string, ReadonlyMap<string, Buffer>>()

/** The bytes of each character, as the decoder has them. */
function tableOf(encoding: string): ReadonlyMap<string, Buffer> {
  const known = tables.get(encoding)
  if (known) return known
  const decoder = new TextDecoder(encoding)
  const table = new Map<string, Buffer>()
  const note = (bytes: Buffer) => {
    const text = decoder.decode(bytes)
    if (/^.$/su.test(text) && text !== '\uFFFD' && !table.has(text)) table.set(text, bytes)
  }
  for (let byte = 0; byte < 256; byte++) note(Buffer.from([byte]))
  for (let first = 0x81; first < 256; first++) for (let second = 0x40; second < 256; second++) note(Buffer.from([first, second]))
  tables.set(encoding, table)
  return table
}

function encoded(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  const table = tableOf(encoding)
  const parts = Array.from(text.matchAll(/./gsu), ([character]) => table.get(character))
  expect(parts).not.toContain(undefined)
  return Buffer.concat(parts.filter((part) => part !== undefined))
}

describe('a CSV file', () => {
  it.each([
    ['windows-1252', 'Müller & Söhne – “Größe” 5 €'],
    ['windows-1250', 'Zażółć gęślą jaźń'],
    ['windows-1251', 'Привет, улица Ленина'],
    ['shift_jis', '東京駅の漏水修理'],
    ['gb18030', '东京站漏水修理完成'],
  ] as const)('is read in %s, which it does not say, and that is noted', async (encoding, title) => {
    const rows = Array.from({ length: 40 }, (_, index) => `${encoding}-${index};"${title}"`)
    const bytes = encoded(`key1;Title\r\n${rows.join('\r\n')}\r\n`, encoding)
    const done = await importFile(`${encoding}.csv`, bytes)
    expect(done).toMatchObject({ state: 'succeeded', inserted: 40, errors: [] })
    expect(done.notes).toEqual([expect.stringContaining(`read as ${encoding}, which it looks like; it is not UTF-8`)])
    expect((await task(`${encoding}-7`)).Title).toBe(title)
  })

  it('is read in the encoding that the call names, or refused where it is not in it', async () => {
    const bytes = encoded('key1,Title\nnamed-1,Zażółć\n', 'windows-1250')
    const done = await importFile('named.csv', bytes, { encoding: 'windows-1250' })
    expect(done).toMatchObject({ inserted: 1 })
    expect(done.notes).toBeUndefined()
    expect((await task('named-1')).Title).toBe('Zażółć')
    const refused = await importFile('named.csv', bytes, { encoding: 'utf-8' })
    expect(refused).toMatchObject({ code: 'unprocessable', message: expect.stringContaining('not UTF-8') })
  })

  it('is read in UTF-16 without its mark, and in UTF-8 or other bytes that begin far behind', async () => {
    for (const name of ['utf16le', 'utf16be'] as const) {
      const text = Buffer.from(`key1\tTitle\n${name}\tУлица 5\n`, 'utf16le')
      const done = await importFile(`${name}.txt`, name === 'utf16le' ? text : text.swap16())
      expect(done).toMatchObject({ inserted: 1, notes: [expect.stringContaining('UTF-16 without its mark')] })
      expect((await task(name)).Title).toBe('Улица 5')
    }
    const plain = Array.from({ length: 6_000 }, (_, index) => `far-${index},${'plain '.repeat(3)}`).join('\n')
    for (const encoding of ['utf-8', 'windows-1252'] as const) {
      const done = await importFile('far.csv', encoded(`key1,Title\n${plain}\nfar-last,Größe ${encoding}\n`, encoding))
      expect(done).toMatchObject({ rows: 6_001, failed: 0 })
      expect(done.notes?.length ?? 0).toBe(encoding === 'utf-8' ? 0 : 1)
      expect((await task('far-last')).Title).toBe(`Größe ${encoding}`)
    }
  })

  it('is refused where it is UTF-8 in one place and not in another', async () => {
    const mixed = Buffer.concat([Buffer.from('key1,Title\nm-1,Größe\n'), Buffer.alloc(70_000, 'x,y\n'), Buffer.from([0xe9, 0x0a])])
    expect(await importFile('mixed.csv', mixed)).toMatchObject({ code: 'unprocessable', message: expect.stringContaining('not UTF-8') })
  })

  it.each([
    ['|', 'key1|Title|Amount\npipe-1|a,b;c|2\n', 'pipe-1'],
    [';', 'sep=;\r\nkey1;Title;Amount\r\nsep-1;"a,b;c";2\r\n', 'sep-1'],
    ['a tab', 'sep=\t\nkey1\tTitle\tAmount\nsep-2\ta,b;c\t2\n', 'sep-2'],
  ])('may have %s between its columns, and say so in its first line', async (_separator, text, key) => {
    expect(await importFile('separated.csv', text)).toMatchObject({ state: 'succeeded', inserted: 1 })
    expect(await task(key)).toMatchObject({ Title: 'a,b;c', Amount: 2 })
  })
})
