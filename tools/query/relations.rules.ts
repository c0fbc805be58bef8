/** How records lead to those of other entities: to a parent, and on to its parent, to children, to peers. */
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'

export const links = ['parent', 'child', 'peer'] as const

export type Link = (typeof links)[number]

/** From a record to records of an entity. */
export interface Way {
  readonly link: Link
  /** The parents between, from the record on; none where it is one step. */
  readonly through: readonly CatalogEntity[]
}

type Entities = Pick<Catalog, 'byIdOrName'>

function parentsOf(catalog: Entities, entity: CatalogEntity): CatalogEntity[] {
  return entity.parents.flatMap(({ entityId }) => catalog.byIdOrName.get(String(entityId)) ?? [])
}

const maxSteps = 6
// Entities may be each other's parents in any number of ways; the short ones come first.
const maxChains = 12
const maxLooks = 400

/** Chains of parents from an entity to another, each entity once in a chain, the short ones first. */
function chainsOf(catalog: Entities, from: CatalogEntity, to: CatalogEntity): CatalogEntity[][] {
  const chains: CatalogEntity[][] = []
  let looks = 0
  let open: CatalogEntity[][] = [[]]
  for (let step = 0; step < maxSteps && open.length > 0; step++) {
    const next: CatalogEntity[][] = []
    for (const through of open) {
      for (const parent of parentsOf(catalog, through.at(-1) ?? from)) {
        if (++looks > maxLooks || chains.length === maxChains) return chains
        if (parent === to) chains.push(through)
        else if (parent !== from && !through.includes(parent)) next.push([...through, parent])
      }
    }
    open = next
  }
  return chains
}

/** Every way from a record of an entity to those of another, which may be the same. */
export function waysBetween(catalog: Entities, from: CatalogEntity, to: CatalogEntity): Way[] {
  return [
    ...chainsOf(catalog, from, to).map((through) => ({ link: 'parent' as const, through })),
    ...(from.children.some(({ entityId }) => entityId === to.entityId) ? [{ link: 'child' as const, through: [] }] : []),
    ...(from.peers.includes(to.entityId) ? [{ link: 'peer' as const, through: [] }] : []),
  ]
}

/** The entities that one step leads to, by internalName, each with the step. */
export function relatedTo(catalog: Entities, from: CatalogEntity): ReadonlyMap<string, Link> {
  const named = (entityId: number) => catalog.byIdOrName.get(String(entityId))?.internalName ?? ''
  return new Map([
    ...from.peers.map((entityId) => [named(entityId), 'peer'] as const),
    ...from.children.map(({ entityId }) => [named(entityId), 'child'] as const),
    ...from.parents.map(({ entityId }) => [named(entityId), 'parent'] as const),
  ])
}
