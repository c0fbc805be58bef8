/** Forms on properties with as many options as they may have. */
import { describe, expect, it } from 'vitest'

import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { optionsShownOf, showLayout } from '#tools/forms/filling.rules.ts'
import { readLayout } from '#tools/forms/layout.rules.ts'
import { maxOptions } from '#tools/properties/properties.schema.ts'

import { leastMs, longestStep, turnLimitMs } from './support/turns.ts'

const manyTimes = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n))

const propertyOf = (entityPropertyId: number): CatalogProperty => ({
  entityPropertyId,
  propertyId: entityPropertyId,
  columnId: entityPropertyId,
  internalName: `P${entityPropertyId}`,
  dataType: 'Choice',
  isRequired: false,
  isList: false,
  keyPart: null,
  isSensitive: false,
  minValueOrLength: null,
  maxValueOrLength: null,
  maxDecimalPlaces: null,
  regEx: null,
  allowedFileTypes: [],
  options: manyTimes(maxOptions, (n) => ({ optionId: n + 1, internalName: `option${n}`, parentOptionId: n === 0 ? null : 1 })),
  optionFilter: null,
  isIdentityEmail: false,
  isIdentityPhone: false,
  analysis: null,
})

const entityOf = (more: Pick<CatalogEntity, 'entityId' | 'internalName' | 'properties' | 'parents' | 'children'>): CatalogEntity => ({
  wipeNo: 0,
  isTenantUserRole: false,
  identityEmailPropertyId: null,
  identityPhonePropertyId: null,
  peers: [],
  ...more,
})

/** New ones each time: what is kept by property is made anew, too. */
function arranged() {
  const relation = { isRequired: false, isList: true }
  const lines = manyTimes(17, (n) => propertyOf(100 + n))
  const order = entityOf({
    entityId: 1,
    internalName: 'Order',
    properties: [propertyOf(1)],
    parents: [],
    children: [{ ...relation, entityId: 2 }],
  })
  const line = entityOf({
    entityId: 2,
    internalName: 'Line',
    properties: lines,
    parents: [{ ...relation, entityId: 1 }],
    children: [],
  })
  const entities = [order, line]
  const byIdOrName = new Map(
    entities.flatMap((one) => [String(one.entityId), one.internalName.toLowerCase()].map((name) => [name, one] as const)),
  )
  const catalog: Catalog = { tenantId: 1, version: 1, entities, byIdOrName }
  return { catalog, order, lines }
}

describe('a form whose fields have thousands of options', () => {
  it('is read and shown without holding others up, however many fields it has', async () => {
    const run = () => {
      const { catalog, order, lines } = arranged()
      const fields = lines.map(({ internalName }) => ({ property: internalName }))
      const sections = manyTimes(58, (n) => ({ type: 'list', name: `list${n}`, entity: 'Line', fields }))
      const read = longestStep(readLayout(catalog, order, { sections }, undefined))
      const { layout, findings } = read.result
      expect(findings).toEqual([])
      const options = longestStep(optionsShownOf(layout))
      const names = { properties: new Map(), options: new Map([[2, 'The second']]), languageCodes: ['en-US'] }
      const showing = { names, rights: new Map(), locked: {}, lockedInRows: new Map(), options: options.result }
      const shown = longestStep(showLayout(layout, showing))
      expect([options.steps, shown.steps]).toEqual([987, 987])
      return { shown: shown.result, ms: Math.max(read.ms, options.ms, shown.ms) }
    }
    const all = run().shown.listSections.flatMap((section) => section.fields)
    expect(all.map((field) => field.options?.length)).toEqual(manyTimes(986, (n) => (n < 25 ? 200 : 0)))
    expect(all.every((field) => field.optionCount === maxOptions)).toBe(true)
    expect(all[0]?.options?.slice(0, 2)).toEqual([
      { internalName: 'option0', name: 'option0' },
      { internalName: 'option1', name: 'The second', parent: 'option0' },
    ])
    expect(await leastMs(() => run().ms)).toBeLessThan(turnLimitMs)
  })

  it('is told of tens of thousands of wrong names of options without holding others up, of the first with the nearest', async () => {
    const run = () => {
      const { catalog, order } = arranged()
      const wrong = ['optoin7', ...manyTimes(4_899, (n) => (n + 1_000).toString(36))]
      const optionsFilter = manyTimes(8, () => ({ options: wrong }))
      const sections = [{ type: 'detail', name: 'head', fields: [{ property: 'P1', optionsFilter }] }]
      return longestStep(readLayout(catalog, order, { sections }, undefined))
    }
    const { findings } = run().result
    expect(findings).toHaveLength(8 * 4_900)
    expect(findings[0]).toMatchObject({
      path: '$.layoutJson.sections[0].fields[0].optionsFilter[0].options[0]',
      message: 'P1 has no option "optoin7".',
      suggestion: 'option7',
    })
    expect(await leastMs(() => run().ms)).toBeLessThan(turnLimitMs)
  })
})
