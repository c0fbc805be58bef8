/** Finds what the tokens of texts name, and rules that go by the path of one. */
import { mayHoldTokens, parseTemplate, type Path, soleToken } from '#platform/tokens/template.ts'

import { propertyOf, referencesOfOptions } from './naming.rules.ts'
import type { Reference, Vocabulary, VocabularyEntity } from './references.rules.ts'

type Place = readonly (string | number)[]

/** Where a path leads to a flat record: how many of its names lead there, and of which entities the record may be. */
export type FlatRecords = (path: Path) => { readonly length: number; readonly entities: readonly VocabularyEntity[] } | undefined

/** One root whose value is a record: `$row`. */
export function recordsNamed(root: string, entity: VocabularyEntity): FlatRecords {
  return ([first]) => (first.name === root ? { length: 1, entities: [entity] } : undefined)
}

interface FoundPath {
  readonly text: string
  readonly path: Path
  /** Before its first name. */
  readonly from: number
}

/** Where the n-th name of a path stands in its text. What stands in brackets behind a name holds no dot. */
function placeOf({ text, path, from }: FoundPath, n: number): readonly [from: number, to: number] {
  let begin = text.indexOf(path[0].name, from)
  for (const { name } of path.slice(0, n)) begin = text.indexOf('.', begin + name.length) + 1
  return [begin, begin + (path[n]?.name.length ?? 0)]
}

/** `[[$item.Status]]`. One property may stand in several entities, and its name stands in the text once. */
function referencesOfRecord(found: FoundPath, at: Place, { length, entities }: NonNullable<ReturnType<FlatRecords>>) {
  const segment = found.path[length]
  const owners = entities.flatMap((entity) => {
    const property = segment && propertyOf(entity, segment.name)
    return property ? [{ entity, property }] : []
  })
  const references = owners.map(({ entity, property }, index): Reference => {
    const named = index === 0 ? { at, within: placeOf(found, length) } : {}
    return { ...named, entityId: entity.entityId, propertyId: property.propertyId }
  })
  return { references, owners }
}

/** `[[WorkOrder.Title]]`, `[[$user.Technician.Site]]`, and properties of flat records. */
function referencesOfPath(vocabulary: Vocabulary, found: FoundPath, at: Place, flat: FlatRecords | undefined): Reference[] {
  const { path } = found
  const record = flat?.(path)
  if (record) return referencesOfRecord(found, at, record).references
  const n = path[0].name === '$user' ? 1 : 0
  const named = path[n]
  const entity = named && vocabulary.byIdOrName.get(named.name.toLowerCase())
  if (!entity) return []
  const then = path[n + 1]
  const property = then && propertyOf(entity, then.name)
  const { entityId } = entity
  return [
    { at, within: placeOf(found, n), entityId },
    ...(property ? [{ at, within: placeOf(found, n + 1), entityId, propertyId: property.propertyId }] : []),
  ]
}

function referencesOfText(vocabulary: Vocabulary, text: string, at: Place, flat: FlatRecords | undefined): Reference[] {
  return parseTemplate(text).parts.flatMap((part) =>
    typeof part === 'string' ? [] : referencesOfPath(vocabulary, { text, path: part.path, from: part.from + 2 }, at, flat),
  )
}

// An expression nests deeper than a filter.
const maxValueDepth = 64

/** The texts of a value that may hold tokens. */
function* textsIn(value: unknown, at: Place, depth = 1): Generator<{ readonly text: string; readonly at: Place }> {
  if (typeof value === 'string' && mayHoldTokens(value)) yield { text: value, at }
  if (depth > maxValueDepth || typeof value !== 'object' || value === null) return
  const entries: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, one] of entries) yield* textsIn(one, [...at, key], depth + 1)
}

/** The references of the tokens in all texts of a value. */
export function referencesOfTokens(vocabulary: Vocabulary, value: unknown, at: Place, flat?: FlatRecords): Reference[] {
  return [...textsIn(value, at)].flatMap((one) => referencesOfText(vocabulary, one.text, one.at, flat))
}

/** The same of what may be long; yields wherever others may have their turn. */
export function* findTokenReferences(vocabulary: Vocabulary, value: unknown, at: Place, flat: FlatRecords): Generator<void, Reference[]> {
  const references: Reference[] = []
  for (const one of textsIn(value, at)) {
    references.push(...referencesOfText(vocabulary, one.text, one.at, flat))
    yield
  }
  return references
}

// Deeper than any filter may nest; what is not sound is refused by whoever reads it.
const maxFilterDepth = 16

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function referencesOfPathRule(rule: unknown, at: Place, flat: FlatRecords): Reference[] {
  if (!isObject(rule) || typeof rule['property'] !== 'string' || !rule['property'].startsWith('$')) return []
  const { property: text, value } = rule
  const token = soleToken(parseTemplate(`[[${text}]]`))
  const record = token && flat(token.path)
  if (!record) return []
  const { references, owners } = referencesOfRecord({ text, path: token.path, from: 0 }, [...at, 'property'], record)
  const [owner] = owners
  return owner ? [...references, ...referencesOfOptions(owner.entity, owner.property, value, [...at, 'value'])] : references
}

/** The references of a filter's rules that go by the path of a token, without its brackets, into a flat record. */
export function referencesOfPathRules(filter: unknown, at: Place, flat: FlatRecords, depth = 1): Reference[] {
  if (depth > maxFilterDepth) return []
  const rules = (list: readonly unknown[], place: Place) =>
    list.flatMap((rule, index) => referencesOfPathRule(rule, [...place, index], flat))
  if (Array.isArray(filter)) return rules(filter, at)
  if (!isObject(filter)) return []
  const list = (name: string): readonly unknown[] => (Array.isArray(filter[name]) ? filter[name] : [])
  return [
    ...rules(list('rules'), [...at, 'rules']),
    ...list('groups').flatMap((group, index) => referencesOfPathRules(group, [...at, 'groups', index], flat, depth + 1)),
  ]
}
