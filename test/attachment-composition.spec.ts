/** What the files of a record put into the targets of an analysis, and whose a target's value is. */
import { describe, expect, it } from 'vitest'

import type { CatalogEntity, CatalogProperty, DataType } from '#tools/entities/catalog.types.ts'
import { composeTargets, type FilePart } from '#tools/intelligence/composition.rules.ts'
import { isFromRun, isReplaceable, stateOnArrival, valueHash, whyKept } from '#tools/intelligence/targets.rules.ts'

/** The one target. */
const property = (dataType: DataType, more: Partial<CatalogProperty> = {}): CatalogProperty => ({
  entityPropertyId: 1,
  propertyId: 1,
  columnId: 1,
  internalName: 'Target',
  dataType,
  isRequired: false,
  isList: false,
  keyPart: null,
  isSensitive: false,
  minValueOrLength: null,
  maxValueOrLength: null,
  maxDecimalPlaces: null,
  regEx: null,
  allowedFileTypes: [],
  options: [],
  optionFilter: null,
  isIdentityEmail: false,
  isIdentityPhone: false,
  analysis: null,
  ...more,
})
const entityOf = (one: CatalogProperty): CatalogEntity => ({
  entityId: 1,
  internalName: 'E',
  wipeNo: 0,
  isTenantUserRole: false,
  identityEmailPropertyId: null,
  identityPhonePropertyId: null,
  properties: [one],
  parents: [],
  children: [],
  peers: [],
})
const options = ['Traffic_Light', 'Crane'].map((internalName, n) => ({ optionId: n + 1, internalName, parentOptionId: null }))
const labels = [
  { label: 'traffic light', score: 0.81239 },
  { label: 'crane', score: 0.2 },
]

type Found = Partial<Omit<FilePart, 'assetKey'>>

/** One file in a property that holds one. */
const one = (found: Found) => ({ isList: false, parts: [{ assetKey: 'a', text: null, labels: null, ...found }], assetKey: 'a' })

/** A list of files, a, b, c …; the run of the last one ends. */
const many = (...found: Found[]) => {
  const parts = found.map((part, n) => ({ assetKey: String.fromCodePoint(97 + n), text: null, labels: null, ...part }))
  return { isList: true, parts, assetKey: parts.at(-1)?.assetKey }
}

describe('what is written of one file', () => {
  it.each([
    ['text, trimmed', 'text', property('Text'), { text: '  GATE 4\n\n' }, 'GATE 4'],
    ['text, cut to what the property takes', 'text', property('Text', { maxValueOrLength: 3 }), { text: 'GATE' }, 'GAT'],
    ['text, never cut through a character', 'text', property('Text', { maxValueOrLength: 3 }), { text: 'ab😀' }, 'ab'],
    ['labels in one text', 'labels', property('Text'), { labels }, 'traffic light, crane'],
    ['labels in one text, whole ones', 'labels', property('Text', { maxValueOrLength: 15 }), { labels }, 'traffic light'],
    ['labels in a list', 'labels', property('Text', { isList: true }), { labels }, ['traffic light', 'crane']],
    ['labels as options', 'labels', property('Choice', { isList: true, options }), { labels }, ['Traffic_Light', 'Crane']],
    [
      'labels as options that the entity allows',
      'labels',
      property('Choice', { isList: true, options, optionFilter: new Set([2]) }),
      { labels },
      ['Crane'],
    ],
    ['the first label as an option', 'topLabel', property('Choice', { options }), { labels }, 'Traffic_Light'],
    ['the first label as text', 'topLabel', property('Text'), { labels }, 'traffic light'],
    ['the score, as exact as the property', 'score', property('Number', { maxDecimalPlaces: 2 }), { labels }, 0.81],
  ] as const)('is %s', (_what, kind, target, findings, value) => {
    const { values, skipped } = composeTargets(entityOf(target), { [kind]: 1 }, one(findings))
    expect([values['Target'], skipped]).toEqual([value, []])
  })

  it.each([
    ['text', property('Text'), { text: ' \n ' }, 'No text was found.'],
    ['score', property('Number'), { labels: [] }, 'No label was found.'],
    ['labels', property('Choice', { isList: true, options: [] }), { labels }, 'It has no option for "traffic light".'],
  ] as const)('is nothing where the finding for %s is empty or fits no option, and says so', (kind, target, findings, reason) => {
    expect(composeTargets(entityOf(target), { [kind]: 1 }, one(findings))).toEqual({
      values: {},
      skipped: [{ property: 'Target', reason }],
    })
  })

  it('is nothing for a target that was detached or has changed', () => {
    expect(composeTargets(entityOf(property('Text')), { text: 2 }, one({ text: 'x' }))).toEqual({ values: {}, skipped: [] })
    const changed = composeTargets(entityOf(property('Number')), { text: 1 }, one({ text: 'x' }))
    expect(changed).toEqual({ values: {}, skipped: [{ property: 'Target', reason: 'It is no longer a Text property.' }] })
  })
})

describe('what is written of a list of files', () => {
  const crane = [{ label: 'crane', score: 0.9 }]
  it.each([
    [
      'texts in the order of the list, a blank line between',
      'text',
      property('Text'),
      [{ text: 'A\n' }, { text: '' }, { text: 'C' }],
      'A\n\nC',
    ],
    ['texts as far as there is room', 'text', property('Text', { maxValueOrLength: 5 }), [{ text: 'ABC' }, { text: 'DEF' }], 'ABC'],
    ['an element a file', 'text', property('Text', { isList: true }), [{ text: 'A\n\nB' }, {}, { text: 'C' }], ['A\n\nB', 'C']],
    ['labels, each once', 'labels', property('Text'), [{ labels }, { labels: crane }], 'traffic light, crane'],
    [
      'the labels of a file in an element',
      'labels',
      property('Text', { isList: true }),
      [{ labels }, { labels: crane }],
      ['traffic light, crane', 'crane'],
    ],
    [
      'the options of all files',
      'labels',
      property('Choice', { isList: true, options }),
      [{ labels: crane }, { labels }],
      ['Crane', 'Traffic_Light'],
    ],
    ['the first labels, each once', 'topLabel', property('Text'), [{ labels }, { labels: crane }, { labels }], 'traffic light, crane'],
    [
      'the first label of each file',
      'topLabel',
      property('Text', { isList: true }),
      [{ labels }, { labels }],
      ['traffic light', 'traffic light'],
    ],
    [
      'the likeliest of them as an option',
      'topLabel',
      property('Choice', { options }),
      [{ labels }, { labels: crane }, { labels }],
      'Crane',
    ],
    ['the highest score', 'score', property('Number'), [{ labels }, { labels: crane }], 0.9],
    ['the scores of all files', 'score', property('Number', { isList: true }), [{ labels: crane }, { labels }], [0.9, 0.8124]],
  ] as const)('is %s', (_what, kind, target, found, value) => {
    expect(composeTargets(entityOf(target), { [kind]: 1 }, many(...found)).values['Target']).toEqual(value)
  })

  it('says of the file whose turn it is that there was no room for it, or nothing in it', () => {
    const target = entityOf(property('Text', { maxValueOrLength: 4 }))
    expect(composeTargets(target, { text: 1 }, many({ text: 'ABCD' }, { text: 'E' }))).toEqual({
      values: { Target: 'ABCD' },
      skipped: [{ property: 'Target', reason: 'The texts of the files before it leave no room in it.' }],
    })
    expect(composeTargets(target, { text: 1 }, many({ text: 'AB' }, {})).skipped).toEqual([
      { property: 'Target', reason: 'No text was found.' },
    ])
  })

  it('is bounded, however many files there are and however long their texts', () => {
    const texts = Array.from({ length: 1_000 }, () => ({ text: 'x'.repeat(32_768) }))
    const { values } = composeTargets(entityOf(property('Text', { isList: true })), { text: 1 }, many(...texts))
    expect((values['Target'] as string[]).join('').length).toBe(262_144)
    expect((composeTargets(entityOf(property('Text')), { text: 1 }, many(...texts)).values['Target'] as string).length).toBe(32_768)
  })
})

describe('a target', () => {
  const run = { hash: valueHash('A'), by: 'run' } as const
  const save = { hash: valueHash('A'), by: 'save' } as const

  it('is replaced while it holds what recognition wrote, or what was there when the files came', () => {
    expect([isReplaceable(run, 'A'), isReplaceable(save, 'A'), isReplaceable(undefined, null)]).toEqual([true, true, true])
    expect([isReplaceable(run, 'B'), isReplaceable(save, null), isReplaceable(undefined, 'A')]).toEqual([false, false, false])
  })

  it('is the same value when its property turns from one into a list', () => {
    expect([isFromRun(run, ['A']), isFromRun(run, ['A', 'A']), isFromRun(save, 'A')]).toEqual([true, false, false])
  })

  it('that somebody changed while files were there stays theirs when more come, until all go or they empty it', () => {
    expect(stateOnArrival(run, 'by hand', { hasOthers: true })).toBeUndefined()
    expect(stateOnArrival(run, null, { hasOthers: true })).toEqual({ hash: valueHash(null), by: 'save' })
    expect(stateOnArrival(run, 'by hand', { hasOthers: false })).toEqual({ hash: valueHash('by hand'), by: 'save' })
    expect(stateOnArrival(undefined, 'by hand', { hasOthers: true })).toEqual({ hash: valueHash('by hand'), by: 'save' })
    expect(stateOnArrival(run, 'A', { hasOthers: true })).toBeUndefined()
  })

  it('says truly why it is kept', () => {
    expect([undefined, run, save].map(whyKept)).toEqual([
      'It has a value that recognition did not write.',
      'Somebody changed it after recognition had written it.',
      'Somebody changed it since the attachment was saved.',
    ])
  })
})
