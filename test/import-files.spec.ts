/** What stands in files that people and programs make, and what becomes of it. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { inflateRawSync } from 'node:zlib'

import { writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { readRows } from '#tools/instances/import/file.ts'
import { receivedRows, sentRows } from '#tools/instances/import/sent-rows.rules.ts'
import { archiveParts } from '#tools/instances/import/xlsx-archive.rules.ts'
import { readXlsx } from '#tools/instances/import/xlsx.ts'

import { type ImportWorld, openImports } from './support/imports.ts'
import type { World } from './support/world.ts'
import { zipArchive } from './support/zip-archive.ts'

let imports: ImportWorld
let world: World

beforeAll(async () => {
  imports = await openImports()
  ;({ world } = imports)
})

afterAll(() => imports.close())

const importFile: ImportWorld['importFile'] = (...file) => imports.importFile(...file)
const task = async (record: string) => (await world.call('get_instance', { entity: 'Task', record })).data

describe('a JSON file', () => {
  it('may leave out of each row what the row does not have', async () => {
    const rows = [
      { key1: 'j1', Title: 'a' },
      { key1: 'j2', Amount: 5 },
      { key1: 'j3', Price: 1.5, Tags: ['x'] },
    ]
    expect(await importFile('sparse.json', JSON.stringify(rows))).toMatchObject({ inserted: 3, ignoredColumns: [] })
    expect(await task('j2')).toMatchObject({ Title: null, Amount: 5 })
    expect(await task('j3')).toMatchObject({ Price: 1.5, Tags: ['x'] })
    await importFile('more.json', '[{"key1":"j2","Title":"b"}]')
    expect(await task('j2')).toMatchObject({ Title: 'b', Amount: 5 })
  })

  it('fails the rows whose values cannot be kept, as a call would, and saves the others', async () => {
    const done = await importFile(
      'exact.json',
      '\uFEFF [ {"key1":"e1","Amount":9007199254740993}, {"key1":"e2","Amount":1e400},\n{"key1":"e3","Title":"a\\u0000b"},{"key1":"e4","Amount":9007199254740992, "Title":"[{\\"}]"} ] \n',
    )
    expect(done).toMatchObject({ state: 'partly', inserted: 1, failed: 3 })
    expect(done.errors.map((error: { row: number }) => error.row)).toEqual([1, 2, 3])
    expect(done.errors[0].message).toContain('9007199254740993')
    expect(await importFile('none.json', '[{"key1":"e5","Amount":9007199254740993}]')).toMatchObject({ state: 'partly', failed: 1 })
    expect(await task('e4')).toMatchObject({ Amount: 9007199254740992, Title: '[{"}]' })
  })

  it.each([
    ['an object', '{"rows":[]}', 'it does not begin with ['],
    ['a line for each row', '{"key1":"a"}\n{"key1":"b"}', 'it does not begin with ['],
    ['values that are no objects', '[{"key1":"a"},\n2]', 'row 2, in line 2, does not begin with {'],
    ['no end', '[{"key1":"a"}', 'it ends in row 1'],
    ['something after its end', '[{"key1":"a"}]\n x', 'something stands behind its end, in line 2'],
    ['a comma too many', '[{"key1":"a"},]', 'row 2, in line 1, does not begin with {'],
    ['a row that is no JSON', '[{"key1":"a"}, {key1:"b"}]', 'row 2 is not valid JSON'],
    ['nothing', ' ', 'it is empty'],
  ])('with %s is refused in a sentence that says where', async (_what, text, where) => {
    expect(await importFile('bad.json', text)).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining(`not a JSON array of objects: ${where}`),
    })
  })

  it('whose first row nests too deep says so, be its columns mapped', async () => {
    const deep = `[{"k":"d1","Title":${'['.repeat(70)}${']'.repeat(70)}}]`
    const done = await importFile('deep.json', deep, { mapping: { key1: 'k' } })
    expect(done).toMatchObject({ failed: 1, errors: [{ row: 1, message: 'The row nests deeper than 64 levels.' }] })
  })

  it('tells how many errors and ignored columns it has left out', async () => {
    const rows = Array.from({ length: 130 }, (_, index) => ({
      key1: `w${index}`,
      Amount: 'many',
      ...(index < 112 ? { [`x${index}`]: 1 } : {}),
    }))
    const done = await importFile('wrong.json', JSON.stringify(rows))
    expect(done).toMatchObject({ failed: 130, errorsLeftOut: 30, ignoredColumnsLeftOut: 12 })
    expect([done.errors.length, done.ignoredColumns.length]).toEqual([100, 100])
    const few = await importFile('few.json', JSON.stringify(rows.slice(0, 90)))
    expect([few.failed, few.errorsLeftOut, few.ignoredColumnsLeftOut]).toEqual([90, undefined, undefined])
  })
})

describe('bytes', () => {
  const rows = Array.from({ length: 200 }, (_, index) => ({ key1: `cut${index}`, Title: `ä"${index}\\ 😀,\r\n`, Tags: ['[', '}'] }))
  const csv = ['key1,Title,Tags', ...rows.map((row) => `${row.key1},"${row.Title.replaceAll('"', '""')}",[;}`)].join('\r\n')

  it.each([
    ['json', Buffer.from(JSON.stringify(rows))],
    ['csv', Buffer.from(csv)],
    ['csv', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(csv, 'utf16le').swap16()])],
  ] as const)('of %s may come in pieces of any size', async (format, bytes) => {
    for (const size of [1, 7, 4096, bytes.length]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
      const read = await Array.fromAsync(readRows(Readable.from(pieces), { format, delimiter: ',', maxColumns: 10 }))
      expect(read.map((row) => row.values['Title'])).toEqual(rows.map((row) => row.Title))
      expect(read.filter((row) => row.problem !== undefined)).toEqual([])
    }
  })
})

describe('a CSV file', () => {
  it('fails rows with more cells than columns, and pads shorter ones', async () => {
    const done = await importFile('cells.csv', 'key1,Title,Amount\nc1,a\nc2,a,2,more\nc3,a,3,,\n')
    expect(done).toMatchObject({ state: 'partly', inserted: 2, failed: 1 })
    expect(done.errors).toEqual([{ row: 2, line: 3, path: '$', severity: 'error', message: 'The row has 4 cells, the header 3.' }])
  })

  it('fails a row whose quote is never closed instead of taking the rest of the file for a cell', async () => {
    const done = await importFile('open.csv', 'key1,Title\nq1,a\nq2,"open\nq3,b\nq4,c\n')
    expect(done).toMatchObject({ state: 'partly', inserted: 1, failed: 1 })
    expect(done.errors[0]).toMatchObject({ row: 2, message: expect.stringContaining('never closed') })
    const trailing = await importFile('trailing.csv', 'key1,Title\nq5,"a"b,c"\nq6,"fine, ""quoted"""\n')
    expect(trailing.errors[0]).toMatchObject({ row: 1, message: expect.stringContaining('after its closing quote') })
    expect((await task('q6')).Title).toBe('fine, "quoted"')
  })

  it('ends a row that has no end before it fills the memory', async () => {
    expect(await importFile('endless.csv', `key1,Title\nq7,"${'x,'.repeat(9_000_000)}`)).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('Row 1 has more than 16 million characters'),
    })
  })

  it('is read in UTF-16 where its mark says so, with semicolons and any ends of lines', async () => {
    const text = 'key1;Title;Due\r\nu1;ärger "x";2026-03-01\r\n'
    expect(await importFile('unicode.csv', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]))).toMatchObject({
      inserted: 1,
    })
    expect(await task('u1')).toMatchObject({ Title: 'ärger "x"', Due: '2026-03-01T00:00:00.000Z' })
    expect(await importFile('old.csv', 'key1,Title\ru2,a\ru3,b\r')).toMatchObject({ inserted: 2 })
    expect(await importFile('tabs.tsv', 'key1\tTitle\nu4\ta,b\n')).toMatchObject({ inserted: 1 })
    expect((await task('u4')).Title).toBe('a,b')
  })

  it('without a column that stands for anything saves nothing and says what there is', async () => {
    const before = await world.call('count_instances', { entity: 'Task' })
    expect(await importFile('strange.csv', 'foo,bar\n1,2\n')).toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/foo, bar.*Title, Amount/),
    })
    expect(await world.call('count_instances', { entity: 'Task' })).toEqual(before)
  })

  it('tells every mistake of a row, with the nearest right name', async () => {
    const done = await importFile('wrong.csv', 'key1,Amount,Day,Status\nw1,many,2026-02-30,opn\n')
    expect(done.errors.map((error: { path: string }) => error.path)).toEqual(['$.data.Amount', '$.data.Day', '$.data.Status'])
    expect(done.errors[2]).toMatchObject({ row: 1, suggestion: 'open' })
  })

  it('takes the key from a column that also is a property, and a mapped property from its column alone', async () => {
    expect(await importFile('both.csv', 'Title,Name\nt1,n1\n', { mapping: { key1: 'Title' } })).toMatchObject({ ignoredColumns: ['Name'] })
    expect((await task('t1')).Title).toBe('t1')
    const mapped = await importFile('named.csv', 'key1,Title,Name\nt2,a,b\n', { mapping: { Title: 'Name' } })
    expect(mapped).toMatchObject({ inserted: 1, ignoredColumns: ['Title'] })
    expect((await task('t2')).Title).toBe('b')
  })

  it('gives each record its key however the column writes it', async () => {
    const rows = 'Key 1,KEY_2,Title\nk1,k2,named\n'
    expect(await importFile('keyed.csv', rows)).toMatchObject({ inserted: 1, ignoredColumns: [] })
    expect(await importFile('keyed.csv', rows)).toMatchObject({ skipped: 1 })
    const found = await world.call('get_instance_by_key', { entity: 'Task', key1: 'k1', key2: 'k2' })
    expect(found.data.Title).toBe('named')
  })

  it('is not split at a quote or at the end of a line', async () => {
    const { assetKey } = await world.call('upload_asset', { fileName: 'd.csv', contentBase64: 'YQ==' }, { transport: 'mcp' })
    for (const delimiter of ['"', '\n', ';;'])
      await expect(world.run('import_instances', { entity: 'Task', assetKey, delimiter })).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('the order of a file', () => {
  it('decides, wherever its chunks end: a later row of one key changes what an earlier one saved', async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => `o${index % 2_400},${index}`).join('\n')
    expect(await importFile('twice.csv', `key1,Amount\n${rows}\n`)).toMatchObject({ rows: 2_500, inserted: 2_400, updated: 100, failed: 0 })
    expect((await task('o0')).Amount).toBe(2_400)
    expect(await importFile('near.csv', 'key1,Amount\nn1,1\nn1,2\nn1,3\n')).toMatchObject({ rows: 3, inserted: 1, updated: 2 })
    expect(await world.call('get_instance_history', { entity: 'Task', record: 'n1' })).toHaveLength(3)
    expect(await importFile('once.csv', 'key1,Amount\nn2,1\nn2,2\n', { importMode: 'insertOnly' })).toMatchObject({
      inserted: 1,
      skipped: 1,
    })
  })

  it('lets a row name the parent that the row before it makes', async () => {
    const done = await importFile('tree.csv', 'key1,parentKey1,Title\nroot,,r\na,root,x\nb,root,y\nc,a,z\nd,nobody,w\n', { entity: 'Area' })
    expect(done).toMatchObject({ inserted: 4, failed: 1, rows: 5 })
    expect(done.errors[0].row).toBe(5)
    const a = await world.call('get_instance', { entity: 'Area', record: 'a' })
    expect((await world.call('get_instance', { entity: 'Area', record: 'c' })).parentEIRecordId).toBe(a.eiRecordId)
  })
})

describe('a workbook', () => {
  it('names its columns once for many rows on their way between processes', () => {
    const columns = Array.from({ length: 200 }, (_one, n) => `${n} ${'x'.repeat(190)}`)
    const rows = Array.from({ length: 500 }, (_one, line) => ({
      line,
      values: Object.fromEntries(columns.map((column, at) => [column, at === line % 7 ? line : ''])),
    }))
    const sent = JSON.stringify(sentRows({ sheet: 'survey', rows }))
    expect(sent.length).toBeLessThan(100_000)
    expect(receivedRows(JSON.parse(sent))).toEqual({ sheet: 'survey', rows })
    expect(receivedRows(sentRows({ sheet: 'survey', rows: [] }))).toEqual({ sheet: 'survey', rows: [] })
  })

  const header = ['key1', 'Title', 'Amount', 'Price', 'Due', 'Day', 'At', 'Is Done', 'Status', 'Tags', 'Remarks']

  it('gives every type its value', async () => {
    const due = new Date('2026-03-01T08:30:15Z')
    const day = new Date('2026-03-02T00:00:00Z')
    const bytes = await writeXlsx({
      sheets: [
        {
          name: 'Tasks',
          rows: [
            [],
            header,
            ['x1', 'Größe', 12.5, 0.1 + 0.2, due, day, '07:05', true, 'open', 'b;a', 'ignored'],
            [7, 8, '9', null, day, null, null, 'no', null, null, null],
            [null, null],
            ['x3', '', 'north', null, null, null, null, null, 'opn', null, null],
          ],
        },
        {
          name: 'Other',
          rows: [
            ['key1', 'Title'],
            ['y1', 'other'],
          ],
        },
      ],
    })
    const done = await importFile('tasks.xlsx', bytes)
    expect(done).toMatchObject({ state: 'partly', rows: 3, inserted: 2, failed: 1, ignoredColumns: ['Remarks'] })
    expect(done.errors).toMatchObject([
      { row: 3, path: '$.data.Amount' },
      { row: 3, path: '$.data.Status', suggestion: 'open' },
    ])
    expect(await task('x1')).toEqual({
      Title: 'Größe',
      Amount: 12.5,
      Price: 0.3,
      Due: '2026-03-01T08:30:15.000Z',
      Day: '2026-03-02',
      At: '07:05:00',
      IsDone: true,
      Status: 'open',
      Tags: ['b', 'a'],
    })
    const seven = await world.call('get_instance_by_key', { entity: 'Task', key1: '7' })
    expect(seven.data).toMatchObject({ Title: '8', Amount: 9, Due: '2026-03-02T00:00:00.000Z', IsDone: false })
    expect(await importFile('tasks.xlsx', bytes, { sheet: 'Other' })).toMatchObject({ inserted: 1 })
    expect(await importFile('tasks.xlsx', bytes, { sheet: 'Nowhere' })).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('no sheet'),
    })
  })

  it('may hold any characters in its cells', async () => {
    const strange = 'a\u2028b\u2029c\nd\r\ne\t"f" \u0085'
    const rows = [
      ['key1', 'Title'],
      ['strange', strange],
    ]
    expect(await importFile('strange.xlsx', await writeXlsx({ sheets: [{ name: 'S', rows }] }))).toMatchObject({ rows: 1, inserted: 1 })
    expect((await task('strange')).Title).toContain('a\u2028b\u2029c\nd')
  })

  it('that shows one long text in many cells ends before it fills the disk or the memory', async () => {
    const long = 'x'.repeat(30_000)
    const wide = await writeXlsx({ sheets: [{ name: 'S', rows: [['key1'], Array.from({ length: 600 }, () => long)] }] })
    expect(await importFile('wide.xlsx', wide)).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('unpacks to more'),
    })
    const rows = Array.from({ length: 100 }, (_, index) => [`k${index}`, long])
    const deep = Buffer.from(await writeXlsx({ sheets: [{ name: 'S', rows: [['key1', 'Title'], ...rows] }] }))
    const read = Array.fromAsync(readXlsx(Readable.from([deep]), { sheet: undefined, maxColumns: 10, maxCharacters: 1_000_000 }))
    await expect(read).rejects.toMatchObject({ code: 'unprocessable', message: expect.stringContaining('unpacks to more') })
  })

  it('of many rows is imported chunk by chunk', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => [`many${index}`, `Row ${index}`, index])
    const bytes = await writeXlsx({ sheets: [{ name: 'S', rows: [['key1', 'Title', 'Amount'], ...rows] }] })
    expect(await importFile('many.xlsx', bytes)).toMatchObject({ inserted: 5_000, failed: 0 })
    expect(await task('many4999')).toMatchObject({ Title: 'Row 4999', Amount: 4999 })
  })

  it.each([
    ['is none', 'key1,Title\n'],
    ['is empty', ' '],
    ['is of the old format', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['is another archive', zipArchive([['a.txt', Buffer.from('hello')]])],
    ['is cut off', zipArchive([['[Content_Types].xml', Buffer.from('<Types/>')]]).subarray(0, 60)],
    ['keeps its sizes to itself', zipArchive([['xl/sharedStrings.xml', Buffer.alloc(100_000)]], { unpacked: 0 })],
    ['unpacks to gigabytes', zipArchive([['xl/worksheets/sheet1.xml', Buffer.alloc(1000)]], { unpacked: 0xfffffff0 })],
    ['holds a text of gigabytes', zipArchive([['xl/sharedStrings.xml', Buffer.alloc(1000)]], { unpacked: 200 * 1024 * 1024 })],
    ['lies about what it unpacks to', zipArchive([['[Content_Types].xml', Buffer.alloc(10_000_000)]], { unpacked: 10 })],
  ])('that %s is refused in a sentence', async (_what, bytes) => {
    const refused = await importFile('bad.xlsx', bytes)
    expect(refused.code).toBe('unprocessable')
    expect(refused.message).toMatch(/Save (it|the sheet) as/)
  })

  it.each([
    ['ends in the middle of a row', (xml: string) => xml.slice(0, xml.indexOf('<row r="4"') + 20)],
    ['closes early, with rows behind its end', (xml: string) => xml.replace('<row r="4"', '</sheetData></worksheet><row r="4"')],
    ['holds a row that is no XML', (xml: string) => xml.replace('<row r="4"', '&bogus;<<<<<row r="4"')],
    ['closes what is not open', (xml: string) => xml.replace('<row r="4"', '</c></c><row r="4"')],
  ])('whose sheet %s is refused, and none of its rows is lost in silence', async (_what, broken) => {
    const rows = Array.from({ length: 8 }, (_, index) => [`cut${index}`, `Row ${index}`])
    const parts = archiveParts(Buffer.from(await writeXlsx({ sheets: [{ name: 'S', rows: [['key1', 'Title'], ...rows] }] })))
    if (typeof parts === 'string') throw new Error(parts)
    const files = parts.map(({ name, isPacked, bytes }) => {
      const text = (isPacked ? inflateRawSync(bytes) : Buffer.from(bytes)).toString('utf8')
      return [name, Buffer.from(name.includes('worksheets/sheet') ? broken(text) : text)] as const
    })
    expect(await importFile('cut.xlsx', zipArchive(files))).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('a broken one'),
    })
    expect(
      await world.call('count_instances', { entity: 'Task', filterRules: [{ property: 'key1', op: 'startsWith', value: 'cut' }] }),
    ).toMatchObject({ count: 0 })
    const whole = parts.map(({ name, isPacked, bytes }) => [name, isPacked ? inflateRawSync(bytes) : Buffer.from(bytes)] as const)
    expect(await importFile('whole.xlsx', zipArchive(whole), { dryRun: true })).toMatchObject({ rows: 8, failed: 0 })
  })

  it('that packs a large sheet more than a hundredfold is refused before it is unpacked', async () => {
    const holding = (sheet: Buffer) => zipArchive([['xl/worksheets/sheet1.xml', sheet]], { unpacked: 200 * 1024 * 1024 })
    const bomb = await importFile('bomb.xlsx', holding(Buffer.alloc(200_000)))
    expect(bomb).toMatchObject({ code: 'unprocessable', message: expect.stringContaining('unpacks to more') })
    // Packed fifty times it is opened, and only then found to be no workbook.
    const dense = await importFile('dense.xlsx', holding(randomBytes(4 * 1024 * 1024)))
    expect(dense).toMatchObject({ code: 'unprocessable', message: expect.stringContaining('no XLSX workbook') })
  })

  it('in a format that is not read is refused at the call', async () => {
    const { assetKey } = await world.call('upload_asset', { fileName: 'b.xlsb', contentBase64: 'YQ==' }, { transport: 'mcp' })
    await expect(world.run('import_instances', { entity: 'Task', assetKey })).rejects.toMatchObject({
      code: 'unsupported_type',
      message: expect.stringContaining('.xlsx'),
    })
  })
})
