/** Finds what filters, sorts and columns name, in the grammar that they have wherever they are stored. */
import {
  optionsOf,
  propertiesOf,
  type Reference,
  type Vocabulary,
  type VocabularyEntity,
  type VocabularyProperty,
} from './references.rules.ts'

type Place = readonly (string | number)[]

// Deeper than any filter may nest; what is not sound is refused by whoever reads it.
const maxDepth = 16

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entityOf(vocabulary: Vocabulary, name: unknown): VocabularyEntity | undefined {
  return typeof name === 'string' || typeof name === 'number' ? vocabulary.byIdOrName.get(String(name).toLowerCase()) : undefined
}

/** A property by its name or its id. */
export function propertyOf(entity: VocabularyEntity, name: unknown): VocabularyProperty | undefined {
  return propertiesOf(entity).get(String(name).toLowerCase())
}

/** The two ends of each relationship on the way from one entity to another: itself a relative, or a parent of a parent. */
function wayTo(vocabulary: Vocabulary, from: VocabularyEntity, to: VocabularyEntity): Reference[] {
  if (from.entityId === to.entityId) return []
  const before = new Map<number, number>([[from.entityId, 0]])
  const queue = [from]
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    const beside = at === from ? [...at.children.map((one) => one.entityId), ...at.peers] : []
    for (const next of [...at.parents.map((one) => one.entityId), ...beside]) {
      if (before.has(next)) continue
      before.set(next, at.entityId)
      const entity = vocabulary.byIdOrName.get(String(next))
      if (entity) queue.push(entity)
    }
  }
  const steps: Reference[] = []
  for (let end = to.entityId, start = before.get(end); start !== undefined && start !== 0; end = start, start = before.get(end))
    steps.push({ entityId: start, otherEntityId: end })
  return steps
}

/** What a report has joined, by the names that its parts call it, in lower case. */
export type JoinedNames = ReadonlyMap<string, { readonly entity: VocabularyEntity; readonly isAlias: boolean }>

/** The references of anything that names a property, and may name its entity: a rule, a term of a sort, a column. Answers the property too. */
export function referencesOfField(
  vocabulary: Vocabulary,
  home: VocabularyEntity,
  said: { readonly entity?: unknown; readonly property?: unknown },
  at: Place,
  joined?: JoinedNames,
): { readonly references: Reference[]; readonly entity: VocabularyEntity; readonly property: VocabularyProperty | undefined } {
  const among =
    typeof said.entity === 'string' || typeof said.entity === 'number' ? joined?.get(String(said.entity).toLowerCase()) : undefined
  const entity = among?.entity ?? entityOf(vocabulary, said.entity) ?? home
  const property = said.property === undefined ? undefined : propertyOf(entity, said.property)
  const references: Reference[] = [
    ...(said.entity === undefined || among?.isAlias === true ? [] : [{ at: [...at, 'entity'], entityId: entity.entityId }]),
    ...(said.entity === undefined || among ? [] : wayTo(vocabulary, home, entity)),
    ...(property ? [{ at: [...at, 'property'], entityId: entity.entityId, propertyId: property.propertyId }] : []),
  ]
  return { references, entity, property }
}

function referencesOfRule(vocabulary: Vocabulary, home: VocabularyEntity, rule: unknown, at: Place, joined?: JoinedNames): Reference[] {
  if (!isObject(rule)) return []
  const { references, entity, property } = referencesOfField(vocabulary, home, rule, at, joined)
  return property ? [...references, ...referencesOfOptions(entity, property, rule['value'], [...at, 'value'])] : references
}

/** The options among the values that a rule compares a property with. */
export function referencesOfOptions(entity: VocabularyEntity, property: VocabularyProperty, said: unknown, at: Place): Reference[] {
  if (property.options.length === 0) return []
  const { entityId } = entity
  const { propertyId } = property
  const { ids } = optionsOf(property)
  const optionAt = (value: unknown, place: Place): Reference[] => {
    const optionId = typeof value === 'string' ? ids.get(value.toLowerCase()) : undefined
    return optionId === undefined ? [] : [{ at: place, entityId, propertyId, optionId }]
  }
  return Array.isArray(said) ? said.flatMap((value: unknown, index) => optionAt(value, [...at, index])) : optionAt(said, at)
}

/** The references of a filter: a group, or an array of rules. A group that names an entity speaks of records of that. */
export function referencesOfFilter(
  vocabulary: Vocabulary,
  home: VocabularyEntity,
  filter: unknown,
  at: Place,
  depth = 1,
  joined?: JoinedNames,
): Reference[] {
  if (depth > maxDepth) return []
  // A group on related records speaks of those, and not of what is joined.
  const isRelated = isObject(filter) && (filter['via'] !== undefined || filter['has'] !== undefined)
  const names = isRelated ? undefined : joined
  const rules = (list: readonly unknown[], entity: VocabularyEntity, place: Place) =>
    list.flatMap((rule, index) => referencesOfRule(vocabulary, entity, rule, [...place, index], names))
  if (Array.isArray(filter)) return rules(filter, home, at)
  if (!isObject(filter)) return []
  const own = referencesOfField(vocabulary, home, { entity: filter['entity'] }, at, names)
  const list = (name: string): readonly unknown[] => (Array.isArray(filter[name]) ? filter[name] : [])
  return [
    ...own.references,
    ...rules(list('rules'), own.entity, [...at, 'rules']),
    ...list('groups').flatMap((group, index) =>
      referencesOfFilter(vocabulary, own.entity, group, [...at, 'groups', index], depth + 1, names),
    ),
  ]
}

/** The references of a sort: a list of `{property, entity?}`. */
export function referencesOfSort(vocabulary: Vocabulary, home: VocabularyEntity, sort: unknown, at: Place): Reference[] {
  if (!Array.isArray(sort)) return []
  return sort.flatMap((term: unknown, index) =>
    isObject(term) ? referencesOfField(vocabulary, home, term, [...at, index]).references : [],
  )
}
