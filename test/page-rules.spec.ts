/** What the pages decide by themselves: colours, languages, times, answers, and conditions as far as a browser can ask them. */
import { readFileSync } from 'node:fs'

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'

import { noPatterns } from '#platform/patterns.ts'
import { roleBits } from '#platform/roles.ts'
import { inTurns } from '#platform/turns.ts'
import { presentAnswers, problemsOf, readAnswer } from '#server/pages/answers.rules.ts'
import { fieldHtml } from '#server/pages/form-controls.ts'
import { sentence } from '#server/pages/form-page.ts'
import { chooseLanguage } from '#server/pages/languages.rules.ts'
import { fromLocal, knownZone, toLocal } from '#server/pages/local-time.rules.ts'
import { controlName, readControlName } from '#server/pages/names.rules.ts'
import { roleBits as bitsOfApplication } from '#server/web/portal/roles.ts'
import { contrast, readColour } from '#platform/colours.ts'
import { themeStyle } from '#server/pages/theme.rules.ts'
import type { ShownForm } from '#tools/forms/links/shown-form.schema.ts'
import { textsOf } from '#server/pages/texts.ts'
import type { Entered } from '#server/pages/typed.rules.ts'
import { withoutHidden, callOf } from '#tools/forms/links/answer.rules.ts'
import { readLifetime } from '#tools/forms/links/links.rules.ts'
import { textIn } from '#tools/forms/texts.rules.ts'
import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { checkValue } from '#tools/properties/service.ts'
import { isFulfilled, readCondition } from '#tools/query/service.ts'

import { everyKind } from './support/link-form.ts'
import './support/seed.ts'
import { leastMs, longestStep, turnLimitMs } from './support/turns.ts'

const colour = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

/** The colours of tokens.css in each scheme, by their names. */
function schemes(): Record<string, string>[] {
  const css = readFileSync(new URL('../server/web/tokens.css', import.meta.url), 'utf8')
  const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)')
  const coloursOf = (text: string) =>
    Object.fromEntries([...text.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]))
  return [coloursOf(light), { ...coloursOf(light), ...coloursOf(dark) }]
}

it('the application knows the roles and their bits as the API has them', () => {
  expect(bitsOfApplication).toEqual(roleBits)
})

describe('the design language', () => {
  it('keeps text readable on every ground, and the edge of what is pressed visible, light and dark', () => {
    const on = (ground: string, inks: readonly string[], least: number) => inks.map((ink) => ({ ink, ground, least }))
    const texts = ['ink', 'muted', 'accent', 'good', 'wait', 'bad', 'off']
    const pairs = [
      ...['ground', 'card', 'quiet', 'code'].flatMap((ground) =>
        on(
          ground,
          texts.filter((ink) => ground === 'ground' || ground === 'card' || ['ink', 'muted', 'accent'].includes(ink)),
          4.5,
        ),
      ),
      ...['good', 'wait', 'bad'].flatMap((tone) => on(`${tone}-ground`, ['ink', 'muted', tone], 4.5)),
      ...on('accent', ['on-accent'], 4.5),
      ...['ground', 'card'].flatMap((ground) => on(ground, ['edge'], 3)),
    ]
    const failing = schemes().flatMap((colours, at) =>
      pairs.flatMap(({ ink, ground, least }) => {
        const found = contrast(readColour(colours[ink] ?? '') ?? [0, 0, 0], readColour(colours[ground] ?? '') ?? [0, 0, 0])
        return found >= least ? [] : [`${ink} on ${ground} in ${at === 0 ? 'light' : 'dark'}: ${found.toFixed(2)}`]
      }),
    )
    expect(failing).toEqual([])
  })
})

describe('a theme', () => {
  it('keeps every colour readable on what it lies on, light and dark', () => {
    fc.assert(
      fc.property(colour, (primary) => {
        const style = themeStyle({ '--theme-primary': primary })
        const accents = [...style.matchAll(/--accent:(#[0-9a-f]{6});--on-accent:(#[0-9a-f]{6})/g)]
        expect(accents).toHaveLength(2)
        accents.forEach(([, accent = '', on = ''], at) => {
          const own = readColour(accent)
          const grounds = at === 0 ? ['#ffffff', '#f6f7f5'] : ['#181f1c', '#101513']
          for (const other of [on, ...grounds])
            expect(contrast(own ?? [0, 0, 0], readColour(other) ?? [0, 0, 0])).toBeGreaterThanOrEqual(4.5)
        })
      }),
    )
  })

  it('takes what it knows, and nothing that could leave its declaration', () => {
    expect(themeStyle({ '--theme-radius': '4px', '--theme-font': 'serif' })).toContain(':root{--radius:4px;--font:ui-serif')
    for (const theme of [
      {},
      { '--theme-primary': 'red;}body{display:none' },
      { '--theme-radius': '99rem' },
      { '--theme-font': 'url(x)' },
      { '--theme-odd': '#123456' },
    ])
      expect(themeStyle(theme)).toBe('')
  })
})

describe('the language of a page', () => {
  it.for([
    [null, 'de-AT,de;q=0.9,en;q=0.8', undefined, 'de'],
    [null, 'fr;q=0.9, en-GB;q=0.5, de;q=0.7', undefined, 'de'],
    ['en-US', 'de', undefined, 'en'],
    ['fr-FR', 'de', undefined, 'de'],
    [null, '', 'de-DE', 'de'],
    [null, 'de;q=0, *', undefined, 'en'],
    [null, `${'x,'.repeat(10_000)}de`, undefined, 'en'],
  ] as const)('is %s, %s, %s: %s', ([known, accepted, ofTenant, expected]) => {
    expect(chooseLanguage(known, accepted, ofTenant)).toBe(expected)
  })

  it('of a text of the layout is the first that it has', () => {
    const text = { en: 'Gate', 'de-DE': 'Tor' }
    expect([
      textIn(text, ['de']),
      textIn(text, ['de-AT', 'en']),
      textIn(text, ['fr', 'en-US']),
      textIn(text, ['es']),
      textIn('Gate', ['de']),
    ]).toEqual(['Tor', 'Tor', 'Gate', 'Gate', 'Gate'])
  })
})

describe('times as people type them', () => {
  it('come back as they were, in every zone', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Madrid', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia')
    const moment = fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2040-01-01') })
    fc.assert(
      fc.property(zones, moment, (zone, at) => {
        const local = toLocal(new Date(at).toISOString(), zone)
        expect(toLocal(fromLocal(local, zone) ?? '', zone)).toBe(local)
      }),
    )
  })

  it('are the first of two where a clock goes back, and behind the gap where it goes forward', () => {
    expect(fromLocal('2026-10-25T02:30', 'Europe/Madrid')).toBe('2026-10-25T00:30:00.000Z')
    expect(fromLocal('2026-03-29T02:30', 'Europe/Madrid')).toBe('2026-03-29T01:30:00.000Z')
    expect([fromLocal('soon', 'UTC'), knownZone('Mars/Base'), knownZone('Europe/Madrid')]).toEqual([undefined, undefined, 'Europe/Madrid'])
  })
})

describe('how long a link lasts', () => {
  it('is seven days, or what is said within bounds', () => {
    const said = ['P1W', 'P3D', 'PT12H', 'P1DT1H30M', 'PT5M', 'P90D']
    expect([readLifetime(undefined), ...said.map(readLifetime)]).toEqual([604_800, 604_800, 259_200, 43_200, 91_800, 300, 7_776_000])
    for (const wrong of ['', 'P', 'PT', 'P1DT', 'P91D', 'PT4M', '3D', 'p3d', 'P1Y', 'P-1D', 'P99999D'])
      expect(readLifetime(wrong)).toBeUndefined()
  })
})

describe('an answer', () => {
  const present = (zone = 'UTC') => inTurns(presentAnswers(everyKind, zone))
  const read = (entered: Entered, form: ShownForm = everyKind, zone = 'UTC') => inTurns(readAnswer(form, entered, zone))

  it('says nothing where nobody changed anything', async () => {
    const { answer, problems } = await read(await present('Europe/Madrid'), everyKind, 'Europe/Madrid')
    expect(answer.values).toEqual({ Seen: '2026-11-22T09:30:00.000Z', Codes: ['A1', 'B2'] })
    expect(answer.sections).toEqual({
      parts: { rows: [{ eiRecordId: 71, values: { PartName: 'Hinge', Quantity: 2 } }], deletedEIRecordIds: [] },
    })
    expect(problems.map(({ property, kind }) => [property, kind])).toEqual([
      ['Inspector', 'missing'],
      ['State', 'missing'],
      ['Safe', 'missing'],
      ['Signed', 'missing'],
    ])
  })

  it('takes numbers with either mark, refuses what is none, and clears what was emptied', async () => {
    const entered = await present()
    entered
      .set('v:Width', ['3,5'])
      .set('v:Cost', ['many'])
      .set('v:Seen', [''])
      .set('v:Inspector', ['x'.repeat(61)])
    const { answer, problems } = await read(entered)
    expect(answer.values).toMatchObject({ Width: 3.5, Seen: null })
    expect(problems).toContainEqual({ place: {}, property: 'Cost', kind: 'noNumber' })
    expect(problems).toContainEqual({ place: {}, property: 'Inspector', kind: 'tooLong', limit: 60 })
  })

  it('never takes another number for the one that was typed', async () => {
    const entered = await present()
    const { problems } = await read(entered.set('v:Width', ['9007199254740993']).set('v:Cost', ['1e999']))
    const found = problems.filter(({ property }) => ['Width', 'Cost'].includes(property))
    expect(found.map(({ property, kind }) => [property, kind])).toEqual([
      ['Width', 'tooPrecise'],
      ['Cost', 'tooPrecise'],
    ])
    expect(found.slice(0, 1).map((one) => sentence(one, 'Width', textsOf('en'), 'en'))).toEqual(['Width – at most 15 digits can be kept'])
    const { answer } = await read(entered.set('v:Width', ['+3,50']).set('v:Cost', ['1e+21']))
    expect(answer.values).toMatchObject({ Width: 3.5, Cost: 1e21 })
  })

  it('begins with times of rows, too, that a device in another zone can show by its own clock', () => {
    const field = everyKind.sections[0]?.fields.find(({ property }) => property === 'Seen')
    if (!field) throw new Error('The form has no such field')
    const place = { section: 'parts', row: 1 }
    const entered = new Map([['v:parts:1:Seen', ['2026-07-01T18:30']]])
    const view = { field, place, entered, texts: textsOf('en'), error: undefined, zone: 'Asia/Tokyo' }
    expect(fieldHtml({ ...view, isPresent: true })).toContain('value="2026-07-01T18:30" data-utc="2026-07-01T09:30:00.000Z"')
    // What somebody has sent stands in the zone that they sent.
    expect(fieldHtml({ ...view, isPresent: false })).not.toContain('data-utc')
  })

  it('holds no field that is fixed, no row that is not the record’s, and no row that nobody began', async () => {
    const entered = await present()
    entered.set('v:Number', ['G-9']).set('i:parts:3', ['999']).set('v:parts:3:PartName', ['Sly']).set('v:parts:4:PartName', [''])
    const { answer } = await read(entered)
    expect(answer.values).not.toHaveProperty('Number')
    expect(answer.sections['parts']?.rows).toEqual([
      { eiRecordId: 71, values: { PartName: 'Hinge', Quantity: 2 } },
      { values: { PartName: 'Sly' } },
    ])
  })

  it('takes the first of many values where one is asked for, and of a list up to a thousand', async () => {
    const entered = await present()
    const codes = (count: number) => [Array.from({ length: count }, (_, at) => `C${at}`).join('\r\n \r\n'), '']
    entered.set('v:Width', ['', '3', 'many', '5']).set('v:Codes', codes(1_000))
    const { answer, problems } = await read(entered)
    expect([answer.values['Width'], answer.values['Codes']]).toEqual([3, Array.from({ length: 1_000 }, (_, at) => `C${at}`)])
    expect(problems.map(({ kind }) => kind)).not.toContain('tooMany')
    const { problems: more } = await read(entered.set('v:Codes', codes(1_001)))
    const tooMany = more.find(({ property }) => property === 'Codes') ?? { place: {}, property: '', kind: 'other' }
    expect(tooMany).toEqual({ place: {}, property: 'Codes', kind: 'tooMany', limit: 1_000 })
    expect((['en', 'de'] as const).map((language) => sentence(tooMany, 'Codes', textsOf(language), language))).toEqual([
      'Codes – at most 1,000 values',
      'Codes – höchstens 1.000 Werte',
    ])
  })

  it('is read in short steps however much was posted, with one clock for all its times', async () => {
    const times = Array.from({ length: 9_990 }, () => '2026-11-22T08:15')
    const [gate, parts] = everyKind.sections
    const field = gate?.fields.find(({ property }) => property === 'Seen')
    if (!gate || !parts || !field) throw new Error('The form has no such field')
    const seen = { ...field, value: null }
    const form = {
      ...everyKind,
      sections: [
        { ...gate, fields: [seen] },
        { ...parts, fields: [{ ...seen, property: 'At' }] },
      ],
    }
    const inRows = new Map(times.map((time, row) => [`v:parts:${row}:At`, [time]]))
    const posted: [Entered, number][] = [
      [inRows, 9_990],
      [new Map([['v:Seen', times]]), 0],
    ]
    const clocks = vi.spyOn(Intl, 'DateTimeFormat')
    for (const [entered, count] of posted) {
      const read = () => {
        const { result, steps, ms } = longestStep(readAnswer(form, entered, 'America/St_Johns'))
        expect(result.answer.sections['parts']?.rows ?? []).toHaveLength(count)
        expect(steps).toBeGreaterThan(count)
        return ms
      }
      expect(await leastMs(read)).toBeLessThan(turnLimitMs)
    }
    expect(clocks).toHaveBeenCalledTimes(1)
    clocks.mockRestore()
  })

  it('is told what the server found at the row of the page that it is about', () => {
    const answer = {
      values: { Note: 'x' },
      sections: { parts: { rows: [{ values: {} }, { values: { Quantity: 9 } }], deletedEIRecordIds: [] } },
    }
    const issues = [
      { path: '$.values.Note', message: 'Too short.' },
      { path: '$.sections.parts.rows[1].values.Quantity', message: 'Too many.' },
      { path: '$.sections.parts.rows', message: 'At most one.' },
    ]
    expect(problemsOf(issues, answer, new Map([['parts', [2, 5]]]))).toEqual({
      problems: [
        { place: {}, property: 'Note', kind: 'other', message: 'Too short.' },
        { place: { section: 'parts', row: 5 }, property: 'Quantity', kind: 'other', message: 'Too many.' },
      ],
      others: ['At most one.'],
    })
  })

  it('goes again without what was hidden, and without nothing else', () => {
    const said = {
      values: { A: 1, B: 2 },
      sections: { rows: { rows: [{ values: { C: 3, D: 4 } }] }, gone: { rows: [{ values: { E: 5 } }] } },
    }
    const issue = (path: string, message = 'X is hidden as the record stands. Leave it out.') => ({
      path,
      message,
      severity: 'error' as const,
    })
    const call = callOf({ formId: 7, eiRecordId: null }, said)
    expect(withoutHidden(call, [issue('$.primary.values.A', 'A is required.')])).toBeUndefined()
    const fewer = withoutHidden(call, [issue('$.primary.values.A'), issue('$.sections.rows.rows[0].values.C'), issue('$.sections.gone')])
    expect(fewer).toMatchObject({
      operation: 'create_form_record_multi',
      input: { form: 7, primary: { values: { B: 2 } }, sections: { rows: { rows: [{ values: { D: 4 } }] } } },
    })
    expect(Object.keys(fewer?.said.sections ?? {})).toEqual(['rows'])
  })

  it('comes from controls whose names say where they stand', () => {
    for (const place of [{}, { section: 'parts', row: 3 }]) {
      const name = controlName('v', place, 'Quantity')
      expect(readControlName(name)).toEqual({ part: 'v', property: 'Quantity', ...place })
    }
    for (const name of ['', 'v:', 'x:Note', 'v:a:b', 'v:__proto__:1', 'v:parts:99999:Quantity', 'k'])
      expect(readControlName(name)).toBeUndefined()
  })
})

const values = {
  Text: ['', 'open', 'Open', 'reopened', 'İstanbul', 'ΣΑΣ'],
  Number: ['-3', '0', '0.1', '2', '10'],
  DateTime: ['2026-03-09T22:59:00.000Z', '2026-03-10T12:00:00.000Z'],
  DateOnly: ['2025-12-31', '2026-03-01', '2026-03-10'],
  TimeOnly: ['00:00', '08:30', '23:59:59'],
  Choice: ['open', 'closed'],
  Boolean: ['true', 'false'],
} as const
type Type = keyof typeof values
const types = Object.keys(values) as Type[]

const property = (dataType: Type, isList: boolean, at: number): CatalogProperty => ({
  entityPropertyId: at,
  propertyId: at,
  columnId: at,
  internalName: `${dataType}${isList ? 'Many' : 'One'}`,
  dataType,
  isRequired: false,
  isList,
  keyPart: null,
  isSensitive: false,
  minValueOrLength: null,
  maxValueOrLength: null,
  maxDecimalPlaces: null,
  regEx: null,
  allowedFileTypes: [],
  options:
    dataType === 'Choice'
      ? ['open', 'closed'].map((internalName, index) => ({ optionId: 50 + index, internalName, parentOptionId: null }))
      : [],
  optionFilter: null,
  isIdentityEmail: false,
  isIdentityPhone: false,
  analysis: null,
})
const gate: CatalogEntity = {
  entityId: 1,
  internalName: 'Gate',
  wipeNo: 0,
  isTenantUserRole: false,
  identityEmailPropertyId: null,
  identityPhonePropertyId: null,
  properties: types.flatMap((type, at) => [property(type, false, 100 + at), property(type, true, 200 + at)]),
  parents: [],
  children: [],
  peers: [],
}
const catalog: Catalog = {
  tenantId: 1,
  version: 1,
  entities: [gate],
  byIdOrName: new Map([
    ['gate', gate],
    ['1', gate],
  ]),
}

/** A text of a control as the wire has it. */
function onWire(type: string, text: string): unknown {
  if (type === 'Number') return Number(text)
  return type === 'Boolean' ? text === 'true' : text
}

const rule = fc.constantFrom(...gate.properties).chain(({ internalName, dataType }) => {
  const one = fc.constantFrom(...values[dataType as Type].filter((text) => text !== '')).map((text) => onWire(dataType, text))
  const texts = dataType === 'Text' ? ['contains', 'startsWith', 'endsWith', 'notContains'] : []
  const ordered = dataType === 'Choice' || dataType === 'Boolean' ? [] : ['gt', 'gte', 'lt', 'lte']
  return fc.oneof(
    fc.constantFrom('isEmpty', 'isNotEmpty').map((op) => ({ property: internalName, op })),
    fc.record({ property: fc.constant(internalName), op: fc.constantFrom('eq', 'ne', ...texts, ...ordered), value: one }),
    fc.record({
      property: fc.constant(internalName),
      op: fc.constantFrom('in', 'notIn'),
      value: fc.array(one, { minLength: 1, maxLength: 3 }),
    }),
  )
})
const condition = fc.record({
  logic: fc.constantFrom('AND', 'OR'),
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
  groups: fc.array(fc.record({ logic: fc.constantFrom('AND', 'OR'), rules: fc.array(rule, { minLength: 1, maxLength: 2 }) }), {
    maxLength: 1,
  }),
})
const typed = fc.record(
  Object.fromEntries(
    gate.properties.map(({ internalName, dataType, isList }) => [
      internalName,
      fc.array(fc.constantFrom(...values[dataType as Type]), { maxLength: isList ? 2 : 1 }),
    ]),
  ),
)

describe('a condition on the page', () => {
  it('says what the server says, wherever it says anything', async () => {
    const file = new URL('../server/web/conditions.js', import.meta.url).href
    const {
      holds,
    }: { holds: (condition: unknown, look: (property: string) => { type: string; value: unknown } | undefined) => boolean | undefined } =
      await import(file)
    const clock = { nowMs: Date.parse('2026-03-10T12:00:00Z'), timeZone: 'Europe/Madrid' }
    let decided = 0
    const runs = 2_000
    fc.assert(
      fc.property(condition, typed, (filter, entered) => {
        const texts = (name: string) => (entered[name] ?? []).filter((text) => text !== '')
        const here = holds(filter, (name) => {
          const { dataType: type } = gate.properties.find((one) => one.internalName === name) ?? { dataType: 'Text' }
          const all = texts(name)
          return { type, value: all.length > 1 ? all : all[0] }
        })
        if (here === undefined) return
        decided++
        const known = gate.properties.map((one) => {
          const wire = texts(one.internalName).map((text) => onWire(one.dataType, text))
          const checked = checkValue(one, wire.length === 0 ? null : one.isList ? wire : wire[0], noPatterns)
          if (!('value' in checked)) throw new Error(`${one.internalName} takes no ${JSON.stringify(wire)}`)
          return [one.entityPropertyId, checked.value] as const
        })
        const read = readCondition(catalog, gate, filter, clock)
        expect(read).toBeDefined()
        expect([filter, entered, here]).toEqual([filter, entered, isFulfilled(read?.node, { fields: {}, values: new Map(known) })])
      }),
      { numRuns: runs },
    )
    expect(decided).toBeGreaterThan(runs / 2)
  })
})
