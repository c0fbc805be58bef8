/**
 * Names in stored JSON. Beside the JSON stand the ids of what it names, by place: a rename is shown at once and breaks nothing, and what was deleted is
 * told apart from something new of the same name.
 */
import { pathText } from '#platform/issues.ts'
import { quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'

/** As much of the catalog as names need. */
export interface Vocabulary {
  readonly entities: readonly VocabularyEntity[]
  readonly byIdOrName: ReadonlyMap<string, VocabularyEntity>
}

export interface VocabularyEntity {
  readonly entityId: number
  readonly internalName: string
  readonly properties: readonly VocabularyProperty[]
  readonly parents: readonly { readonly entityId: number }[]
  readonly children: readonly { readonly entityId: number }[]
  readonly peers: readonly number[]
}

export interface VocabularyProperty {
  readonly propertyId: number
  readonly entityPropertyId: number
  readonly internalName: string
  readonly options: readonly { readonly optionId: number; readonly internalName: string }[]
}

interface OptionIndex {
  readonly names: ReadonlyMap<number, string>
  /** By name in lower case. */
  readonly ids: ReadonlyMap<string, number>
}

// Of a catalog that is kept, so that a filter of many options does not look through all of them for each.
const optionIndexes = new WeakMap<VocabularyProperty, OptionIndex>()

/** The options of a property by id and by name. */
export function optionsOf(property: VocabularyProperty): OptionIndex {
  const known = optionIndexes.get(property)
  if (known) return known
  const index = {
    names: new Map(property.options.map((option) => [option.optionId, option.internalName])),
    ids: new Map(property.options.map((option) => [option.internalName.toLowerCase(), option.optionId])),
  }
  optionIndexes.set(property, index)
  return index
}

// Of a catalog that is kept too: a definition may name thousands of properties.
const propertyIndexes = new WeakMap<readonly VocabularyProperty[], ReadonlyMap<string, VocabularyProperty>>()

/** The properties of an entity by name in lower case and by their ids, which are of one sequence. */
export function propertiesOf({ properties }: VocabularyEntity): ReadonlyMap<string, VocabularyProperty> {
  const known = propertyIndexes.get(properties)
  if (known) return known
  const index = new Map<string, VocabularyProperty>()
  for (const one of properties)
    for (const name of [one.internalName.toLowerCase(), String(one.propertyId), String(one.entityPropertyId)])
      if (!index.has(name)) index.set(name, one)
  propertyIndexes.set(properties, index)
  return index
}

/** Something that a definition may use: an entity; a property of it; an option of that; a relationship of two entities; another definition. */
export interface Subject {
  readonly entityId?: number
  readonly propertyId?: number
  readonly optionId?: number
  readonly otherEntityId?: number
  readonly definitionId?: number
}

/** A use, and where the name stands. */
export interface Reference extends Subject {
  /** Keys and indexes from the top of the JSON. Absent: it is used without being named, as a relationship is. */
  readonly at?: readonly (string | number)[]
  /** Of a text that holds more than the name: from and to. */
  readonly within?: readonly [from: number, to: number]
  /** The last key of `at` is the name. */
  readonly isKey?: true
}

/** One definition may hold a filter of many options: each takes its place. */
export const maxReferences = 5_000

type Holder = Record<string | number, unknown>

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null
}

function holderAt(body: unknown, at: readonly (string | number)[]): Holder | undefined {
  let holder: unknown = body
  for (const step of at.slice(0, -1)) {
    // Own keys alone: they come from whoever wrote the definition.
    if (!isHolder(holder) || !Object.hasOwn(holder, step)) return undefined
    holder = holder[step]
  }
  return isHolder(holder) ? holder : undefined
}

function relationOf(entity: VocabularyEntity, otherId: number): boolean {
  return (
    entity.peers.includes(otherId) ||
    entity.parents.some((one) => one.entityId === otherId) ||
    entity.children.some((one) => one.entityId === otherId)
  )
}

/** What a reference leads to today: the name, undefined where it is gone. */
function nameOf(reference: Reference, vocabulary: Vocabulary, definitionNames: ReadonlyMap<number, string>): string | undefined {
  const { entityId, propertyId, optionId, otherEntityId, definitionId } = reference
  if (definitionId !== undefined) return definitionNames.get(definitionId)
  const entity = entityId === undefined ? undefined : vocabulary.byIdOrName.get(String(entityId))
  if (!entity) return undefined
  if (otherEntityId !== undefined) return relationOf(entity, otherEntityId) ? entity.internalName : undefined
  if (propertyId === undefined) return entity.internalName
  const property = propertiesOf(entity).get(String(propertyId))
  if (optionId === undefined) return property?.internalName
  return property && optionsOf(property).names.get(optionId)
}

/** A copy of the JSON with today's names. What is gone keeps the name that it had at the last save. */
export function withTodaysNames(
  body: Readonly<Record<string, unknown>>,
  references: readonly Reference[],
  vocabulary: Vocabulary,
  definitionNames: ReadonlyMap<number, string> = new Map(),
): Record<string, unknown> {
  const named = structuredClone(body) as Record<string, unknown>
  // Inside a text from its end, and keys after what stands below them: what is replaced must not move what still has to be found.
  const ordered = references.toSorted(
    (a, b) =>
      (a.isKey === true ? 1 : 0) - (b.isKey === true ? 1 : 0) ||
      (b.within?.[0] ?? 0) - (a.within?.[0] ?? 0) ||
      (b.at?.length ?? 0) - (a.at?.length ?? 0),
  )
  for (const reference of ordered) {
    const step = reference.at?.at(-1)
    const name = nameOf(reference, vocabulary, definitionNames)
    const holder = reference.at && holderAt(named, reference.at)
    if (step === undefined || name === undefined || !holder || !Object.hasOwn(holder, step)) continue
    const value = holder[step]
    if (reference.isKey) renameKey(holder, String(step), name)
    else if (!reference.within) holder[step] = name
    else if (typeof value === 'string') holder[step] = `${value.slice(0, reference.within[0])}${name}${value.slice(reference.within[1])}`
  }
  return named
}

/** What was called otherwise when a body was stored: today's name by the old one, of options by today's name of their property. */
export interface Renames {
  readonly properties: ReadonlyMap<string, string>
  readonly options: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** The properties and options that a stored body names and that have another name today; undefined where there are none. */
export function renamesOf(body: unknown, references: readonly Reference[], vocabulary: Vocabulary): Renames | undefined {
  const properties = new Map<string, string>()
  const options = new Map<string, Map<string, string>>()
  for (const reference of references) {
    const { at, within, isKey, entityId, propertyId, optionId } = reference
    const step = at?.at(-1)
    if (at === undefined || step === undefined || entityId === undefined || propertyId === undefined) continue
    const value = isKey ? step : holderAt(body, at)?.[step]
    const today = nameOf(reference, vocabulary, new Map())
    if (typeof value !== 'string' || today === undefined) continue
    const before = within ? value.slice(...within) : value
    if (before === today) continue
    const property = optionId === undefined ? undefined : nameOf({ entityId, propertyId }, vocabulary, new Map())
    if (property === undefined) properties.set(before, today)
    else options.set(property, (options.get(property) ?? new Map<string, string>()).set(before, today))
  }
  return properties.size + options.size === 0 ? undefined : { properties, options }
}

/** In its place among the others. */
function renameKey(holder: Holder, from: string, to: string): void {
  if (from === to) return
  const entries = Object.entries(holder)
  for (const [key] of entries) delete holder[key]
  for (const [key, value] of entries) holder[key === from ? to : key] = value
}

function said(body: unknown, reference: Reference): string {
  const step = reference.at?.at(-1)
  if (step === undefined || !reference.at) return 'It'
  const value = reference.isKey ? step : holderAt(body, reference.at)?.[step]
  return quoted(typeof value === 'string' && reference.within ? value.slice(...reference.within) : value)
}

function whyGone(reference: Reference, vocabulary: Vocabulary): string {
  const { entityId, propertyId, optionId, otherEntityId, definitionId } = reference
  if (definitionId !== undefined) return 'is a definition that was deleted'
  const entity = entityId === undefined ? undefined : vocabulary.byIdOrName.get(String(entityId))
  if (!entity) return 'is an entity that was deleted'
  if (otherEntityId !== undefined) return `goes over a relationship that ${entity.internalName} no longer has`
  if (optionId !== undefined && propertiesOf(entity).has(String(propertyId))) return 'is an option that was deleted'
  return `is a property that ${entity.internalName} no longer has`
}

/** A finding for each thing that a definition names and that is gone. */
export function findGone(
  body: unknown,
  references: readonly Reference[],
  vocabulary: Vocabulary,
  definitionNames: ReadonlyMap<number, string> = new Map(),
): Finding[] {
  return references
    .filter((reference) => nameOf(reference, vocabulary, definitionNames) === undefined)
    .map((reference) =>
      finding(pathText(reference.at ?? []), `${said(body, reference)} ${whyGone(reference, vocabulary)}. Save the definition without it.`),
    )
}

/** What is used, each once, whatever it is named by. */
export function subjectsOf(references: readonly Reference[]): Required<Subject>[] {
  const subjects = new Map<string, Required<Subject>>()
  for (const { entityId = 0, propertyId = 0, optionId = 0, otherEntityId = 0, definitionId = 0 } of references) {
    const subject = { entityId, propertyId, optionId, otherEntityId, definitionId }
    subjects.set(Object.values(subject).join(), subject)
  }
  return [...subjects.values()]
}

/** A stored body that names no other definition, as it means what it says today; `gone` is what it names and is gone. */
export function todaysBody(
  stored: { readonly body: string; readonly refs: string },
  vocabulary: Vocabulary,
): { readonly body: Readonly<Record<string, unknown>>; readonly references: readonly Reference[]; readonly gone: readonly Finding[] } {
  // Both were written by the service of this floor.
  const body = JSON.parse(stored.body) as Record<string, unknown>
  const references = JSON.parse(stored.refs) as Reference[]
  return { body: withTodaysNames(body, references, vocabulary), references, gone: findGone(body, references, vocabulary) }
}
