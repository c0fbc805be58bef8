/** Sections of a layout: fields of the record, and lists of its children. */
import { nearest, quoted } from '#platform/suggest.ts'
import { readDraft, unknownName } from '#platform/validation.ts'
import { referencesOfFilter, referencesOfSort, referencesOfTokens } from '#tools/definitions/service.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { findFilterProblems, findSortProblems, shapeOfRecord } from '#tools/query/service.ts'

import { ancestorsOf } from './conditions.rules.ts'
import {
  type FieldHome,
  given,
  placeOf,
  readCondition,
  readField,
  readProperty,
  readShortcut,
  readTokens,
  type Reading,
  say,
} from './fields.rules.ts'
import { channels, detailSection, listSection, maxFieldsInAll, maxRows, sectionTypes } from './layout.schema.ts'
import type { DetailSection, FormField, FormSection, ListSection, LockedFields, Place } from './layout.types.ts'
import { locksOf } from './locks.rules.ts'

/** The child entity of a list section. */
function readChild(reading: Reading, entity: CatalogEntity, name: string | number, at: Place) {
  const { catalog } = reading
  const child = catalog.byIdOrName.get(String(name).toLowerCase())
  const children = entity.children.flatMap((one) => catalog.byIdOrName.get(String(one.entityId))?.internalName ?? [])
  if (!child) {
    const known = children.length > 0 ? children : catalog.entities.map((one) => one.internalName)
    return void reading.findings.push(unknownName(placeOf(reading, at), 'entity', name, known, 'list_entities', 'unknown_entity'))
  }
  const relation = entity.children.find((one) => one.entityId === child.entityId)
  if (!relation) {
    const are = children.length === 0 ? 'It has none.' : `Its children: ${children.join(', ')}.`
    return say(reading, at, `${child.internalName} is no child of ${entity.internalName}. ${are}`, {
      suggestion: nearest(String(name), children),
    })
  }
  reading.references.push({ at, entityId: child.entityId, otherEntityId: entity.entityId })
  return { child, relation }
}

/** A filter whose equal values lock fields. */
export function readLock(reading: Reading, entity: CatalogEntity, filter: unknown, at: Place): void {
  if (filter === undefined) return
  reading.findings.push(...findFilterProblems(reading.catalog, entity, filter, placeOf(reading, at), { hasTokens: true }))
  reading.references.push(...referencesOfFilter(reading.catalog, entity, filter, at), ...referencesOfTokens(reading.catalog, filter, at))
}

export function lockedBy(reading: Reading, entity: CatalogEntity, filters: readonly unknown[], at: Place): LockedFields {
  const { locked, clash } = locksOf(entity, filters)
  if (clash) {
    const message = `${clash.internalName} would have to equal two values at once: no record fulfils that.`
    say(reading, at, message, { severity: 'warning' })
  }
  return locked
}

/** Required values that may be hidden, or that nobody can enter. The server fills in what is locked, numbered or, read-only, has a default. */
export function hiddenRequiredOf(
  entity: CatalogEntity,
  sections: readonly Pick<FormSection, 'visibleWhen' | 'fields'>[],
  locked: LockedFields,
): CatalogProperty[] {
  const placed = new Map(sections.flatMap((section) => section.fields.map((field) => [field.property, { section, field }] as const)))
  const isRequired = (property: CatalogProperty) => placed.get(property)?.field.isRequired ?? property.isRequired
  return entity.properties.filter((property) => {
    if (!isRequired(property) || locked.has(property) || (property.numbering ?? null) !== null) return false
    const place = placed.get(property)
    if (!place) return true
    const { field, section } = place
    return field.visibleWhen !== undefined || section.visibleWhen !== undefined || (field.isReadOnly && field.default === undefined)
  })
}

export interface SectionHome {
  readonly form: CatalogEntity
  readonly detail: FieldHome
  /** Of the sections so far, in lower case. */
  readonly names: Set<string>
  /** Where a property of the form stands already. */
  readonly taken: Map<CatalogProperty, string>
  fields: number
}

function* readFields(
  reading: Reading,
  sections: SectionHome,
  home: FieldHome,
  {
    name,
    raw,
    at,
    taken,
  }: { readonly name: string; readonly raw: readonly unknown[]; readonly at: Place; readonly taken: Map<CatalogProperty, string> },
): Generator<void, FormField[]> {
  const fields: FormField[] = []
  for (const [index, one] of raw.entries()) {
    yield
    if (++sections.fields > maxFieldsInAll) {
      if (sections.fields === maxFieldsInAll + 1) say(reading, [...at, index], `A form has at most ${maxFieldsInAll} fields in all.`)
      break
    }
    const field = yield* readField(reading, home, one, [...at, index])
    if (!field) continue
    const before = taken.get(field.property)
    if (before !== undefined)
      say(reading, [...at, index, 'property'], `${field.property.internalName} is a field of ${before} already: it stands in a form once.`)
    taken.set(field.property, name)
    fields.push(field)
  }
  return fields
}

function noteName(reading: Reading, sections: SectionHome, name: string, index: number): void {
  const known = name.toLowerCase()
  if (sections.names.has(known))
    say(reading, ['sections', index, 'name'], `Another section is called ${name}. Names are compared without regard to case.`)
  sections.names.add(known)
}

function* readDetail(reading: Reading, sections: SectionHome, raw: unknown, index: number): Generator<void, DetailSection | undefined> {
  const at = ['sections', index]
  const read = readDraft(detailSection, raw, placeOf(reading, at))
  if (!read.isOk) return void reading.findings.push(...read.findings)
  const { name, title, visibleWhen, storageShortcut, fields, ...said } = read.value
  noteName(reading, sections, name, index)
  readTokens(reading, title, sections.detail.roots, [...at, 'title'], undefined)
  readCondition(reading, sections.detail, visibleWhen, [...at, 'visibleWhen'])
  readShortcut(reading, storageShortcut, [...at, 'storageShortcut'])
  return {
    at,
    type: 'detail',
    name,
    title,
    visibleWhen,
    storageShortcut,
    channels: said.channels ?? channels,
    fields: yield* readFields(reading, sections, sections.detail, { name, raw: fields, at: [...at, 'fields'], taken: sections.taken }),
  }
}

function* readList(reading: Reading, sections: SectionHome, raw: unknown, index: number): Generator<void, ListSection | undefined> {
  const at = ['sections', index]
  const read = readDraft(listSection, raw, placeOf(reading, at))
  if (!read.isOk) return void reading.findings.push(...read.findings)
  const { form, detail } = sections
  const { name, title, visibleWhen, storageShortcut, entity: slot, filter, sort, ...said } = read.value
  noteName(reading, sections, name, index)
  const related = readChild(reading, form, slot, [...at, 'entity'])
  if (!related) return undefined
  const { child, relation } = related
  readTokens(reading, title, detail.roots, [...at, 'title'], undefined)
  readCondition(reading, detail, visibleWhen, [...at, 'visibleWhen'])
  readShortcut(reading, storageShortcut, [...at, 'storageShortcut'])
  readLock(reading, child, filter, [...at, 'filter'])
  if (sort !== undefined) {
    reading.findings.push(...findSortProblems(reading.catalog, child, sort, placeOf(reading, [...at, 'sort'])))
    reading.references.push(...referencesOfSort(reading.catalog, child, sort, [...at, 'sort']))
  }
  const { min = 0, max = relation.isList ? maxRows : 1 } = said
  if (!relation.isList && max > 1)
    say(reading, [...at, 'max'], `${form.internalName} has one ${child.internalName} at most: leave max out, or say 1.`)
  if (min > max) say(reading, [...at, 'min'], `At least ${min} rows and at most ${max} cannot be.`)
  const locked = lockedBy(reading, child, filter === undefined ? [] : [filter], [...at, 'filter'])
  const row = shapeOfRecord(child.properties)
  const home: FieldHome = {
    entity: child,
    form,
    isRow: true,
    inHand: ancestorsOf(reading.catalog, child),
    locked,
    roots: { ...detail.roots, $row: row },
  }
  const fields = yield* readFields(reading, sections, home, { name, raw: said.fields, at: [...at, 'fields'], taken: new Map() })
  const columns = said.columns?.flatMap((one, n) => readProperty(reading, child, one, [...at, 'columns', n]) ?? [])
  const section = { at, name, title, visibleWhen, storageShortcut, fields }
  return {
    ...section,
    type: 'list',
    channels: said.channels ?? channels,
    entity: child,
    columns: columns ?? fields.slice(0, 5).map((field) => field.property),
    min,
    max,
    allowAdd: said.allowAdd ?? true,
    allowEdit: said.allowEdit ?? true,
    allowDelete: said.allowDelete ?? true,
    filter,
    sort,
    lockedFields: locked,
    // That the whole section may be hidden hides no value: then there are no rows.
    hiddenRequired: said.allowAdd === false ? [] : hiddenRequiredOf(child, [{ visibleWhen: undefined, fields }], locked),
  }
}

export function* readSection(
  reading: Reading,
  sections: SectionHome,
  raw: unknown,
  index: number,
): Generator<void, FormSection | undefined> {
  const section = given(raw)
  const { type } = section as { type?: unknown }
  if (type === 'detail') return yield* readDetail(reading, sections, section, index)
  if (type === 'list') return yield* readList(reading, sections, section, index)
  const said = type === undefined ? 'Required' : `${quoted(type)} is not allowed`
  const suggestion = typeof type === 'string' ? nearest(type, sectionTypes) : undefined
  return say(reading, ['sections', index, 'type'], `${said}. Allowed: ${sectionTypes.join(', ')}.`, { suggestion })
}
