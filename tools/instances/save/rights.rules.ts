/** What a caller may write into a record: decisions on the access rules that hold for it. */
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import type { Value } from '#tools/properties/service.ts'
import { type Holding, holdingRules, rulesFor, sealedHash, shows, type Sight, type SightRule } from '#tools/query/service.ts'

type Values = ReadonlyMap<number, Value>

export function isSeen(access: Sight, holding: Holding): boolean {
  return holdingRules(access, holding, 'read').length > 0
}

/** Whether the caller does not see a property of a record. */
export function isWithheldIn(access: Sight, holding: Holding, property: CatalogProperty): boolean {
  return !holdingRules(access, holding, 'read').some((rule) => shows(rule, property))
}

/** The row hash that the caller is shown, and sends back. */
export function hashShown(access: Sight, entity: CatalogEntity, holding: Holding, rowHash: string): string {
  return entity.properties.some((property) => isWithheldIn(access, holding, property)) ? sealedHash(access, rowHash) : rowHash
}

function isWritable(rules: readonly SightRule[], property: CatalogProperty): boolean {
  return rules.some((rule) => !rule.readOnly.has(property.propertyId) && shows(rule, property))
}

const isEqual = (one: Value, other: Value) => JSON.stringify(one) === JSON.stringify(other)

/** What of a save its caller may write. */
export interface Allowed {
  /** Named values without those that change nothing. */
  readonly values: Values
  /** What the record keeps even where the save replaces everything. */
  readonly kept: Values
  /** Properties that the save would write and must not. */
  readonly refused: readonly CatalogProperty[]
}

/** `holding` is of the record that is there; undefined: it is a new one. */
export function withinRights(
  access: Sight,
  entity: CatalogEntity,
  said: Values,
  holding: Holding | undefined,
  before: Values | undefined,
): Allowed {
  const rules = holding ? holdingRules(access, holding, 'edit') : rulesFor(access, 'create')
  const values = new Map<number, Value>()
  const kept = new Map<number, Value>()
  const refused: CatalogProperty[] = []
  for (const property of entity.properties) {
    const id = property.entityPropertyId
    const isWithheld = holding !== undefined && isWithheldIn(access, holding, property)
    const value = said.get(id)
    if (isWritable(rules, property) && !isWithheld) {
      if (value !== undefined) values.set(id, value)
      continue
    }
    const present = before?.get(id) ?? null
    kept.set(id, present)
    // What is withheld was shown as null, and comes back so; any other value would tell by its refusal alone whether it is the one.
    const isUnchanged = value === undefined || (value === null && isWithheld) || (!isWithheld && isEqual(value, present))
    if (!isUnchanged) refused.push(property)
  }
  return { values, kept, refused }
}

/** Why a row may not be stored as it would be; undefined where it may. `after` says which rules hold for it then. */
export function whyNotStored(
  access: Sight,
  entity: CatalogEntity,
  row: { readonly said: Values; readonly before: Values | undefined; readonly holding: Holding | undefined; readonly after: Holding },
): string | undefined {
  const { said, before, holding, after } = row
  const both = holding ? after.map((holds, index) => holds && holding[index] === true) : after
  const rules = holdingRules(access, both, holding ? 'edit' : 'create')
  if (rules.length === 0)
    return holding
      ? 'The access rules do not let you make the record so: it would leave what you may change.'
      : 'The access rules do not let you make a record with these values.'
  const changed = entity.properties.filter(({ entityPropertyId: id }) => {
    const value = said.get(id)
    return value !== undefined && !isEqual(value, before?.get(id) ?? null)
  })
  return notYours(changed.filter((property) => !isWritable(rules, property)))
}

/** The sentence on properties that a save must not write; undefined where there are none. */
export function notYours(properties: readonly CatalogProperty[]): string | undefined {
  if (properties.length === 0) return undefined
  return `The access rules do not let you write ${properties.map((property) => property.internalName).join(', ')}. Leave it out.`
}
