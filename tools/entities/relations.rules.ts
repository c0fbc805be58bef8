/** How entities may stand to each other: pure decisions about children and peers. */
import type { IdOrName } from '#platform/names.ts'
import { quoted } from '#platform/suggest.ts'
import { finding, type Finding } from '#platform/validation.ts'

import { indexOf, unknownEntity } from './entities.rules.ts'
import type { PortableEntity } from './entities.schema.ts'

/** An entity as a relationship may name it; `entityId` is null while a catalog document is about to make it. */
export interface NamedEntity {
  readonly entityId: number | null
  readonly internalName: string
}

export interface NewRelation {
  readonly kind: 'child' | 'peer'
  readonly entity: NamedEntity
  readonly other: NamedEntity
  readonly isRequired: boolean
  readonly isList: boolean
  /** Where the document names the other one. */
  readonly path: string
}

/** Reads the children and peers that a catalog document gives to an entity. */
export function readRelations(
  given: PortableEntity,
  entity: NamedEntity,
  known: readonly NamedEntity[],
  path: string,
): { relations: NewRelation[]; findings: Finding[] } {
  const findings: Finding[] = []
  const find = indexOf(known, (one) => one.entityId)
  const relations: NewRelation[] = []
  const add = (
    kind: 'child' | 'peer',
    slot: IdOrName,
    more: { isRequired?: boolean | undefined; isList?: boolean | undefined },
    at: string,
  ) => {
    const other = find(slot)
    if (!other) return void findings.push(unknownEntity(at, slot, known))
    const relation = { kind, entity, other, isRequired: more.isRequired ?? false, isList: more.isList ?? true, path: at }
    findings.push(...findRelationProblems(relation, at))
    if (relations.some((earlier) => earlier.kind === kind && earlier.other === other))
      return void findings.push(finding(at, `${other.internalName} is named twice.`))
    relations.push(relation)
  }
  ;(given.children ?? []).forEach((child, index) => add('child', child.childEntity, child, `${path}.children[${index}].childEntity`))
  ;(given.peers ?? []).forEach((peer, index) => add('peer', peer.peerEntity, peer, `${path}.peers[${index}].peerEntity`))
  return { relations, findings }
}

/** What forbids a relationship by itself. */
export function findRelationProblems(relation: Omit<NewRelation, 'isList' | 'path'>, path: string): Finding[] {
  const isSelf =
    relation.entity === relation.other || (relation.entity.entityId !== null && relation.entity.entityId === relation.other.entityId)
  if (relation.kind === 'child' && isSelf && relation.isRequired) {
    return [
      finding(
        path,
        `A ${quoted(relation.entity.internalName)} that needs a parent of its own kind could never be saved. Leave isRequired out.`,
      ),
    ]
  }
  return []
}

/**
 * The entities of every circle that leads from this one down through children to itself: where records could stand above and below each other. Empty
 * where there is none.
 */
export function circlesThrough(
  entityId: number,
  children: readonly { readonly parentId: number; readonly childId: number }[],
): Set<number> {
  const below = reach(
    entityId,
    Map.groupBy(children, (one) => one.parentId),
    (one) => one.childId,
  )
  const above = reach(
    entityId,
    Map.groupBy(children, (one) => one.childId),
    (one) => one.parentId,
  )
  return below.intersection(above)
}

/** Where steps lead from a place; the place itself only where they lead back. */
function reach<T>(from: number, steps: ReadonlyMap<number, readonly T[]>, next: (step: T) => number): Set<number> {
  const reached = new Set<number>()
  const queue = [from]
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const step of steps.get(at) ?? []) {
      const to = next(step)
      if (reached.has(to)) continue
      reached.add(to)
      queue.push(to)
    }
  }
  return reached
}

interface ParentChild {
  readonly kind: 'child' | 'peer'
  readonly entityId: number
  readonly otherEntityId: number
  readonly isRequired: boolean
}

/** What forbids a required parent: that each parent needs one in turn, so that there is no first record to begin with. */
export function findEndless(relations: readonly ParentChild[], childEntityId: number, path: string): Finding[] {
  const parents = Map.groupBy(
    relations.filter((one) => one.kind === 'child'),
    (one) => one.otherEntityId,
  )
  const reached = new Set<number>()
  const queue = [childEntityId]
  for (let entityId = queue.pop(); entityId !== undefined; entityId = queue.pop()) {
    const above = parents.get(entityId) ?? []
    // An entity without parents, or with one that its records may do without, is where a record can begin.
    if (!above.every((one) => one.isRequired) || above.length === 0) return []
    for (const one of above) {
      if (reached.has(one.entityId)) continue
      reached.add(one.entityId)
      queue.push(one.entityId)
    }
  }
  const message =
    'A record could never be saved: each entity that it may stand under needs a parent in turn, without an end. Leave isRequired out.'
  return [finding(path, message)]
}
