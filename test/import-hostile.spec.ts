/** Files that were made to take the installation down. Each is refused or imported, and whoever calls meanwhile is answered. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'

import { writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type ReadingLimits, type ReadingRequest, readPlanned } from '#tools/instances/import/reading.ts'

import { openImports, type ImportWorld } from './support/imports.ts'
import { longestTurn } from './support/turns.ts'
import { zipArchive } from './support/zip-archive.ts'

const entity = {
  internalName: 'Task',
  properties: [
    { propertyId: 1, entityPropertyId: 2, internalName: 'Title', dataType: 'Text' as const, isList: false },
    { propertyId: 3, entityPropertyId: 4, internalName: 'Amount', dataType: 'Number' as const, isList: false },
  ],
}

interface Read {
  readonly rows: number
  readonly problems: readonly string[]
  readonly refused?: { readonly code?: string; readonly message: string }
  /** Longest that the event loop was held meanwhile, in ms. */
  readonly heldMs: number
}

function* repeated(text: string, times: number): Generator<Buffer> {
  const block = Buffer.from(text.repeat(1_000))
  for (let n = 0; n < times / 1_000; n++) yield block
}

/** As a storage hands a file over. */
function* pieces(parts: Iterable<string | Uint8Array>): Generator<Buffer> {
  for (const part of parts) {
    const bytes = Buffer.from(part)
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
  }
}

// Handing over what the process reads costs as much as it costs; reading it here would take seconds and minutes.
const heldAtMostMs = 500

/** Reads as a job does, without saving. */
async function read(
  format: ReadingRequest['format'],
  parts: Iterable<string | Uint8Array>,
  options: Partial<ReadingRequest> = {},
  limits?: ReadingLimits,
): Promise<Read> {
  const problems: string[] = []
  let rows = 0
  let refused: Read['refused']
  const { ms } = await longestTurn(async () => {
    try {
      const request: ReadingRequest = { format, entity, mapping: {}, skip: 0, maxColumns: 1_000, ...options }
      const file = Readable.from(pieces(parts))
      for await (const chunk of readPlanned(file, request, new AbortController().signal, limits)) {
        rows += chunk.rows.length
        problems.push(...chunk.rows.flatMap(({ problem }) => problem ?? []))
      }
    } catch (error) {
      refused = error as NonNullable<Read['refused']>
    }
  })
  return { rows, problems, heldMs: ms, ...(refused ? { refused } : {}) }
}

const small: ReadingLimits = { heapMiB: 64, residentMiB: 300, seconds: 60 }

describe('a hostile file is refused with its reason, without a pause for anybody else', () => {
  const deep = `[{"Title":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}},{"Title":"sound"}]`

  function* keysOverRows(): Generator<string> {
    for (let block = 0; block < 1_000; block++)
      yield `${block === 0 ? '[' : ','}${Array.from({ length: 1_000 }, (_, n) => `{"Title":"a","k${block * 1_000 + n}":1}`).join(',')}`
    yield ']'
  }

  it.each([
    [
      'a CSV of 200,000 columns',
      'csv',
      () => [Array.from({ length: 200_000 }, (_, n) => `column${n}`).join(',')],
      /200000 columns; at most 1000/,
    ],
    [
      'a row of 100 MB without an end',
      'csv',
      () => ['key1,Title\n', ...repeated('abcdefghi ', 10_000_000)],
      /Row 1 has more than 16 million/,
    ],
    ['a row of 100 MB of commas', 'csv', () => ['key1,Title\n', ...repeated(',,,,,,,,,,', 10_000_000)], /Row 1 has more than 16 million/],
    [
      'a quote that is never closed, over 30 MB',
      'csv',
      () => ['key1,Title\n"', ...repeated('a,b\n', 8_000_000)],
      /Row 1 has more than 16 million/,
    ],
    [
      'a header of 10 MB',
      'csv',
      () => [...repeated('abcdefghi ', 1_000_000), '\na\n'],
      /The name of column 1, .* more than 1000 characters/,
    ],
    ['UTF-16 without its mark', 'json', () => [Buffer.from('[{"key1":"a"}]', 'utf16le')], /UTF-16 without its mark/],
    ['a picture under the name of a CSV', 'csv', () => [randomBytes(200_000)], /not UTF-8 text|no text in|throughout|characters/],
    ['a NUL in a header', 'csv', () => ['key1,Ti\u0000tle\na,b\n'], /column 2 holds a NUL/],
    ['a million fields over the rows of a JSON', 'json', () => [...keysOverRows()], /more than 1000 columns/],
    [
      'a million fields in one row of a JSON',
      'json',
      () => [`[{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":1`).join(',')}}]`],
      /more than 1000 columns/,
    ],
    ['a million brackets around a JSON', 'json', () => ['['.repeat(1_000_000)], /not a JSON array/],
  ] as const)('%s', async (_what, format, parts, reason) => {
    const { refused, heldMs } = await read(format, parts())
    expect(refused?.code).toMatch(/too_large|unprocessable/)
    expect(refused?.message).toMatch(reason)
    expect(heldMs).toBeLessThan(heldAtMostMs)
  })

  it('a JSON row that nests a million deep fails alone', async () => {
    expect(await read('json', [deep])).toMatchObject({ rows: 2, problems: ['The row nests deeper than 64 levels.'] })
  })

  it('a mapping to a column of a long name costs no comparing', async () => {
    const { refused, heldMs } = await read('csv', ['key1,Title\na,b\n'], { mapping: { Title: 'x'.repeat(400_000) } })
    expect(refused?.message).toMatch(/has no column "x+…"/)
    expect(heldMs).toBeLessThan(heldAtMostMs)
  })

  it('a file that takes more memory than it may ends its own process', async () => {
    const rows = [`[{"Title":"${'a'.repeat(14_000_000)}"},`, `{"Title":[${'[],'.repeat(4_000_000)}[]]}]`]
    const { refused } = await read('json', rows, {}, small)
    expect(refused).toMatchObject({ code: 'unprocessable', message: expect.stringContaining('takes more memory') })
  })

  it('a file that takes more time than it may ends its own process', async () => {
    const { refused } = await read('csv', repeated('a,b\n', 1_000_000), {}, { ...small, seconds: 0.05 })
    expect(refused).toMatchObject({ code: 'unprocessable', message: expect.stringContaining('takes more time') })
  })

  it('a cancelled reading ends its process at once, in the middle of a row', async () => {
    const cancelling = new AbortController()
    const begun = Promise.withResolvers<void>()
    const endless = (async function* () {
      yield Buffer.from('key1,Title\n')
      begun.resolve()
      for (;;) yield await new Promise<Buffer>((resolve) => setImmediate(() => resolve(Buffer.from('"a,b\n'))))
    })()
    const request: ReadingRequest = { format: 'csv', entity, mapping: {}, skip: 0, maxColumns: 9 }
    const reading = Array.fromAsync(readPlanned(Readable.from(endless), request, cancelling.signal))
    await begun.promise
    const began = performance.now()
    cancelling.abort(new Error('cancelled'))
    await expect(reading).rejects.toThrow('cancelled')
    expect(performance.now() - began).toBeLessThan(30_000)
  })

  it('a file whose bytes stop coming does not look like one that has ended', async () => {
    const broken = (async function* () {
      yield Buffer.from('key1,Title\na,b\nc,')
      throw new Error('The storage went away')
    })()
    const chunks = readPlanned(
      Readable.from(broken),
      { format: 'csv', entity, mapping: {}, skip: 0, maxColumns: 9 },
      new AbortController().signal,
    )
    await expect(Array.fromAsync(chunks)).rejects.toThrow('The storage went away')
  })
})

describe('a hostile workbook', () => {
  const sheet = (rows: string, prolog = '') =>
    Buffer.from(
      `<?xml version="1.0"?>${prolog}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
    )
  const rels = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const xml = (text: string) => Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>${text}`)
  const book = (worksheet: Buffer, more: readonly (readonly [string, Buffer])[] = [], names: readonly string[] = ['S']) =>
    zipArchive([
      ['[Content_Types].xml', xml('<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>')],
      [
        '_rels/.rels',
        xml(
          `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${rels}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
        ),
      ],
      [
        'xl/workbook.xml',
        xml(
          `<workbook xmlns:r="${rels}"><sheets>${names.map((name, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="rId1"/>`).join('')}</sheets></workbook>`,
        ),
      ],
      [
        'xl/_rels/workbook.xml.rels',
        xml(
          `<Relationships><Relationship Id="rId1" Type="${rels}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${rels}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
        ),
      ],
      ['xl/worksheets/sheet1.xml', worksheet],
      ...more,
    ])
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  const row = (...texts: readonly string[]) => `<row>${texts.map(cell).join('')}</row>`
  const sound = row('key1', 'Title') + row('a', 'b')
  const strings = (text: Buffer) => ['xl/sharedStrings.xml', text] as const
  const noStrings = strings(xml('<sst/>'))

  it('with a document type in any of its parts is refused, wherever it hides', async () => {
    const bomb = '<!DOCTYPE w [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    expect(await read('xlsx', [book(sheet(sound), [noStrings])])).toMatchObject({ rows: 1, problems: [] })
    for (const bytes of [
      book(sheet(sound, bomb), [noStrings]),
      book(sheet(sound, `<!-- <worksheet> -->${bomb}`), [noStrings]),
      book(sheet(sound, `<!--${'x'.repeat(400_000)}-->${bomb}`), [noStrings]),
      book(sheet(sound), [strings(xml(`${bomb}<sst/>`))]),
    ]) {
      const { refused } = await read('xlsx', [bytes])
      expect(refused).toMatchObject({ code: 'unprocessable', message: expect.stringContaining('DOCTYPE') })
    }
  })

  it.each([
    ['of a gigabyte of shared strings', 'xl/sharedStrings.xml', 1_000_000_000],
    ['of a sheet packed a thousandfold', 'xl/worksheets/sheet1.xml', 200_000_000],
  ])('%s is refused before it is unpacked', async (_what, part, unpacked) => {
    const { refused } = await read('xlsx', [zipArchive([[part, Buffer.alloc(1_000_000)]], { unpacked })])
    expect(refused?.message).toMatch(/unpacks to more/)
  })

  it('of six million texts ends at the memory that it may have', async () => {
    const bytes = book(sheet(sound), [strings(xml(`<sst>${'<si><t>a</t></si>'.repeat(6_000_000)}</sst>`))])
    const { refused } = await read('xlsx', [bytes], {}, small)
    expect(refused).toMatchObject({ code: 'unprocessable', message: expect.stringContaining('takes more memory') })
  })

  it('of 4,000 sheets, and of one row 16,384 cells wide, answers in time', async () => {
    const names = Array.from({ length: 4_000 }, (_, n) => `S${n}`)
    expect(await read('xlsx', [book(sheet(sound), [noStrings], names)], { sheet: 'S3999' })).toMatchObject({ rows: 1 })
    const wide = sheet(`<row>${cell('key1')}<c r="XFD1" t="inlineStr"><is><t>x</t></is></c></row>`)
    expect((await read('xlsx', [book(wide, [noStrings])])).refused?.message).toMatch(/16384 columns; at most 1000/)
  })

  it('tells the row of the sheet as the line of a row', async () => {
    const bytes = await writeXlsx({ sheets: [{ name: 'S', rows: [[], ['key1', 'Title'], [], ['a', 'b']] }] })
    const chunks = readPlanned(
      Readable.from([bytes]),
      { format: 'xlsx', entity, mapping: {}, skip: 0, maxColumns: 9 },
      new AbortController().signal,
    )
    expect((await Array.fromAsync(chunks)).flatMap((chunk) => chunk.rows)).toMatchObject([{ row: 1, line: 4 }])
  })
})

it('a million rows of one column are read, chunk by chunk, as fast as they are taken', async () => {
  function* rows(): Generator<string> {
    yield 'Title\n'
    for (let block = 0; block < 1_000; block++) yield Array.from({ length: 1_000 }, (_, n) => `name ${block * 1_000 + n}\n`).join('')
  }
  const { rows: count, refused } = await read('csv', rows())
  expect(refused).toBeUndefined()
  expect(count).toBe(1_000_000)
}, 120_000)

describe('as a job', () => {
  let imports: ImportWorld

  beforeAll(async () => {
    imports = await openImports({ MAX_IMPORT_COLUMNS: '5' })
  })
  afterAll(() => imports.close())

  it('takes as many columns as the setting says', async () => {
    expect(await imports.importFile('wide.csv', 'key1,Title,c,d,e\na,b,1,2,3\n')).toMatchObject({ inserted: 1 })
    const refused = await imports.importFile('wider.csv', 'key1,Title,c,d,e,f\na,b,1,2,3,4\n')
    expect(refused).toMatchObject({ code: 'too_large', message: expect.stringContaining('MAX_IMPORT_COLUMNS') })
  })

  it('refuses strings and lists of the body that are too long, at the call', async () => {
    const { assetKey } = await imports.world.call('upload_asset', { fileName: 'd.csv', contentBase64: 'YQ==' }, { transport: 'mcp' })
    const many = Object.fromEntries(Array.from({ length: 401 }, (_, n) => [`p${n}`, 'c']))
    for (const mapping of [{ Title: 'x'.repeat(400_000) }, { ['x'.repeat(400_000)]: 'c' }, many])
      await expect(imports.world.run('import_instances', { entity: 'Task', assetKey, mapping })).rejects.toMatchObject({
        code: 'invalid_input',
      })
  })

  it('tells row and line, header and broken cells counted, and in the log which property', async () => {
    const csv = 'key1,Title,Amount\r\n\r\na,"two\r\nlines",x\r\nb,"three\r\n\r\nlines",1\r\nc,d,y\r\n'
    const done = await imports.importFile('lines.csv', csv)
    expect(done.errors).toMatchObject([
      { row: 1, line: 3, path: '$.data.Amount' },
      { row: 3, line: 8, path: '$.data.Amount' },
    ])
    const log = await imports.world.call('get_job_log', { jobId: done.jobId })
    expect(log.map((entry: { message: string }) => entry.message)[1]).toMatch(/^Row 3 \(line 8\): Amount: /)
    const json = await imports.importFile('lines.json', '[\n{"key1":"j1"},\n\n{"key1":"j2",\n"Amount":"x"}, {"key1":"j3","Amount":"y"}]')
    expect(json.errors).toMatchObject([
      { row: 2, line: 4 },
      { row: 3, line: 5 },
    ])
  })

  it('keeps what it quotes of a file, wherever it is cut', async () => {
    const value = `${'a'.repeat(78)}😀😀`
    for (const text of [value, `x${value}`]) {
      const done = await imports.importFile('cut.csv', `key1,Amount\nq,${text}\n`)
      expect(done).toMatchObject({ state: 'partly', failed: 1, errors: [{ row: 1, line: 2 }] })
    }
    const nul = await imports.importFile('nul.json', '[{"key1":"n","a\\u0000\\ud83d":1}]')
    expect(nul).toMatchObject({ state: 'partly', failed: 1, ignoredColumns: ['a \uFFFD'] })
    expect(await imports.importFile('nul.csv', 'key1,Title\nn,a\u0000b\n')).toMatchObject({ state: 'partly', failed: 1 })
  })
})
