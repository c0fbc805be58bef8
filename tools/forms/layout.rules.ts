/** Reads a form layout: what it says, what is wrong with it today, and what it names. */
import type { z } from 'zod'

import { pathText } from '#platform/issues.ts'
import { quoted } from '#platform/suggest.ts'
import { finding, type Finding, readDraft } from '#platform/validation.ts'
import type { Body, Reference } from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { findForeign, shapeOfRecord, shapesOfCaller } from '#tools/query/service.ts'

import { ancestorsOf } from './conditions.rules.ts'
import { given, placeOf, readShortcut, type Reading, say } from './fields.rules.ts'
import { channels, formLayout } from './layout.schema.ts'
import type { BoundView, FormLayout, FormSection, Place } from './layout.types.ts'
import { slotText } from './locks.rules.ts'
import { hiddenRequiredOf, lockedBy, readLock, readSection, type SectionHome } from './sections.rules.ts'

const partOfLayout = formLayout.partial()
type Said = z.output<typeof partOfLayout>

export interface ReadLayout {
  /** Whole where no finding is an error. */
  readonly layout: FormLayout
  readonly findings: readonly Finding[]
  readonly references: readonly Reference[]
}

/** Which view the layout names; undefined where it is bound to the entity. */
export function viewNamed(body: Body): string | number | undefined {
  const { binding } = body
  if (typeof binding !== 'object' || binding === null) return undefined
  const { type, name, id } = binding as Record<string, unknown>
  if (type !== 'view') return undefined
  return typeof name === 'string' && name !== '' ? name : typeof id === 'number' ? id : undefined
}

/** The parts at the top of a layout that are sound, so that a mistake in one does not hide those of the others. */
function readParts(reading: Reading, body: Body): Said {
  const path = pathText(reading.root)
  const read = readDraft(formLayout, given(body), path)
  if (read.isOk) return read.value
  reading.findings.push(...read.findings)
  const isWrong = (key: string) =>
    read.findings.some(
      (one) => one.path === `${path}.${key}` || one.path.startsWith(`${path}.${key}.`) || one.path.startsWith(`${path}.${key}[`),
    )
  const rest = Object.fromEntries(Object.entries(body).filter(([key, value]) => value !== null && !isWrong(key)))
  const again = readDraft(partOfLayout, rest)
  return again.isOk ? again.value : {}
}

const foreign = ({ internalName }: CatalogEntity) => `Expected ${internalName}: the form is one of that entity.`

function readBinding(
  reading: Reading,
  entity: CatalogEntity,
  binding: Said['binding'],
  view: BoundView | undefined,
): BoundView | undefined {
  const { type = 'entity', name, id } = binding ?? {}
  const at = ['binding', typeof name === 'string' ? 'name' : 'id']
  const slot = name ?? id ?? undefined
  if (type === 'entity') {
    const message = `Expected ${entity.internalName}: a form is bound to its own entity, or to a view of it.`
    reading.findings.push(...findForeign(entity, slot, placeOf(reading, at)).map((one) => ({ ...one, message })))
    if (typeof name === 'string') reading.references.push({ at, entityId: entity.entityId })
    return undefined
  }
  if (slot === undefined) return say(reading, ['binding', 'name'], 'Required beside the type view: its internalName, or id.')
  if (!view) return say(reading, at, `There is no view ${quoted(slot)}. list_views shows them.`)
  if (view.entityId !== entity.entityId) return say(reading, at, `The view ${view.internalName} is not one of ${entity.internalName}.`)
  if (typeof id === 'number' && typeof name === 'string' && id !== view.viewId)
    return say(reading, ['binding', 'id'], `The view ${view.internalName} has the id ${view.viewId}. Leave one of the two out.`)
  if (view.problem !== undefined) say(reading, at, `The view ${view.internalName} no longer fits: ${view.problem}`)
  reading.references.push({ at, definitionId: view.viewId })
  return view
}

/**
 * Reads a layout on an entity; `view` is the one that it is bound to, where it is found, and `root` where the layout stands in what the findings are
 * about. It pauses after each field, since a layout may be as large as a body.
 */
export function* readLayout(
  catalog: Catalog,
  entity: CatalogEntity,
  body: Body,
  view: BoundView | undefined,
  root: Place = ['layoutJson'],
): Generator<void, ReadLayout> {
  const reading: Reading = { catalog, root, findings: [], references: [{ entityId: entity.entityId }] }
  const { findings, references } = reading
  const said = readParts(reading, body)
  if (said.entity !== undefined) {
    findings.push(...findForeign(entity, said.entity, placeOf(reading, ['entity'])).map((one) => ({ ...one, message: foreign(entity) })))
    references.push({ at: ['entity'], entityId: entity.entityId })
  }
  const bound = readBinding(reading, entity, said.binding, view)
  const { lock, sections: raw = [], allowNew = true } = said
  readLock(reading, entity, lock, ['lock'])
  readShortcut(reading, said.storageShortcut, ['storageShortcut'])
  const within = [...(bound?.filters ?? []), ...(lock === undefined ? [] : [lock])]
  const locked = lockedBy(reading, entity, within, lock === undefined ? ['binding'] : ['lock'])
  const children = raw.flatMap((one) => {
    const { type, entity: slot } = one
    const child = type === 'list' ? catalog.byIdOrName.get(slotText(slot)) : undefined
    return child && entity.children.some(({ entityId }) => entityId === child.entityId) ? [child.entityId] : []
  })
  const home: SectionHome = {
    form: entity,
    names: new Set(),
    taken: new Map(),
    fields: 0,
    detail: {
      entity,
      form: entity,
      isRow: false,
      inHand: new Set([...ancestorsOf(catalog, entity), ...children]),
      locked,
      roots: { ...shapesOfCaller, [entity.internalName]: shapeOfRecord(entity.properties) },
    },
  }
  const sections: FormSection[] = []
  for (const [index, one] of raw.entries()) {
    const section = yield* readSection(reading, home, one, index)
    if (section) sections.push(section)
  }
  const details = sections.filter((section) => section.type === 'detail')
  const hiddenRequired = allowNew ? hiddenRequiredOf(entity, details, locked) : []
  const isWhole = sections.length === raw.length
  if (isWhole) findings.push(...findHidden(entity, hiddenRequired, details, reading))
  const layout: FormLayout = {
    entity,
    view: bound,
    allowNew,
    allowEdit: said.allowEdit ?? true,
    allowDelete: said.allowDelete ?? true,
    channels: said.channels ?? channels,
    pages: said.pages ?? 'scroll',
    storageShortcut: said.storageShortcut,
    sections,
    within,
    lockedFields: locked,
    hiddenRequired,
  }
  return { layout, findings, references }
}

function findHidden(
  entity: CatalogEntity,
  hidden: readonly CatalogProperty[],
  sections: readonly FormSection[],
  reading: Reading,
): Finding[] {
  const fields = sections.flatMap((section) => section.fields)
  return hidden.map((property) => {
    const field = fields.find((one) => one.property === property)
    const why = !field ? 'stands in no section' : field.isReadOnly ? 'is read-only without a default' : 'may be hidden'
    const message = `${entity.internalName} needs ${property.internalName}, which ${why}: a new record without it is refused.`
    return finding(placeOf(reading, field?.at ?? ['sections']), message, { severity: 'warning' })
  })
}
