/** A form made ready for one caller at one time: its conditions read, its locks and filters with the values that their tokens take. */
import type { TxContext } from '#platform/operation.ts'
import { noPatterns } from '#platform/patterns.ts'
import { eachInTurns } from '#platform/turns.ts'
import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { checkValue, type Value } from '#tools/properties/service.ts'
import { callersClock, isFulfilled, readCondition, type RecordInHand, withCallersValues } from '#tools/query/service.ts'

import type { FormField, FormLayout, FormSection, ListSection, LockedFields } from '../layout.types.ts'

type Test = (record: RecordInHand) => boolean

export interface ReadyField extends FormField {
  readonly isVisible: Test
  /** Whether a condition asks for a value, beside what is always required. */
  readonly isAskedFor: Test
  /** The options that are offered; undefined: all of them. */
  readonly offered: (record: RecordInHand) => ReadonlySet<number> | undefined
}

/** By property the one value that it has here, canonical. */
export type Locked = ReadonlyMap<CatalogProperty, Value>

interface ReadyPart {
  /** Asked of the record of the form, also for a list. */
  readonly isVisible: Test
  readonly fields: readonly ReadyField[]
}

type FieldOf = ReadonlyMap<CatalogProperty, ReadyField>

export interface ReadyDetail extends ReadyPart {
  readonly name: string
}

export interface ReadyList extends ReadyPart {
  readonly section: ListSection
  readonly name: string
  readonly entity: CatalogEntity
  readonly fieldOf: FieldOf
  readonly locked: Locked
  /** Which children of the record are its rows; undefined: none, since a token has no value. */
  readonly within: readonly unknown[] | undefined
}

/** What has to be in hand before conditions are asked. */
export interface Asked {
  /** Records above that of the form. */
  readonly above: boolean
  /** Children of the record, by entityId. */
  readonly rows: ReadonlySet<number>
}

export interface ReadyForm {
  readonly layout: FormLayout
  readonly entity: CatalogEntity
  readonly details: readonly ReadyDetail[]
  readonly lists: readonly ReadyList[]
  /** Of the details. */
  readonly fieldOf: FieldOf
  readonly locked: Locked
  /** Which records are reached; undefined: none, since a token has no value. */
  readonly within: readonly unknown[] | undefined
  /** Those of these filters that a record must still fulfil when it is saved. */
  readonly lock: readonly unknown[] | undefined
  readonly asked: Asked
}

interface Said {
  readonly entity: CatalogEntity
  readonly filter: unknown
}

/** Every condition of a layout, with the entity whose record it is asked of. */
function conditionsOf({ entity, sections }: FormLayout): Said[] {
  const ofField = (home: CatalogEntity, { visibleWhen, requiredWhen, optionsFilter }: FormField) =>
    [visibleWhen, requiredWhen, ...(optionsFilter ?? []).map(({ when }) => when)].map((filter) => ({ entity: home, filter }))
  return sections
    .flatMap((section) => [
      { entity, filter: section.visibleWhen },
      ...section.fields.flatMap((field) => ofField(section.type === 'list' ? section.entity : entity, field)),
    ])
    .filter(({ filter }) => filter !== undefined)
}

/** The names of entities that a filter speaks of beside its own. */
function entitiesIn(filter: unknown, depth = 0): string[] {
  if (depth > 16 || typeof filter !== 'object' || filter === null) return []
  const own = !Array.isArray(filter) && 'entity' in filter ? [String(filter.entity).toLowerCase()] : []
  const inside = Object.entries(filter).flatMap(([key, one]) => (key === 'value' ? [] : entitiesIn(one, depth + 1)))
  return [...own, ...inside]
}

function askedBy(catalog: Catalog, form: CatalogEntity, conditions: readonly Said[]): Asked {
  const named = new Set(
    conditions.flatMap(({ filter }) => entitiesIn(filter).flatMap((name) => catalog.byIdOrName.get(name)?.entityId ?? [])),
  )
  const rows = new Set(form.children.flatMap(({ entityId }) => (named.has(entityId) ? [entityId] : [])))
  const above = [...named].some((entityId) => entityId !== form.entityId && !rows.has(entityId))
  // An entity may be both above and below another.
  return { above: above || form.parents.some(({ entityId }) => named.has(entityId)), rows }
}

// About as many characters as are looked through in a few milliseconds, since nobody else is answered meanwhile.
const lookedAtOnce = 5_000_000
// In a call: about a second.
const lookedInAll = 500_000_000

type Work = (node: Parameters<typeof isFulfilled>[0], record: RecordInHand) => boolean

/** Asks conditions within what one call may look at. */
function withinLimits(): Work {
  let left = lookedInAll
  return (node, record) => {
    const looking = { left: Math.min(left, lookedAtOnce) }
    const before = looking.left
    const holds = isFulfilled(node, record, looking)
    left -= before - looking.left
    return holds
  }
}

/** Reads each condition once; one that a token leaves without a value holds for nothing. */
async function testsOf(context: TxContext, catalog: Catalog, conditions: readonly Said[], work: Work): Promise<(filter: unknown) => Test> {
  const filled = await withCallersValues(
    context,
    catalog,
    conditions.map(({ filter }) => filter),
  )
  const clock = await callersClock(context)
  const tests = new Map<unknown, Test>()
  await eachInTurns(conditions, ({ entity, filter }, index) => {
    const said = filled[index]
    const condition = said && readCondition(catalog, entity, said.filter, clock)
    tests.set(filter, condition ? (record) => work(condition.node, record) : () => false)
  })
  return (filter) => (filter === undefined ? () => true : (tests.get(filter) ?? (() => false)))
}

/** The values that are fixed, where a token has one. */
async function lockedOf(context: TxContext, catalog: Catalog, fields: LockedFields): Promise<Locked> {
  const locked = new Map<CatalogProperty, Value>()
  const properties = [...fields.keys()]
  const filled = await withCallersValues(
    context,
    catalog,
    properties.map((property) => ({ property: property.propertyId, op: 'eq', value: fields.get(property) })),
  )
  properties.forEach((property, index) => {
    // The filter was an object and stays one; of several values none is fixed.
    const said = filled[index]?.filter as { readonly op: string; readonly value: unknown } | undefined
    const checked = said?.op === 'eq' ? checkValue(property, said.value, noPatterns) : undefined
    if (checked && 'value' in checked) locked.set(property, checked.value)
  })
  return locked
}

async function filledFilters(context: TxContext, catalog: Catalog, filters: readonly unknown[]): Promise<readonly unknown[] | undefined> {
  const filled = await withCallersValues(context, catalog, filters)
  return filled.every((one) => one !== undefined) ? filled.map(({ filter }) => filter) : undefined
}

const fieldsOf = (parts: readonly ReadyPart[]): FieldOf =>
  new Map(parts.flatMap(({ fields }) => fields.map((field) => [field.property, field] as const)))

export async function readyForm(context: TxContext, catalog: Catalog, layout: FormLayout): Promise<ReadyForm> {
  const { entity, sections } = layout
  const conditions = conditionsOf(layout)
  const testOf = await testsOf(context, catalog, conditions, withinLimits())
  const ready = (field: FormField): ReadyField => {
    const choices = field.optionsFilter?.map(({ when, optionIds }) => ({ holds: testOf(when), optionIds }))
    return {
      ...field,
      isVisible: testOf(field.visibleWhen),
      isAskedFor: field.requiredWhen === undefined ? () => false : testOf(field.requiredWhen),
      offered: (record) => choices && new Set(choices.flatMap(({ holds, optionIds }) => (holds(record) ? [...optionIds] : []))),
    }
  }
  const part = (section: FormSection) => ({
    name: section.name,
    isVisible: testOf(section.visibleWhen),
    fields: section.fields.map(ready),
  })
  const lists: ReadyList[] = []
  for (const section of sections) {
    if (section.type !== 'list') continue
    const locked = await lockedOf(context, catalog, section.lockedFields)
    const within = await filledFilters(context, catalog, section.filter === undefined ? [] : [section.filter])
    const own = part(section)
    lists.push({ ...own, section, entity: section.entity, fieldOf: fieldsOf([own]), locked, within })
  }
  const within = await filledFilters(context, catalog, layout.within)
  const details = sections.filter((section) => section.type === 'detail').map(part)
  return {
    layout,
    entity,
    details,
    fieldOf: fieldsOf(details),
    lists,
    locked: await lockedOf(context, catalog, layout.lockedFields),
    within,
    lock: within?.slice(layout.view?.filters.length ?? 0),
    asked: askedBy(catalog, entity, conditions),
  }
}
