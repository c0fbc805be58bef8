import { describe, expect, it } from 'vitest'

import { inSystemTransaction } from '#platform/system.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { readLayout } from '#tools/forms/layout.rules.ts'
import { checkDraft } from '#tools/forms/reading.ts'
import type { FormLayout, FormSection, ListSection } from '#tools/forms/layout.types.ts'

import { leastMs, longestStep, turnLimitMs } from './support/turns.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

const names = () => ({
  order: unique('Order'),
  visit: unique('Visit'),
  site: unique('Site'),
  title: unique('Title'),
  status: unique('Status'),
  tags: unique('Tags'),
  due: unique('Due'),
  cost: unique('Cost'),
  photo: unique('Photo'),
  secret: unique('Secret'),
  hours: unique('Hours'),
  code: unique('Code'),
})
type Names = ReturnType<typeof names>

/** An order under a site, with visits under it. */
async function arranged(): Promise<Names> {
  const of = names()
  const property = (internalName: string, dataType: string, more = {}) => world.call('create_property', { internalName, dataType, ...more })
  const propertyOptions = [{ internalName: 'open' }, { internalName: 'closed' }, { internalName: 'void' }]
  await property(of.title, 'Text')
  await property(of.status, 'Choice', { propertyOptions })
  await property(of.tags, 'Choice', { propertyOptions })
  await property(of.due, 'DateOnly')
  await property(of.cost, 'Number', { minValueOrLength: 0 })
  await property(of.photo, 'Attachment', { allowedFileTypes: ['jpg', 'png'] })
  await property(of.secret, 'Text', { isSensitive: true })
  await property(of.hours, 'Number')
  await property(of.code, 'Text')
  await world.call('create_entity', {
    internalName: of.visit,
    properties: [{ property: of.hours }, { property: of.title, isRequired: true }],
  })
  await world.call('create_entity', {
    internalName: of.order,
    properties: [
      { property: of.title, isRequired: true },
      { property: of.status },
      { property: of.tags, isList: true },
      { property: of.due },
      { property: of.cost },
      { property: of.photo },
      { property: of.secret },
    ],
  })
  await world.call('create_entity', { internalName: of.site, properties: [{ property: of.code }] })
  await world.call('attach_child_entity', { entity: of.order, childEntity: of.visit, isList: true })
  await world.call('attach_child_entity', { entity: of.site, childEntity: of.order, isList: true })
  return of
}

interface Issue {
  readonly path: string
  readonly severity: string
  readonly message: string
  readonly suggestion?: string
}

async function issuesOf(of: Names, layoutJson: unknown): Promise<Issue[]> {
  const { ok, valid, issues } = await world.call('validate_form', { entity: of.order, layoutJson })
  expect([ok, valid]).toEqual(Array(2).fill(issues.every((one: Issue) => one.severity !== 'error')))
  return issues
}

const detail = (fields: unknown[], more = {}) => ({ type: 'detail', name: 'main', fields, ...more })
const list = (of: Names, fields: unknown[], more = {}) => ({ type: 'list', name: 'visits', entity: of.visit, fields, ...more })

/** The layout as operations on records get it. */
async function layoutOf(of: Names, layoutJson: unknown): Promise<FormLayout> {
  return inSystemTransaction(world.platform.services, world.tenant.tenantId, async (context) => {
    const catalog = await cachedCatalog(context)
    const entity = catalog.byIdOrName.get(of.order.toLowerCase())
    if (!entity) throw new Error('The entity is not there')
    const { layout, findings } = await checkDraft(context, catalog, entity, layoutJson)
    expect(findings.filter((one) => one.severity === 'error')).toEqual([])
    if (!layout) throw new Error('The layout was not read')
    return layout
  })
}

function listSectionOf({ sections }: { sections: readonly FormSection[] }): ListSection {
  const found = sections.find((one) => one.type === 'list')
  if (found?.type !== 'list') throw new Error('There is no list')
  return found
}

/** The longest that reading holds others up. */
async function longestStepMs(of: Names, body: Record<string, unknown>): Promise<number> {
  const catalog = await inSystemTransaction(world.platform.services, world.tenant.tenantId, (context) => cachedCatalog(context))
  const entity = catalog.byIdOrName.get(of.order.toLowerCase())
  if (!entity) throw new Error('The entity is not there')
  return leastMs(() => {
    const { ms, steps } = longestStep(readLayout(catalog, entity, body, undefined))
    expect(steps).toBeGreaterThan(100)
    return ms
  })
}

describe('the grammar of layouts', () => {
  it('finds nothing wrong with a layout that uses all of it', async () => {
    const of = await arranged()
    const closed = [{ property: of.status, op: 'eq', value: 'closed' }]
    const layoutJson = {
      layoutVersion: 7,
      internalName: unique('Form'),
      entity: of.order,
      binding: { type: 'entity', name: of.order },
      lock: { logic: 'AND', rules: [{ property: of.due, op: 'gte', value: 'today' }] },
      allowNew: true,
      allowEdit: true,
      allowDelete: false,
      channels: ['web', 'mobile'],
      pages: 'section',
      sections: [
        detail(
          [
            { property: of.title, label: { en: 'What', de: 'Was' }, help: 'For [[$user.displayName]]', required: true, span: 6 },
            { property: of.status, control: 'radio', default: 'open', optionsFilter: ['open', 'closed'] },
            { property: of.tags, control: 'checkboxes', default: ['open'] },
            { property: of.due, control: 'date', default: '[[$today]]', requiredWhen: closed },
            { property: of.cost, default: { $expr: ['*', 2, `[[${of.order}.${of.cost}]]`] }, visibleWhen: closed },
            { property: of.photo, control: 'photo', capture: { maxBytes: 26_214_400, source: 'camera', accept: ['jpg'], maxEdge: 2_000 } },
            {
              property: of.secret,
              visibleWhen: { logic: 'OR', rules: [{ entity: of.site, property: of.code, op: 'eq', value: 'A' }] },
              channels: ['web'],
            },
          ],
          { title: { en: 'The work' }, visibleWhen: null },
        ),
        list(
          of,
          [
            { property: of.title },
            { property: of.hours, visibleWhen: [{ entity: of.order, property: of.status, op: 'eq', value: 'open' }] },
          ],
          {
            link: 'child',
            columns: [of.hours],
            min: 1,
            max: 5,
            allowDelete: false,
            filter: [{ property: of.hours, op: 'gt', value: 1 }],
            sort: [{ property: of.hours, direction: 'desc' }],
          },
        ),
      ],
    }
    expect(await issuesOf(of, layoutJson)).toEqual([])
    expect(await issuesOf(of, JSON.stringify(layoutJson))).toEqual([])
  })

  it('tells each mistake with its place and the nearest right name, all of them at once', async () => {
    const of = await arranged()
    const issues = await issuesOf(of, {
      colour: 'red',
      pages: 'swipe',
      binding: { type: 'view', name: 'Nowhere' },
      lock: [{ property: `${of.status}x`, op: 'eq', value: 'open' }],
      sections: [
        detail([
          { property: `${of.title}x` },
          { property: of.status, lable: 'A', control: 'radio' },
          { property: of.status, control: 'checkboxes', default: 'opn', optionsFilter: ['opn'] },
          { property: of.title, span: 13 },
          { property: of.cost, capture: {}, optionsFilter: ['a'], default: -1 },
          { property: of.photo, capture: { accept: ['pdf'] } },
          { property: of.due, default: 'today' },
          { property: of.tags, default: 'open', visibleWhen: [{ property: of.cost, op: 'contains', value: 'a' }] },
          { property: of.secret, help: `[[${of.order}.Nothing]]`, storageShortcut: 'Public' },
        ]),
        detail([{ property: of.due }], { name: 'MAIN' }),
        { type: 'lst', name: 'other' },
        list(of, [{ property: of.cost }], { entity: `${of.visit}s` }),
        list(of, [{ property: of.cost }], { name: 'second', min: 3, max: 2 }),
        list(of, [{ property: of.code }], { name: 'third', entity: of.site }),
      ],
    })
    const at = new Map(issues.map((one) => [one.path, one]))
    const field = (n: number, key: string) => `$.layoutJson.sections[0].fields[${n}]${key}`
    expect([...at.keys()].sort()).toEqual(
      [
        '$.layoutJson.binding.name',
        '$.layoutJson.colour',
        '$.layoutJson.lock[0].property',
        '$.layoutJson.pages',
        field(0, '.property'),
        field(1, '.lable'),
        field(2, '.control'),
        field(2, '.default'),
        field(2, '.optionsFilter[0]'),
        field(3, '.span'),
        field(4, '.capture'),
        field(4, '.default'),
        field(4, '.optionsFilter'),
        field(5, '.capture.accept[0]'),
        field(6, '.default'),
        field(7, '.default'),
        field(7, '.visibleWhen[0].op'),
        field(8, '.help'),
        field(8, '.storageShortcut'),
        '$.layoutJson.sections[1].fields[0].property',
        '$.layoutJson.sections[1].name',
        '$.layoutJson.sections[2].type',
        '$.layoutJson.sections[3].entity',
        '$.layoutJson.sections[4].fields[0].property',
        '$.layoutJson.sections[4].min',
        '$.layoutJson.sections[5].entity',
      ].sort(),
    )
    expect(at.get(field(0, '.property'))?.suggestion).toBe(of.title)
    expect(at.get(field(1, '.lable'))?.suggestion).toBe('label')
    expect(at.get(field(2, '.default'))?.suggestion).toBe('open')
    expect(at.get(field(6, '.default'))?.suggestion).toBe('[[$today]]')
    expect(at.get('$.layoutJson.sections[2].type')?.suggestion).toBe('list')
    expect(at.get('$.layoutJson.sections[3].entity')?.suggestion).toBe(of.visit)
  })

  it('says which entity it needs, in the layout or beside it, and that both are one', async () => {
    const of = await arranged()
    const layoutJson = { sections: [detail([{ property: of.title }])] }
    const alone = await world.call('validate_form', { layoutJson: { ...layoutJson, entity: of.order } })
    expect(alone).toEqual({ ok: true, valid: true, issues: [] })
    const without = await world.call('validate_form', { layoutJson })
    expect(without.issues).toMatchObject([{ path: '$.layoutJson.entity' }])
    const foreign = await issuesOf(of, { ...layoutJson, entity: of.visit })
    expect(foreign).toMatchObject([{ path: '$.layoutJson.entity', suggestion: of.order }])
    const unknown = await world.call('validate_form', { entity: `${of.order}x`, layoutJson })
    expect(unknown.issues).toMatchObject([{ path: '$.entity', suggestion: of.order }])
  })

  it('keeps conditions to what is in hand: the record, its parents, and rows of its lists', async () => {
    const of = await arranged()
    const of2 = unique('Tool')
    await world.call('create_entity', { internalName: of2, properties: [{ property: of.code }] })
    await world.call('attach_peer_entity', { entity: of.order, peerEntity: of2 })
    const layout = (condition: unknown, sections: unknown[] = []) => ({
      sections: [detail([{ property: of.title }, { property: of.cost, visibleWhen: condition }]), ...sections],
    })
    const rows = { entity: of.visit, has: 'some', rules: [{ property: of.hours, op: 'gt', value: 3 }] }
    const visits = list(of, [{ property: of.title }])
    expect(await issuesOf(of, layout([{ entity: of.site, property: of.code, op: 'eq', value: 'A' }]))).toEqual([])
    expect(await issuesOf(of, layout(rows, [visits]))).toEqual([])
    const paths = async (condition: unknown) => (await issuesOf(of, layout(condition))).map((one) => one.path)
    const place = '$.layoutJson.sections[0].fields[1].visibleWhen'
    expect(await paths(rows)).toEqual([`${place}.entity`])
    expect(await paths({ groups: [{ entity: of2, via: 'peer', rules: [] }] })).toEqual([`${place}.groups[0].entity`])
    expect(await paths([{ property: of.title, op: 'eq', value: '[[$user.email]]' }])).toEqual([])
    expect(await paths([{ property: of.title, op: 'eq', value: '[[$usr.email]]' }])).toEqual([`${place}[0].value`])
  })

  it('refuses a sensitive value a place that is not sensitive with 422, and an unknown storage shortcut with 400', async () => {
    const of = await arranged()
    const draft = async (fields: unknown[]) =>
      inSystemTransaction(world.platform.services, world.tenant.tenantId, async (context) => {
        const catalog = await cachedCatalog(context)
        const entity = catalog.byIdOrName.get(of.order.toLowerCase())
        if (!entity) throw new Error('The entity is not there')
        const { findings } = await checkDraft(context, catalog, entity, { sections: [detail(fields)] })
        return findings
          .filter((one) => one.severity === 'error')
          .map(({ path, code }) => [path.slice('$.layoutJson.sections[0].fields'.length), code])
      })
    const secret = `[[${of.order}.${of.secret}]]`
    expect(await draft([{ property: of.title, default: `No. ${secret}` }])).toEqual([['[0].default', 'unprocessable']])
    expect(await draft([{ property: of.title, default: { $expr: ['upper', secret] } }])).toEqual([['[0].default', 'unprocessable']])
    expect(await draft([{ property: of.title }, { property: of.secret, default: secret }])).toEqual([])
    expect(await draft([{ property: of.title }, { property: of.secret, storageShortcut: 4 }])).toEqual([
      ['[1].storageShortcut', 'unprocessable'],
    ])
    expect(await draft([{ property: of.title }, { property: of.photo, storageShortcut: 4 }])).toEqual([['[1].storageShortcut', undefined]])
  })
})

describe('a layout that was read', () => {
  it('names as hidden what is required and may be hidden, stands nowhere, or cannot be entered', async () => {
    const of = await arranged()
    const closed = [{ property: of.status, op: 'eq', value: 'closed' }]
    const hidden = async (fields: unknown[], more = {}) => {
      const layoutJson = { sections: [detail(fields, more), list(of, [{ property: of.hours }])] }
      const layout = await layoutOf(of, layoutJson)
      const warned = (await issuesOf(of, layoutJson)).map((one) => `${one.severity} ${one.path}`)
      return { names: layout.hiddenRequired.map((one) => one.internalName), warned, layout }
    }
    const absent = await hidden([{ property: of.status }])
    expect([absent.names, absent.warned]).toEqual([[of.title], ['warning $.layoutJson.sections']])
    expect(listSectionOf(absent.layout).hiddenRequired.map((one) => one.internalName)).toEqual([of.title])
    expect((await hidden([{ property: of.title, visibleWhen: closed }])).names).toEqual([of.title])
    expect((await hidden([{ property: of.title }], { visibleWhen: closed })).names).toEqual([of.title])
    expect((await hidden([{ property: of.title, readOnly: true }])).names).toEqual([of.title])
    expect((await hidden([{ property: of.title, readOnly: true, default: 'A' }])).names).toEqual([])
    expect((await hidden([{ property: of.title }, { property: of.cost, required: true, visibleWhen: closed }])).names).toEqual([of.cost])
    const plain = await hidden([{ property: of.title }])
    expect([plain.names, plain.warned]).toEqual([[], []])
  })

  it('locks what its filter and the view that it is bound to say eq of, and nothing else', async () => {
    const of = await arranged()
    const view = unique('View')
    const { entityInstanceViewId } = await world.call('save_view', {
      entity: of.order,
      internalName: view,
      viewJson: { filters: { externalKeyFilter: 'WO', propertyFilters: [{ property: of.status, op: 'eq', value: 'open' }] } },
    })
    const lock = {
      rules: [
        { property: of.cost, op: 'eq', value: 5 },
        { property: of.due, op: 'eq', value: 'today' },
        { property: of.tags, op: 'eq', value: 'open' },
        { property: of.title, op: 'contains', value: 'a' },
      ],
      groups: [
        { rules: [{ property: of.secret, op: 'in', value: ['[[$user.email]]'] }] },
        {
          logic: 'OR',
          rules: [
            { property: of.title, op: 'eq', value: 'a' },
            { property: of.title, op: 'eq', value: 'b' },
          ],
        },
      ],
    }
    const layout = await layoutOf(of, {
      binding: { type: 'view', id: entityInstanceViewId },
      lock,
      sections: [
        detail([{ property: of.title }, { property: of.status }, { property: of.cost }]),
        list(of, [{ property: of.title }, { property: of.hours }], { filter: [{ property: of.hours, op: 'eq', value: 8 }] }),
      ],
    })
    const shown = (locked: FormLayout['lockedFields']) =>
      Object.fromEntries([...locked].map(([property, value]) => [property.internalName, value]))
    expect(shown(layout.lockedFields)).toEqual({ [of.status]: 'open', [of.cost]: 5, [of.secret]: '[[$user.email]]' })
    expect(shown(listSectionOf(layout).lockedFields)).toEqual({ [of.hours]: 8 })
    expect(layout.within).toHaveLength(3)
    expect(layout.view?.internalName).toBe(view)
    const readOnly = layout.sections[0]?.fields.map((field) => [field.property.internalName, field.isReadOnly])
    expect(readOnly).toEqual([
      [of.title, false],
      [of.status, true],
      [of.cost, true],
    ])
    const clash = await issuesOf(of, {
      binding: { type: 'view', name: view },
      lock: [{ property: of.status, op: 'eq', value: 'void' }],
      sections: [detail([{ property: of.title }])],
    })
    expect(clash).toMatchObject([{ path: '$.layoutJson.lock', severity: 'warning' }])
  })

  it('decides what a layout leaves open', async () => {
    const of = await arranged()
    const layout = await layoutOf(of, {
      sections: [
        detail([{ property: of.title }, { property: of.tags }, { property: of.photo }]),
        list(of, [{ property: of.title }, { property: of.hours }]),
      ],
    })
    expect(layout).toMatchObject({
      allowNew: true,
      allowEdit: true,
      allowDelete: true,
      pages: 'scroll',
      channels: ['web', 'mobile', 'rich'],
      within: [],
    })
    const [title, tags, photo] = layout.sections[0]?.fields ?? []
    expect(title).toMatchObject({ control: 'text', span: 12, isRequired: true, isReadOnly: false, capture: undefined })
    expect(tags).toMatchObject({ control: 'checkboxes', isRequired: false })
    expect(photo).toMatchObject({ control: 'file', capture: { maxBytes: 26_214_400, source: 'any', accept: [] } })
    const rows = listSectionOf(layout)
    expect(rows).toMatchObject({ min: 0, max: 1_000, allowAdd: true, allowEdit: true, allowDelete: true })
    expect(rows.columns.map((one) => one.internalName)).toEqual([of.title, of.hours])
  })

  it('is bounded in what it holds, and read without holding others up', async () => {
    const of = await arranged()
    const rule = { property: of.cost, op: 'eq', value: 1 }
    const field = { property: of.title, visibleWhen: Array.from({ length: 20 }, () => rule), help: `[[${of.order}.${of.cost}]]` }
    const sections = Array.from({ length: 60 }, (_, n) =>
      detail(
        Array.from({ length: 3 }, () => field),
        { name: `part${n}` },
      ),
    )
    const layoutJson = JSON.stringify({ sections })
    expect(layoutJson.length).toBeGreaterThan(150_000)
    expect((await issuesOf(of, layoutJson)).length).toBe(180)
    expect(await longestStepMs(of, { sections })).toBeLessThan(turnLimitMs)
    const tooMany = (fields: number, parts: number) => ({
      sections: Array.from({ length: parts }, (_, n) =>
        list(
          of,
          Array.from({ length: fields }, () => ({ property: of.hours })),
          { name: `part${n}` },
        ),
      ),
    })
    expect((await issuesOf(of, tooMany(1, 61))).map((one) => one.path)).toContain('$.layoutJson.sections')
    expect((await issuesOf(of, tooMany(301, 1))).map((one) => one.path)).toContain('$.layoutJson.sections[0].fields')
    expect((await issuesOf(of, tooMany(251, 4))).map((one) => one.message)).toContain('A form has at most 1000 fields in all.')
  })
})
