/** What a form makes of one record that is sent through it: what may stand, what may not, and what the form adds by itself. */
import { finding, type Finding } from '#platform/findings.ts'
import { noPatterns } from '#platform/patterns.ts'
import { quoted } from '#platform/suggest.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'
import { checkValue, type Scalar, type Value } from '#tools/properties/service.ts'
import type { RecordInHand } from '#tools/query/service.ts'

import type { FormField } from '../layout.types.ts'
import { onWire } from './held.rules.ts'
import type { Locked, ReadyField } from './ready.ts'

type Values = ReadonlyMap<number, Value>

/** A record as it is sent. */
export interface Sent {
  /** Where its values stand in the body. */
  readonly path: string
  /** By property, as it is called there. */
  readonly names: ReadonlyMap<CatalogProperty, string>
  /** Those that are values, canonical. */
  readonly values: Values
}

export interface Entry extends Sent {
  /** Fields, each under the condition of its section. */
  readonly parts: readonly { readonly isVisible: (record: RecordInHand) => boolean; readonly fields: readonly ReadyField[] }[]
  readonly fieldOf: ReadonlyMap<CatalogProperty, ReadyField>
  readonly locked: Locked
  /** The record that is there; undefined: it is a new one. */
  readonly before: { readonly values: Values; readonly withheld: ReadonlySet<string> } | undefined
  /** The record with such values, among what else is in hand. */
  readonly hold: (values: Values) => RecordInHand
  /** What a field begins with in a new record. */
  readonly defaultOf: (field: FormField, values: Values) => unknown
}

export interface Decision {
  readonly findings: readonly Finding[]
  /** What the record would hold. */
  readonly values: Values
  /** What of the named values is saved. */
  readonly kept: ReadonlySet<CatalogProperty>
  /** What the form says beside it: locked values and defaults of a new record, canonical. */
  readonly added: ReadonlyMap<CatalogProperty, Value>
  readonly visible: ReadonlySet<FormField>
}

const isEqual = (one: Value, other: Value) => JSON.stringify(one) === JSON.stringify(other)
const isEmpty = (value: Value | undefined) => value === undefined || value === null || value === ''

// Fields that show and hide each other in a circle come to no end; here the looking ends.
const maxRounds = 10

function* visibleIn({ parts }: Entry, record: RecordInHand): Generator<void, Set<ReadyField>> {
  const visible = new Set<ReadyField>()
  for (const { isVisible, fields } of parts)
    for (const field of isVisible(record) ? fields : []) {
      yield
      if (field.isVisible(record)) visible.add(field)
    }
  return visible
}

const isSame = (one: ReadonlySet<unknown>, other: ReadonlySet<unknown>) =>
  one.size === other.size && [...one].every((part) => other.has(part))

interface Settled {
  readonly values: Values
  readonly visible: Set<ReadyField>
  readonly added: Map<CatalogProperty, Value>
}

/** The values as they would be saved: a hidden field keeps what is there, whatever is sent or would be its default. */
function* settle(entry: Entry): Generator<void, Settled> {
  const { locked, before, names, values: sent, hold } = entry
  const fields = entry.parts.flatMap((part) => part.fields)
  let visible = new Set<ReadyField>()
  for (let round = 0; ; round++) {
    const values = new Map(before?.values)
    const added = new Map<CatalogProperty, Value>()
    const add = (property: CatalogProperty, value: Value) => {
      added.set(property, value)
      values.set(property.entityPropertyId, value)
    }
    if (!before) for (const [property, value] of locked) add(property, value)
    for (const { property, isReadOnly } of visible) {
      const value = sent.get(property.entityPropertyId)
      if (value !== undefined && !isReadOnly) values.set(property.entityPropertyId, value)
    }
    // In the order of the form, so that a default may stand on those before it.
    for (const field of before ? [] : fields) {
      const { property } = field
      if (field.default === undefined || !visible.has(field) || locked.has(property) || (names.has(property) && !field.isReadOnly)) continue
      yield
      const checked = checkValue(property, entry.defaultOf(field, values) ?? null, noPatterns)
      if ('value' in checked && checked.value !== null) add(property, checked.value)
    }
    const next = yield* visibleIn(entry, hold(values))
    if (isSame(next, visible) || round === maxRounds) return { values, visible, added }
    visible = next
  }
}

/** Why a value is not taken; undefined where it is. */
function refusalOf(entry: Entry, property: CatalogProperty, visible: ReadonlySet<ReadyField>): string | undefined {
  const { fieldOf, locked, values } = entry
  const { internalName } = property
  const lock = locked.get(property)
  if (lock !== undefined) {
    const said = values.get(property.entityPropertyId)
    if (said === undefined || isEqual(said, lock)) return undefined
    return `${internalName} is locked to ${quoted(onWire(property, lock))} by the form. Leave it out.`
  }
  const field = fieldOf.get(property)
  if (!field) return `${internalName} is no field of the form. get_form_schema shows them.`
  if (field.isReadOnly) return `${internalName} is read-only in the form. Leave it out.`
  if (!visible.has(field)) return `${internalName} is hidden as the record stands. Leave it out, or change what hides it.`
  return undefined
}

function unofferedOf({ before, values }: Entry, field: ReadyField, record: RecordInHand): string | undefined {
  const { property } = field
  const id = property.entityPropertyId
  const value = values.get(id)
  const offered = field.offered(record)
  if (offered === undefined || value === undefined || value === null || isEqual(value, before?.values.get(id) ?? null)) return undefined
  const had = new Set(listOf(before?.values.get(id) ?? null))
  const other = listOf(value).find((one) => !offered.has(Number(one)) && !had.has(one))
  return other === undefined
    ? undefined
    : `The form does not offer ${quoted(onWire(property, other))} for ${property.internalName} as the record stands.`
}

const listOf = (value: Value): readonly Scalar[] => (value === null ? [] : typeof value === 'object' ? value : [value])

/** Whether whoever fills the form in has to give a value. */
function isNeeded({ before }: Entry, field: ReadyField, record: RecordInHand): boolean {
  const { property, isReadOnly, isRequired } = field
  if (isReadOnly && !property.isRequired) return false
  if (!before && (property.numbering ?? null) !== null) return false
  return (isRequired || field.isAskedFor(record)) && before?.withheld.has(property.internalName) !== true
}

/** Decides on one record. It pauses after each field, since a condition may look through long texts. */
export function* decide(entry: Entry): Generator<void, Decision> {
  const { path, names, values: sent, locked } = entry
  const { values, visible, added } = yield* settle(entry)
  const record = entry.hold(values)
  const findings: Finding[] = []
  const kept = new Set<CatalogProperty>()
  for (const [property, name] of names) {
    const refusal = refusalOf(entry, property, visible)
    if (refusal !== undefined) findings.push(finding(`${path}.${name}`, refusal))
    else if (!locked.has(property)) kept.add(property)
  }
  for (const field of visible) {
    yield
    const { property } = field
    const name = names.get(property) ?? property.internalName
    const isWrong = names.has(property) && !sent.has(property.entityPropertyId)
    if (isWrong || locked.has(property)) continue
    const unoffered = kept.has(property) ? unofferedOf(entry, field, record) : undefined
    if (unoffered !== undefined) findings.push(finding(`${path}.${name}`, unoffered))
    if (isNeeded(entry, field, record) && isEmpty(values.get(property.entityPropertyId)))
      findings.push(finding(`${path}.${name}`, `${property.internalName} is required.`))
  }
  return { findings, values, kept, added, visible }
}
