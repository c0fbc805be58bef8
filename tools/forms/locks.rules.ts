/** What a filter fixes: where it says that a property equals a value, every record that fulfils it has that value. */
import { soleToken, parseTemplate } from '#platform/tokens/template.ts'
import { type CatalogEntity, type CatalogProperty, propertyIndex } from '#tools/entities/catalog.types.ts'
import { checkValue } from '#tools/properties/service.ts'

import type { LockedFields } from './layout.types.ts'

const anyPattern = { matches: () => true }

interface Rule {
  readonly property: CatalogProperty
  readonly value: unknown
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.includes('[[') && soleToken(parseTemplate(value)) !== undefined
}

/** An id or a name, as the catalog knows it; of anything else a text that it does not have. */
export function slotText(said: unknown): string {
  return typeof said === 'string' || typeof said === 'number' ? String(said).toLowerCase() : ''
}

function isOwn(entity: CatalogEntity, said: unknown): boolean {
  return said === undefined || [entity.internalName.toLowerCase(), String(entity.entityId)].includes(slotText(said))
}

/** A rule that leaves one value: words for time move on, a day against a time is many moments, and of a list it would be one element. */
function ruleOf(entity: CatalogEntity, rule: unknown): Rule[] {
  if (!isObject(rule) || !isOwn(entity, rule['entity'])) return []
  const { op, value } = rule
  const one: unknown = op === 'in' && Array.isArray(value) && value.length === 1 ? value[0] : op === 'eq' ? value : undefined
  const property = propertyIndex(entity.properties).get(slotText(rule['property']))
  if (one === undefined || one === null || !property || property.isList) return []
  return isToken(one) || 'value' in checkValue(property, one, anyPattern) ? [{ property, value: one }] : []
}

/** What must hold whatever else does: rules joined by AND, on the record itself. */
function certain(entity: CatalogEntity, filter: unknown, depth = 0): Rule[] {
  if (depth > 8) return []
  if (Array.isArray(filter)) return filter.flatMap((rule: unknown) => ruleOf(entity, rule))
  if (!isObject(filter) || 'via' in filter || 'has' in filter || !isOwn(entity, filter['entity'])) return []
  const { rules, groups } = filter
  const parts = [...(Array.isArray(rules) ? rules : []), ...(Array.isArray(groups) ? groups : [])]
  // Of alternatives the only one is certain.
  if (filter['logic'] === 'OR' && parts.length > 1) return []
  return [
    ...(Array.isArray(rules) ? rules.flatMap((rule: unknown) => ruleOf(entity, rule)) : []),
    ...(Array.isArray(groups) ? groups.flatMap((group: unknown) => certain(entity, group, depth + 1)) : []),
  ]
}

/** The values that all of these filters fix; `clash` names a property to which they give two. */
export function locksOf(
  entity: CatalogEntity,
  filters: readonly unknown[],
): { readonly locked: LockedFields; readonly clash: CatalogProperty | undefined } {
  const locked = new Map<CatalogProperty, unknown>()
  let clash: CatalogProperty | undefined
  for (const { property, value } of filters.flatMap((filter) => certain(entity, filter))) {
    const known = locked.get(property)
    if (known !== undefined && known !== value && !isToken(known) && !isToken(value)) clash ??= property
    if (known === undefined) locked.set(property, value)
  }
  return { locked, clash }
}
