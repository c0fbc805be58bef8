/** When a save takes a record from its parent, and what is said where nobody asked for that. */
import { quoted } from '#platform/suggest.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { externalKeyOf, type Keys } from '#tools/query/service.ts'

import type { ParentWish } from './understand-row.rules.ts'

/** A record without a parent that takes one is not moved: nobody misses it elsewhere. */
export function isMove(present: number | null, next: number | null): boolean {
  return present !== null && present !== next
}

/** The field by which a row says its parent. */
export function parentField(parent: ParentWish): 'parentEIRecordId' | 'parentKey1' {
  return parent.kind === 'id' || parent.kind === 'none' ? 'parentEIRecordId' : 'parentKey1'
}

/** Whether two rows of one key certainly name different parents: an id and a key may mean the same one. */
export function areOtherParents(one: ParentWish, other: ParentWish): boolean {
  if (one.kind === 'unsaid' || other.kind === 'unsaid') return false
  if (one.kind === 'key' && other.kind === 'key') return one.keys.some((part, index) => part !== other.keys[index])
  if (one.kind === 'id' && other.kind === 'id') return one.id !== other.id
  return one.kind === 'none' || other.kind === 'none' ? one.kind !== other.kind : false
}

interface Named {
  readonly entity: string
  readonly eiRecordId: number
  readonly keys: Keys
}

function nameOf({ entity, eiRecordId, keys }: Named): string {
  return keys[0] === '' ? `${entity} ${eiRecordId}` : `${entity} ${quoted(externalKeyOf(keys))}`
}

/** Key parts that would tell the record from its namesake: the parent's beside its own, in the parts that no property takes. */
function distinctKey(entity: CatalogEntity, own: Keys, parent: Keys): string | undefined {
  const ownParts = own.filter((part) => part !== '')
  const parentParts = parent.filter((part) => part !== '')
  if (parentParts.length === 0 || ownParts.length + parentParts.length > 3) return undefined
  const isDerived = entity.properties.some((property) => property.keyPart !== null)
  const parts = isDerived ? [...ownParts, ...parentParts] : [...parentParts, ...ownParts]
  return parts.map((part, index) => `key${index + 1} ${quoted(part)}`).join(', ')
}

/** Why a save by key is refused: whose the record is, and the two ways on. `next` is null where the save takes it from every parent. */
export function otherParentSentence(
  entity: CatalogEntity,
  record: { readonly eiRecordId: number; readonly keys: Keys },
  present: Named | undefined,
  next: Named | null | undefined,
): string {
  const { internalName } = entity
  const own = quoted(externalKeyOf(record.keys))
  const stands = present ? ` under ${nameOf(present)}` : ' under another parent'
  const begins = `The ${internalName} with the key ${own} is record ${record.eiRecordId}${stands}`
  const moves = 'To move it, send moveParent: true (in a bulk or an import: beside the rows), or save it by its eiRecordId.'
  if (next === null) return `${begins}, which the save would take it from. ${moves}`
  const key = next ? distinctKey(entity, record.keys, next.keys) : undefined
  const example = key === undefined ? 'for example in key2' : `for example ${key}`
  return `${begins}${next ? `, not under ${nameOf(next)}` : ''}. A key names one ${internalName}, whatever its parent: for another one put the parent into the key, ${example}. ${moves}`
}
