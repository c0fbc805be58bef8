/** Peers of records that come back: a link outlives the deletion of its ends, and the only place of one may be another's by now. */
import { inRecords, presentColumns } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { listRelations } from '#tools/entities/service.ts'
import { seenAmong } from '#tools/query/service.ts'

import { lockParents } from '../save/parents.store.ts'
import { listTwoPeers, lockReturns } from './peers.store.ts'

/** Of so many peers at a time it is asked how many they have. */
const portionPeers = 1_000

/** Records of one entity that were restored. */
interface Returned {
  readonly entity: CatalogEntity
  readonly ids: readonly number[]
}

/** Two entities, a record of the first of which may have one peer alone of the other; some of the first come back. */
interface Pair {
  readonly entity: CatalogEntity
  readonly peer: CatalogEntity
}

/**
 * Before a restore: of which entities' peers it is asked afterwards how many they have. Where there are any, restores take turns, since two that bring
 * back both ends of a link would not see each other.
 */
export async function holdOnlyPeers(context: TxContext, catalog: Catalog, entities: ReadonlySet<CatalogEntity>): Promise<readonly Pair[]> {
  const { tx, tenantId } = context
  const pairs: Pair[] = []
  for (const entity of entities) {
    if (entity.peers.length === 0) continue
    for (const { kind, isList, entityId, otherEntityId } of await listRelations(tx, tenantId, entity.entityId)) {
      if (kind !== 'peer' || isList) continue
      const peerId = entityId === entity.entityId ? otherEntityId : entityId
      const peer = catalog.entities.find((known) => known.entityId === peerId)
      if (peer && (await presentColumns(tx, tenantId, peerId)).size > 0) pairs.push({ entity, peer })
    }
  }
  if (pairs.length > 0) await lockReturns(tx, tenantId)
  return pairs
}

/** After a restore. Throws 409 where one that came back, or a peer of it, has two peers where it may have one alone. */
export async function refuseSecondPeersOf(
  context: TxContext,
  catalog: Catalog,
  pairs: readonly Pair[],
  returned: readonly Returned[],
): Promise<void> {
  const { tx, tenantId } = context
  const peersOf = new Map<Pair, number[]>()
  // In the order in which a link holds its ends, so that the two do not wait for each other.
  for (const pair of pairs.toSorted((a, b) => a.peer.entityId - b.peer.entityId)) {
    const peers = new Set<number>()
    for (const { ids } of returned.filter(({ entity }) => entity === pair.entity)) {
      const links = await inRecords(tx, tenantId, () => listTwoPeers(tx, tenantId, ids, pair.peer.entityId))
      await refuseSecond(context, catalog, pair, links, new Set())
      for (const { otherId } of links) peers.add(otherId)
    }
    if (peers.size === 0) continue
    const live = await inRecords(tx, tenantId, () => lockParents(tx, tenantId, pair.peer.entityId, [...peers], 'exclusive'))
    peersOf.set(pair, [...live])
  }
  for (const [{ entity, peer }, peers] of peersOf) {
    const back = new Set(returned.flatMap((some) => (some.entity === entity ? some.ids : [])))
    for (let from = 0; from < peers.length; from += portionPeers) {
      const some = peers.slice(from, from + portionPeers)
      const links = await inRecords(tx, tenantId, () => listTwoPeers(tx, tenantId, some, entity.entityId))
      await refuseSecond(context, catalog, { entity: peer, peer: entity }, links, back)
    }
  }
}

/** `back` are those among the peers that came back: the other one can be unlinked, while nobody can unlink a deleted one. */
async function refuseSecond(
  context: TxContext,
  catalog: Catalog,
  { entity, peer }: Pair,
  links: readonly { readonly id: number; readonly otherId: number }[],
  back: ReadonlySet<number>,
): Promise<void> {
  const first = new Map<number, number>()
  for (const { id, otherId } of links) {
    const other = first.get(id)
    first.set(id, otherId)
    if (other === undefined) continue
    const isOwnSeen = (await seenAmong(context, catalog, entity, [id])).has(id)
    const seen = await seenAmong(context, catalog, peer, [other, otherId])
    const named = (one: number) => (seen.has(one) ? `record ${one}` : 'another one')
    const whose = `${isOwnSeen ? `Record ${id}` : 'A record'} of ${entity.internalName} may have one peer of ${peer.internalName} alone`
    const present = [other, otherId].find((one) => !back.has(one))
    const message =
      back.size > 0 && present !== undefined
        ? `${whose}, and has ${named(present)} by now. Unlink that first.`
        : `${whose}, and would have ${named(other)} and ${named(otherId)}. Delete one of these first.`
    throw new AppError('conflict', `The record cannot be restored. ${message}`, {
      issues: [finding('$.record', message, { code: 'conflict' })],
    })
  }
}
