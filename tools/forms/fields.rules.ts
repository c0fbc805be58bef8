/** Fields of a layout, held against the entity whose values they take. */
import { maxIssues, pathText } from '#platform/issues.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { checkTokens } from '#platform/tokens/check.ts'
import type { Shapes } from '#platform/tokens/shape.ts'
import { mayHoldTokens, parseTemplate } from '#platform/tokens/template.ts'
import { type Finding, finding, readDraft } from '#platform/validation.ts'
import { recordsNamed, type Reference, referencesOfFilter, referencesOfTokens } from '#tools/definitions/service.ts'
import { type Catalog, type CatalogEntity, type CatalogProperty, propertyIndex } from '#tools/entities/catalog.types.ts'
import { checkValue } from '#tools/properties/service.ts'
import { unknownProperty } from '#tools/query/service.ts'

import { type ConditionHome, findConditionProblems } from './conditions.rules.ts'
import { allowedControls, findControlProblems, takesFiles } from './controls.rules.ts'
import { channels, field as fieldSchema, maxCaptureBytes } from './layout.schema.ts'
import type { Capture, FormField, LockedFields, OfferedOptions, Place } from './layout.types.ts'

/** A layout while it is read. */
export interface Reading {
  readonly catalog: Catalog
  /** Where the layout stands in what the findings are about. */
  readonly root: Place
  readonly findings: Finding[]
  readonly references: Reference[]
}

/** Where a field stands. */
export interface FieldHome extends ConditionHome {
  readonly locked: LockedFields
  /** What the tokens of texts and defaults may name. */
  readonly roots: Shapes
  readonly form: CatalogEntity
  /** Of a list section, whose `$row` is a record of `entity`. */
  readonly isRow: boolean
}

type Said = ReturnType<typeof fieldSchema.parse>

const span = 12

export const placeOf = ({ root }: Reading, at: Place) => pathText([...root, ...at])

export function say(reading: Reading, at: Place, message: string, more: Parameters<typeof finding>[2] = {}): undefined {
  reading.findings.push(finding(placeOf(reading, at), message, more))
  return undefined
}

/** An object without the keys that say null: they leave their part open. */
export function given(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== null))
}

/** The property of a name, which is noted as used. */
export function readProperty(reading: Reading, entity: CatalogEntity, name: string | number, at: Place): CatalogProperty | undefined {
  const property = propertyIndex(entity.properties).get(String(name).toLowerCase())
  if (!property) {
    const known = entity.properties.map((one) => one.internalName)
    return void reading.findings.push(unknownProperty(entity.internalName, name, known, placeOf(reading, at)))
  }
  reading.references.push({ at, entityId: entity.entityId, propertyId: property.propertyId })
  return property
}

/** A shortcut is refused where none has its name, as by properties and uploads. */
export function readShortcut(reading: Reading, shortcut: string | number | undefined, at: Place): void {
  if (shortcut === undefined) return
  say(reading, at, `There is no storage shortcut ${quoted(shortcut)}. Leave it out to keep files in the tenant's own store.`)
}

/** A text or value whose tokens may name what is in hand. */
export function readTokens(reading: Reading, value: unknown, roots: Shapes, at: Place, row: CatalogEntity | undefined): void {
  if (value === undefined) return
  reading.findings.push(...checkTokens(value, roots, placeOf(reading, at)))
  reading.references.push(...referencesOfTokens(reading.catalog, value, at, row && recordsNamed('$row', row)))
}

export function readCondition(reading: Reading, home: ConditionHome, condition: unknown, at: Place): void {
  if (condition === undefined) return
  reading.findings.push(...findConditionProblems(reading.catalog, home, condition, at, reading.root))
  reading.references.push(
    ...referencesOfFilter(reading.catalog, home.entity, condition, at),
    ...referencesOfTokens(reading.catalog, condition, at),
  )
}

/** Every text in a value that could hold tokens. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return mayHoldTokens(value) ? [value] : []
  if (typeof value !== 'object' || value === null || depth > 64) return []
  return Object.values(value).flatMap((one) => textsIn(one, depth + 1))
}

const isComputed = (value: unknown) => textsIn(value).length > 0 || (typeof value === 'object' && value !== null && '$expr' in value)

/** The first sensitive property that a default takes its value from. */
function sensitiveSource(home: FieldHome, value: unknown): CatalogProperty | undefined {
  const paths = textsIn(value).flatMap((text) => parseTemplate(text).parts.flatMap((part) => (typeof part === 'string' ? [] : [part.path])))
  for (const [root, first] of paths) {
    const entity = root.name === '$row' && home.isRow ? home.entity : root.name === home.form.internalName ? home.form : undefined
    const property = first && entity && propertyIndex(entity.properties).get(first.name.toLowerCase())
    if (property?.isSensitive) return property
  }
  return undefined
}

const anyPattern = { matches: () => true }
const timeTypes = ['DateTime', 'DateOnly', 'TimeOnly']

function readDefault(reading: Reading, home: FieldHome, property: CatalogProperty, value: unknown, at: Place): void {
  if (value === undefined) return
  readTokens(reading, value, home.roots, at, home.isRow ? home.entity : undefined)
  const source = property.isSensitive ? undefined : sensitiveSource(home, value)
  if (source) {
    const message = `${source.internalName} is sensitive and ${property.internalName} is not: its value would be shown to all who see ${property.internalName}.`
    say(reading, at, message, { code: 'unprocessable' })
  }
  if (isComputed(value)) return
  const checked = checkValue(property, value, anyPattern)
  if (!('problem' in checked)) return
  const isWord = timeTypes.includes(property.dataType) && (value === 'now' || value === 'today')
  say(reading, at, checked.problem, { suggestion: isWord ? `[[$${value}]]` : checked.suggestion })
}

/** The options of a field. It pauses at each of their names, since a layout may hold tens of thousands. */
function* readOptions(
  reading: Reading,
  home: FieldHome,
  property: CatalogProperty,
  said: Said['optionsFilter'],
  at: Place,
): Generator<void, readonly OfferedOptions[] | undefined> {
  if (said === undefined) return undefined
  if (property.options.length === 0)
    return say(reading, at, `${property.internalName} is ${property.dataType} and has no options. Leave optionsFilter out.`)
  const byName = new Map(property.options.map((option) => [option.internalName.toLowerCase(), option]))
  const known = property.options.map((option) => option.internalName)
  function* ids(names: readonly string[], place: Place): Generator<void, Set<number>> {
    const found = new Set<number>()
    for (const [index, name] of names.entries()) {
      yield
      const option = byName.get(name.toLowerCase())
      if (!option) {
        // Of thousands of wrong names nobody reads the last, and each would be held against thousands.
        const suggestion = reading.findings.length < maxIssues ? nearest(name, known) : undefined
        say(reading, [...place, index], `${property.internalName} has no option ${quoted(name)}.`, { suggestion })
        continue
      }
      const { entityId } = home.entity
      reading.references.push({ at: [...place, index], entityId, propertyId: property.propertyId, optionId: option.optionId })
      if (property.optionFilter === null || property.optionFilter.has(option.optionId)) found.add(option.optionId)
    }
    return found
  }
  const isPlain = (list: typeof said): list is string[] => typeof list[0] === 'string'
  if (isPlain(said)) return [{ when: undefined, optionIds: yield* ids(said, at) }]
  const offered: OfferedOptions[] = []
  for (const [index, { when, options }] of said.entries()) {
    readCondition(reading, home, when, [...at, index, 'when'])
    offered.push({ when, optionIds: yield* ids(options, [...at, index, 'options']) })
  }
  return offered
}

function readCapture(reading: Reading, property: CatalogProperty, said: Said['capture'], at: Place): Capture | undefined {
  if (!takesFiles(property)) {
    if (said) say(reading, at, `${property.internalName} is ${property.dataType} and takes no files. Leave capture out.`)
    return undefined
  }
  const accept = (said?.accept ?? []).map((one) => one.toLowerCase().replace(/^\./, ''))
  accept.forEach((one, index) => {
    if (property.allowedFileTypes.length === 0 || property.allowedFileTypes.includes(one)) return
    const message = `${property.internalName} takes no ${quoted(one)} files. Allowed: ${property.allowedFileTypes.join(', ')}.`
    say(reading, [...at, 'accept', index], message, { suggestion: nearest(one, property.allowedFileTypes) })
  })
  return { maxBytes: said?.maxBytes ?? maxCaptureBytes, source: said?.source ?? 'any', accept, maxEdge: said?.maxEdge }
}

/** Reads a field; undefined where it names no property. */
export function* readField(reading: Reading, home: FieldHome, raw: unknown, at: Place): Generator<void, FormField | undefined> {
  const read = readDraft(fieldSchema, given(raw), placeOf(reading, at))
  if (!read.isOk) {
    reading.findings.push(...read.findings)
    return undefined
  }
  const said = read.value
  const property = readProperty(reading, home.entity, said.property, [...at, 'property'])
  if (!property) return undefined
  const row = home.isRow ? home.entity : undefined
  for (const key of ['label', 'help'] as const) readTokens(reading, said[key], home.roots, [...at, key], row)
  for (const key of ['visibleWhen', 'requiredWhen'] as const) readCondition(reading, home, said[key], [...at, key])
  readDefault(reading, home, property, said.default, [...at, 'default'])
  reading.findings.push(...findControlProblems(property, said.control, [...reading.root, ...at, 'control']))
  if (property.isSensitive && said.storageShortcut !== undefined) {
    const message = `${property.internalName} is sensitive: its files go to sensitive storage alone, which ${quoted(said.storageShortcut)} is not.`
    say(reading, [...at, 'storageShortcut'], message, { code: 'unprocessable' })
  } else readShortcut(reading, said.storageShortcut, [...at, 'storageShortcut'])
  return {
    at,
    property,
    label: said.label,
    help: said.help,
    isRequired: property.isRequired || said.required === true,
    isReadOnly: said.readOnly === true || home.locked.has(property),
    default: said.default,
    control: said.control ?? allowedControls(property)[0],
    span: said.span ?? span,
    visibleWhen: said.visibleWhen,
    requiredWhen: said.requiredWhen,
    optionsFilter: yield* readOptions(reading, home, property, said.optionsFilter, [...at, 'optionsFilter']),
    capture: readCapture(reading, property, said.capture, [...at, 'capture']),
    storageShortcut: said.storageShortcut,
    channels: said.channels ?? channels,
  }
}
