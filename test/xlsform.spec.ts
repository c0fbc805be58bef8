import { Readable } from 'node:stream'

import { writeXlsx } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'

import { readSurvey } from '#tools/forms/xlsform/convert.rules.ts'
import { carrySurvey } from '#tools/forms/xlsform/layout-of.rules.ts'
import { rowsOf } from '#tools/forms/xlsform/rows.rules.ts'
import { parseXPath } from '#tools/forms/xlsform/xpath.rules.ts'

import { households, wells, type XlsForm } from './fixtures/xlsforms.ts'
import { leastMs, longestStep, spentMs, turnLimitMs } from './support/turns.ts'
import { useWorld } from './support/world.ts'
import { zipArchive } from './support/zip-archive.ts'

const world = useWorld()

async function upload(bytes: Uint8Array, key?: string, fileName = 'survey.xlsx'): Promise<string> {
  const stream = Readable.from([Buffer.from(bytes)])
  const more = { upload: { stream, fileName, mimeType: undefined, isTruncated: () => false }, ...(key === undefined ? {} : { key }) }
  return (await world.call('upload_asset', {}, more)).assetKey
}

async function workbookOf(form: XlsForm): Promise<Uint8Array> {
  const sheets = Object.entries(form).map(([name, rows]) => ({ name, rows: rows.map((row: readonly (string | number)[]) => [...row]) }))
  return writeXlsx({ sheets })
}

/** Into a tenant of its own. */
async function imported(form: XlsForm) {
  const { key } = await world.newTenant(511)
  const call = (name: string, input: object = {}) => world.call(name, input, { key })
  const answer = await call('import_xlsform', { assetKey: await upload(await workbookOf(form), key) })
  const { layoutJson } = await call('get_form', { form: answer.form.id })
  return { key, call, answer, layout: JSON.parse(layoutJson) }
}

interface Lost {
  readonly row?: number
  readonly question?: string
  readonly what: string
}

const lost = (notCarried: readonly Lost[]) =>
  notCarried.map((one) => [one.row, one.question, one.what].filter((part) => part !== undefined).join(' '))

type Cells = Readonly<Record<string, unknown>>

/** Converts in hand, and measures the longest step between two pauses. */
function converted(sheets: {
  readonly survey: readonly Cells[]
  readonly choices?: readonly Cells[]
  readonly settings?: readonly Cells[]
}) {
  const tenant = { properties: new Set<string>(), entities: new Set<string>(), languageCodes: ['en-US'], usualLanguage: 'en-US' }
  const rows = (some: readonly Cells[] = []) => rowsOf(some.map((values, index) => ({ line: index + 2, values })))
  const workbook = { survey: rows(sheets.survey), choices: rows(sheets.choices), settings: rows(sheets.settings) }
  const { result: survey, ...read } = longestStep(readSurvey(workbook, tenant, 'large'))
  const { result: carried, ...carrying } = longestStep(carrySurvey(survey, tenant, false))
  const [longestMs, steps] = [Math.max(read.ms, carrying.ms), read.steps + carrying.steps]
  return { survey, carried, longestMs, steps, problems: survey.problems.map(({ message }) => message) }
}

const manyTimes = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n))

describe('import_xlsform', () => {
  it('makes properties, entities and a form of a survey with groups, a repeat, a cascade and two languages', async () => {
    const { answer, layout, call } = await imported(wells)
    expect(answer.entities).toEqual(['wells', 'pump'])
    expect(answer.form).toMatchObject({
      internalName: 'wells',
      entity: 'wells',
      description: 'Wells of the district',
      layoutVersion: 1,
      isShared: false,
    })
    expect(answer.form.validation?.issues ?? []).toEqual([])
    const { properties } = await call('describe_entity', { entity: 'wells' })
    const told = properties.map((one: Record<string, unknown>) => [
      one['propertyInternalName'] ?? one['childEntityInternalName'],
      one['dataType'],
      one['isList'],
    ])
    expect(told).toEqual([
      ['started', 'DateTime', false],
      ['village', 'Text', false],
      ['region', 'Choice', false],
      ['district', 'Choice', false],
      ['place', 'Text', false],
      ['troubles', 'Choice', true],
      ['other', 'Text', false],
      ['depth', 'Number', false],
      ['yield', 'Number', false],
      ['score', 'Number', false],
      ['twice', 'Number', false],
      ['told', 'Text', false],
      ['seen', 'DateOnly', false],
      ['agreed', 'Boolean', false],
      ['photo', 'Attachment', false],
      ['sign', 'Signature', false],
      ['remark', 'Text', false],
      ['pump', null, true],
    ])
    const byName = new Map<string, Record<string, unknown>>(
      properties.map((one: Record<string, unknown>) => [String(one['propertyInternalName']), one]),
    )
    expect(byName.get('depth')).toMatchObject({ minValueOrLength: 1, maxValueOrLength: 300, maxDecimalPlaces: 0 })
    expect(byName.get('village')).toMatchObject({ regEx: '^(?:[A-Z][a-z]+)$' })
    expect(byName.get('score')).toMatchObject({ minValueOrLength: 1, maxValueOrLength: 10 })
    expect(byName.get('district')?.['options']).toEqual([
      { internalName: 'o1', name: 'First' },
      { internalName: 'o2', name: 'Second' },
      { internalName: 'o3', name: 'Third' },
    ])
    expect(layout.pages).toBe('section')
    expect(layout.sections.map((one: { type: string; name: string }) => `${one.type} ${one.name}`)).toEqual([
      'detail main',
      'detail site',
      'detail main2',
      'list pump',
      'detail main3',
    ])
    expect(layout.sections[1].title).toEqual({ en: 'The site', de: 'Der Ort' })
    const fields = new Map<string, Record<string, unknown>>(
      layout.sections.flatMap((one: { fields: { property: string }[] }) => one.fields.map((field) => [field.property, field] as const)),
    )
    expect(fields.get('started')).toEqual({ property: 'started', readOnly: true, default: '[[$now]]' })
    expect(fields.get('village')).toEqual({ property: 'village', required: true })
    expect(fields.get('region')).toEqual({ property: 'region', control: 'radio', required: true })
    const region = (value: string) => ({ logic: 'AND', rules: [{ property: 'region', op: 'eq', value }], groups: [] })
    expect(fields.get('district')).toEqual({
      property: 'district',
      optionsFilter: [
        { when: region('north'), options: ['o1', 'o2'] },
        { when: region('south'), options: ['o3'] },
      ],
    })
    const other = {
      logic: 'AND',
      rules: [
        { property: 'troubles', op: 'eq', value: 'other' },
        { property: 'village', op: 'isNotEmpty' },
      ],
      groups: [],
    }
    expect(fields.get('other')).toEqual({
      property: 'other',
      label: { en: 'Which other for [[wells.village]]', de: 'Welche' },
      control: 'longText',
      requiredWhen: other,
      visibleWhen: other,
    })
    expect(fields.get('depth')).toEqual({ property: 'depth', default: 12 })
    expect(fields.get('yield')?.['visibleWhen']).toEqual({
      logic: 'AND',
      rules: [],
      groups: [
        {
          logic: 'OR',
          rules: [
            { property: 'depth', op: 'gte', value: 10 },
            { property: 'region', op: 'eq', value: 'north' },
          ],
          groups: [],
        },
      ],
    })
    expect(fields.get('score')).toMatchObject({ control: 'slider' })
    expect(fields.get('twice')).toEqual({ property: 'twice', readOnly: true, default: { $expr: ['*', '[[wells.depth]]', 2] } })
    expect(fields.get('told')).toMatchObject({ default: { $expr: ['concat', '[[wells.village]]', ': ', '[[wells.depth]]'] } })
    expect(fields.get('seen')).toEqual({ property: 'seen', default: '[[$today]]' })
    expect(fields.get('photo')).toMatchObject({ control: 'photo', visibleWhen: { rules: [{ property: 'agreed', op: 'eq', value: true }] } })
    expect(layout.sections[3]).toMatchObject({
      entity: 'pump',
      max: 3,
      title: { en: 'Pumps', de: 'Pumpen' },
      fields: [
        { property: 'maker', required: true },
        {
          property: 'age',
          visibleWhen: {
            logic: 'AND',
            rules: [
              { entity: 'wells', property: 'depth', op: 'gt', value: 5 },
              { property: 'maker', op: 'isNotEmpty' },
            ],
          },
        },
        { property: 'line', readOnly: true, default: { $expr: ['concat', '[[wells.village]]', '[[$row.maker]]'] } },
      ],
    })
    expect(lost(answer.notCarried)).toEqual([
      'instance_name',
      'district',
      '3 hello note',
      '8 place geopoint',
      '4 village constraint_message',
      '15 twice calculation',
      '16 told calculation',
      '17 seen constraint',
      '24 line calculation',
      '26 remark relevant',
    ])
    // In the language of whoever asks.
    const { fields: inGerman } = await call('get_form_schema', { form: 'wells', languageCode: 'de-DE' })
    expect(inGerman.find((one: { property: string }) => one.property === 'region')).toMatchObject({
      label: 'Region',
      options: [{ name: 'Norden' }, { name: 'Süden' }],
    })
    const { fields: inEnglish } = await call('get_form_schema', { form: 'wells' })
    expect(inEnglish.find((one: { property: string }) => one.property === 'depth')).toMatchObject({ label: 'Depth', help: 'In metres' })
  })

  it('carries what it can of repeats in repeats, groups in groups and taken names, and tells the rest by row', async () => {
    const { answer, layout } = await imported(households)
    expect(answer.form.internalName).toBe('survey')
    expect(answer.entities).toEqual(['survey', 'member', 'illness'])
    expect(answer.properties).toContain('survey_modifiedDate')
    expect(layout.sections.map((one: { name: string }) => one.name)).toEqual(['main', 'inner', 'member', 'main2'])
    expect(layout.sections[1].visibleWhen).toEqual({
      logic: 'AND',
      rules: [
        { property: 'by', op: 'isNotEmpty' },
        { property: 'survey_modifiedDate', op: 'isNotEmpty' },
      ],
      groups: [],
    })
    const [, inner, members, rest] = layout.sections
    expect(inner.fields).toEqual([{ property: 'members', requiredWhen: inner.visibleWhen }])
    expect(members).toMatchObject({
      visibleWhen: { rules: [{ property: 'members', op: 'gt', value: 0 }] },
      fields: [
        { property: 'name', help: 'As in [[survey.survey_modifiedDate]]', required: true },
        { property: 'height', visibleWhen: { rules: [{ property: 'name', op: 'isNotEmpty' }] } },
      ],
    })
    expect(rest.fields).toEqual([
      { property: 'card', control: 'scan', readOnly: true },
      { property: 'joined' },
      { property: 'voice', control: 'audio' },
    ])
    expect(lost(answer.notCarried)).toEqual([
      '2 deviceid deviceid',
      '4 modifiedDate name',
      '7 members appearance',
      '13 height media::image',
      '15 illness begin_repeat',
      '20 joined calculation',
    ])
  })

  it('is all or nothing, and 409 for a form_id that is taken', async () => {
    const { key, call } = await imported(wells)
    const before = await call('list_properties')
    const again = await world.refusal('import_xlsform', { assetKey: await upload(await workbookOf(wells), key) }, key)
    expect([again.status, again.code]).toEqual([409, 'already_exists'])
    expect(await call('list_properties')).toEqual(before)
    // The names of its questions are taken, too: a survey with another form_id makes others.
    const other = { ...wells, settings: [['form_id'], ['wells_b']] }
    const answer = await call('import_xlsform', { assetKey: await upload(await workbookOf(other), key) })
    expect(answer.properties).toContain('wells_b_village')
    expect(answer.entities).toEqual(['wells_b', 'wells_b_pump'])
  })

  it.each([
    [
      'asks nothing',
      {
        survey: [
          ['type', 'name'],
          ['note', 'hello'],
        ],
      },
      'asks nothing',
    ],
    [
      'has no such list of choices',
      {
        survey: [
          ['type', 'name'],
          ['select_one nowhere', 'a'],
        ],
      },
      'no list "nowhere"',
    ],
    [
      'does not end its group',
      {
        survey: [
          ['type', 'name'],
          ['begin_group', 'g'],
          ['text', 'a'],
        ],
      },
      'has no end',
    ],
    [
      'ends what did not begin',
      {
        survey: [
          ['type', 'name'],
          ['text', 'a'],
          ['end_repeat', 'g'],
        ],
      },
      'Row 3',
    ],
    [
      'has a question without a name',
      {
        survey: [
          ['type', 'name'],
          ['text', ''],
        ],
      },
      'no name',
    ],
    ['is no survey at all', { people: [['a'], ['b']] }, 'asks nothing'],
  ])('is 422 with the row for a survey that %s', async (_, form, message) => {
    const { key } = world.tenant
    const error = await world.refusal('import_xlsform', { assetKey: await upload(await workbookOf(form as unknown as XlsForm), key) }, key)
    expect([error.status, error.message]).toEqual([422, expect.stringContaining(message)])
  })

  it('refuses what is no workbook, what is made to harm, and what is not there', async () => {
    const files = [Buffer.from('type,name\ntext,a'), zipArchive([['xl/workbook.xml', Buffer.from('<a/>')]], { unpacked: 2_000_000_000 })]
    const statuses = await Promise.all(
      files.map(async (bytes) => (await world.refusal('import_xlsform', { assetKey: await upload(bytes) })).status),
    )
    expect(statuses).toEqual([422, 422])
    const doctype = await workbookOf({
      survey: [
        ['type', 'name'],
        ['text', '=HYPERLINK("http://a")'],
      ],
    })
    const odd = await world.call('import_xlsform', { assetKey: await upload(doctype, undefined, 'odd.xlsx') })
    expect(odd.properties).toHaveLength(1)
    const missing = await world.refusal('import_xlsform', { assetKey: '0b8ed6fe-9df4-4a62-9c0c-0a7a4e3a0f11' })
    expect([missing.status, missing.issues?.[0]?.path]).toEqual([400, '$.assetKey'])
  })

  it('stays bounded for five thousand questions: those of one entity are refused, and nobody is held up meanwhile', async () => {
    const questions = Array.from({ length: 5_000 }, (_, n) => [
      'text',
      `q${n}`,
      'A',
      `\${q${Math.max(0, n - 1)}} != '' and (\${q0} = 'a' or not(\${q1} = 'b'))`,
    ])
    const survey = [['type', 'name', 'label', 'relevant'], ...questions]
    const error = await world.refusal('import_xlsform', { assetKey: await upload(await workbookOf({ survey })) })
    expect([error.status, error.message]).toEqual([422, expect.stringContaining('5000 questions')])
    const [header = [], ...rows] = survey
    const longest = () => {
      const { longestMs, steps } = converted({ survey: rows.map((row) => Object.fromEntries(header.map((name, n) => [name, row[n]]))) })
      expect(steps).toBeGreaterThan(10_000)
      return longestMs
    }
    expect(await leastMs(longest)).toBeLessThan(turnLimitMs)
  })

  it('gives the questions fifty thousand choices in all, however few rows ask for more', async () => {
    const choices = manyTimes(5_000, (n) => ({ list_name: 'a', name: `c${n}`, label: `C${n}` }))
    const asking = (count: number) => manyTimes(count, (n) => ({ type: 'select_one a', name: `q${n}`, label: 'Q' }))
    const most = () => converted({ survey: asking(10), choices })
    const { carried, problems } = most()
    expect(problems).toEqual([])
    expect(carried.properties.map((one) => one.propertyOptions?.length)).toEqual(manyTimes(10, () => 5_000))
    expect(carried.properties[9]?.propertyOptions?.[4_999]).toEqual({
      internalName: 'c4999',
      displays: [{ languageCode: 'en-US', name: 'C4999' }],
    })
    expect(await leastMs(() => most().longestMs)).toBeLessThan(turnLimitMs)
    expect(converted({ survey: asking(300), choices }).problems).toEqual([expect.stringContaining('Row 12 of survey: with its list')])
  })

  it('pauses within the questions of a repeat, and of a repeat in it', () => {
    const begin = (name: string) => ({ type: 'begin repeat', name })
    const questions = (of: string) => manyTimes(300, (n) => ({ type: 'text', name: `${of}${n}`, label: 'Q' }))
    const end = { type: 'end repeat' }
    const { steps, survey, problems } = converted({ survey: [begin('r'), ...questions('a'), begin('s'), ...questions('b'), end, end] })
    expect(problems).toEqual(['The survey asks nothing: its first sheet to be read is called survey, with the columns type and name.'])
    // One for each row as it is read, one for each question as it is carried.
    expect(steps).toBeGreaterThan(604 + 600)
    expect(survey.homes).toHaveLength(3)
  })

  it('takes groups and repeats twenty deep, and tells of the row that goes deeper', () => {
    const nested = (depth: number, kind: string) =>
      converted({
        survey: [
          { type: 'text', name: 'own' },
          ...manyTimes(depth, (n) => ({ type: `begin ${kind}`, name: `g${n}`, relevant: "${own} = '1'" })),
          { type: 'text', name: 'a' },
          ...manyTimes(depth, () => ({ type: `end ${kind}` })),
        ],
      }).problems
    for (const kind of ['group', 'repeat']) {
      expect(nested(20, kind)).toEqual([])
      expect(nested(9_000, kind)).toEqual(['Row 23 of survey: groups and repeats stand at most 20 deep in each other.'])
    }
  })

  it('holds nobody up over cells, headers and settings that say nothing but the beginnings of what they could', async () => {
    const text = '${'.repeat(100_000)
    const brackets = '('.repeat(100_000)
    const run = () =>
      converted({
        survey: [{ type: 'text', name: 'a', label: text, hint: text, [`label::${brackets}`]: 'b' }],
        settings: [{ default_language: brackets }],
      })
    expect(run().carried.properties[0]?.displays?.[0]?.name).toBe(text.slice(0, 200))
    expect(await leastMs(() => run().longestMs)).toBeLessThan(turnLimitMs)
    const read = () => rowsOf([{ values: { [`label${' '.repeat(30_000)}: : English (en)`]: 'a', [`a${' '.repeat(30_000)}b`]: 'b' } }])
    expect(await leastMs(() => spentMs(read))).toBeLessThan(turnLimitMs)
    const [row] = read()
    expect([...(row?.cells.keys() ?? [])][0]).toBe('label::::English (en)'.toLowerCase())
  })

  it('gives thousands of choices whose letters no name can have a name each, without holding others up', async () => {
    const choices = manyTimes(5_000, (n) => ({ list_name: 'a', name: `井${String.fromCodePoint(0x4e00 + n)}x` }))
    const run = () => converted({ survey: [{ type: 'select_one a', name: 'q', label: 'Q' }], choices })
    const names = run().carried.properties[0]?.propertyOptions?.map((one) => one.internalName.toLowerCase())
    expect([names?.length, new Set(names).size]).toEqual([5_000, 5_000])
    expect(names?.slice(0, 3)).toEqual(['x', 'x_2', 'x_3'])
    const tooMany = manyTimes(20_000, (n) => ({ ...choices[0], name: `井${n % 10}${'x'.repeat(n % 50)}` }))
    expect(converted({ survey: [{ type: 'select_one a', name: 'q' }], choices: tooMany }).problems[0]).toContain(
      'has 20000 choices; at most',
    )
    expect(await leastMs(() => run().longestMs)).toBeLessThan(turnLimitMs)
  })

  it('numbers thousands of questions of one name, and speaks of each from its own repeat', async () => {
    const survey = manyTimes(4_000, (n) => [
      { type: 'begin repeat', name: 'visits' },
      { type: 'text', name: 'note', label: 'N', hint: n % 1_000 === 0 ? '${note}'.repeat(4_000) : 'H' },
      { type: 'end repeat' },
    ]).flat()
    const run = () => converted({ survey: [{ type: 'text', name: 'who', label: 'W' }, ...survey] })
    const started = process.cpuUsage()
    const { carried, survey: read, problems } = run()
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000)
    expect([problems, read.homes.length, read.homes.at(-1)?.entity]).toEqual([[], 4_001, 'large_visits_3999'])
    expect(new Set(carried.properties.map((one) => one.internalName.toLowerCase())).size).toBe(4_001)
    expect(read.homes.every((one) => one.entity.length <= 64)).toBe(true)
    expect(await leastMs(() => run().longestMs)).toBeLessThan(turnLimitMs)
  })

  it('leaves out a cascade of more cases than a field takes, without holding others up', async () => {
    const long = 'x'.repeat(1_500)
    const choices = [
      ...manyTimes(5_000, (n) => ({ list_name: 'b', name: `b${n}`, of: `${n}${long}` })),
      ...manyTimes(2, (n) => ({ list_name: 'a', name: `a${n}`, label: 'A' })),
    ]
    const survey = [
      { type: 'select_one a', name: 'of', label: 'Of' },
      { type: 'select_one b', name: 'which', label: 'Which', choice_filter: 'of=${of}' },
    ]
    const run = () => converted({ survey, choices })
    expect(lost(run().carried.notCarried)).toContain('3 which choice_filter')
    expect(await leastMs(() => run().longestMs)).toBeLessThan(turnLimitMs)
  })

  it('is for builders', async () => {
    const key = await world.tenant.keyWith(['DataEdit', 'DataImport', 'FileEdit'])
    expect((await world.refusal('import_xlsform', { assetKey: '0b8ed6fe-9df4-4a62-9c0c-0a7a4e3a0f11' }, key)).status).toBe(403)
  })
})

describe('an expression of an XLSForm', () => {
  it.each([
    '',
    '(',
    "'a",
    '${a',
    '${a} =',
    'a b',
    '1 2',
    '/data/a',
    '../a',
    '${a}[1]',
    '('.repeat(5_000),
    `${'not('.repeat(100)}1${')'.repeat(100)}`,
    'x'.repeat(100_000),
  ])('that is more than is understood here is left: %s', (source) => {
    expect(parseXPath(source)).toBeUndefined()
  })

  it('binds as XPath does', () => {
    const q = (name: string) => ({ kind: 'question', name })
    const op = (name: string, ...args: unknown[]) => ({ kind: 'operator', name, args })
    expect(parseXPath('${a} or ${b} and ${c} = 1 + 2 * 3')).toEqual(
      op(
        'or',
        q('a'),
        op(
          'and',
          q('b'),
          op('=', q('c'), op('+', { kind: 'number', value: 1 }, op('*', { kind: 'number', value: 2 }, { kind: 'number', value: 3 }))),
        ),
      ),
    )
  })
})
