/** Conditions of a form: filters on what is in hand while it is filled in, the record, its rows and its parents. */
import { pathText } from '#platform/issues.ts'
import { type Finding, finding } from '#platform/validation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { findFilterProblems } from '#tools/query/service.ts'

import type { Place } from './layout.types.ts'
import { slotText } from './locks.rules.ts'

/** Whose condition it is, and what it may speak of beside that. */
export interface ConditionHome {
  readonly entity: CatalogEntity
  /** By entityId: the parents and theirs, and from the record the entities of its list sections. */
  readonly inHand: ReadonlySet<number>
}

/** Entities that a record of this one may stand under, at whatever height. */
export function ancestorsOf(catalog: Catalog, entity: CatalogEntity): Set<number> {
  const found = new Set<number>()
  const queue = [entity]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const { entityId } of at.parents) {
      if (found.has(entityId)) continue
      found.add(entityId)
      const parent = catalog.byIdOrName.get(String(entityId))
      if (parent) queue.push(parent)
    }
  }
  return found
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every place where a filter names an entity, or goes over peers. */
function entitiesNamed(filter: unknown, at: Place, depth = 0): { readonly at: Place; readonly name: unknown; readonly isPeer: boolean }[] {
  if (depth > 8) return []
  const within = (list: unknown, key: readonly string[]) =>
    Array.isArray(list) ? list.flatMap((one: unknown, index) => entitiesNamed(one, [...at, ...key, index], depth + 1)) : []
  if (Array.isArray(filter)) return within(filter, [])
  if (!isObject(filter)) return []
  const own = filter['entity'] === undefined ? [] : [{ at: [...at, 'entity'], name: filter['entity'], isPeer: filter['via'] === 'peer' }]
  return [...own, ...within(filter['rules'], ['rules']), ...within(filter['groups'], ['groups'])]
}

/** What is wrong with a visibleWhen, a requiredWhen or a `when`. */
export function findConditionProblems(catalog: Catalog, home: ConditionHome, condition: unknown, at: Place, root: Place): Finding[] {
  if (condition === undefined) return []
  const findings = findFilterProblems(catalog, home.entity, condition, pathText([...root, ...at]), { hasTokens: true })
  const told = new Set(findings.map((one) => one.path))
  const away = entitiesNamed(condition, at).flatMap(({ at: place, name, isPeer }) => {
    const entity = catalog.byIdOrName.get(slotText(name))
    const path = pathText([...root, ...place])
    if (!entity || told.has(path)) return []
    if (!isPeer && (entity.entityId === home.entity.entityId || home.inHand.has(entity.entityId))) return []
    const message = `${entity.internalName} is not in hand here: a condition speaks of ${home.entity.internalName}, its parents and, from the record, rows of the form’s list sections.`
    return [finding(path, message)]
  })
  return [...findings, ...away]
}
