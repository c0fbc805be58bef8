/** Linking and unlinking: which two ends are meant, whether the caller may, and how many each may have. */
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { type Finding, finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import type { TxContext } from '#platform/operation.ts'
import { unknownName } from '#platform/validation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { listRelations } from '#tools/entities/service.ts'
import { entityInPath, holdingRules, holdingsOf, isKeyShown, liveRecordId, type ReadFrame, readFrameOf } from '#tools/query/service.ts'

import { findLiveByIds, findLiveByKeys } from '../save/live.store.ts'
import { lockParents } from '../save/parents.store.ts'
import { keyName } from '../save/understand-row.rules.ts'
import { type WriteFrame, writeFrame } from '../save/write-frame.ts'
import { type PeersInput, refuseBothNames } from './peers.schema.ts'
import { type Ends, listTwoPeers } from './peers.store.ts'

/** Two ends that the caller may link and unlink, held against deletion. */
export interface Linking {
  readonly frame: WriteFrame
  readonly peer: CatalogEntity
  readonly ends: Ends
  readonly isList: boolean
  /** The entity each of whose records needs a peer of the other. */
  readonly needsPeer: number | undefined
}

/** The peer entity of a name. Throws 400 with the peers that there are. */
export function peerNamed(catalog: Catalog, entity: CatalogEntity, slot: string | number): CatalogEntity {
  const found = catalog.byIdOrName.get(String(slot).toLowerCase())
  if (found && entity.peers.includes(found.entityId)) return found
  const names = catalog.entities.filter(({ entityId }) => entity.peers.includes(entityId)).map(({ internalName }) => internalName)
  const issue = unknownName(
    '$.peerEntity',
    `peer entity of ${entity.internalName}`,
    slot,
    names,
    'list_entity_relationships',
    'unknown_entity',
  )
  throw new AppError('unknown_entity', issue.message, { issues: [issue] })
}

/** The live records that the input names, which the caller sees. Throws 400 with every one that is absent. */
async function findNamed(context: TxContext, frame: ReadFrame, input: PeersInput): Promise<number[]> {
  const { tx, tenantId } = context
  const { entityId, internalName } = frame.entity
  const ids = input.eiRecordIds ?? []
  const keys = (input.keys ?? []).map(({ key1, key2 = '', key3 = '' }) => [key1, key2, key3] as const)
  const live = !frame.hasTable
    ? []
    : await inRecords(tx, tenantId, () =>
        input.keys ? findLiveByKeys(tx, tenantId, entityId, keys) : findLiveByIds(tx, tenantId, entityId, ids.filter(Number.isSafeInteger)),
      )
  const { sight } = frame
  const holdings =
    sight &&
    (await holdingsOf(
      context,
      frame,
      sight,
      live.map((row) => row.id),
    ))
  const seen = live.filter(({ id }) => {
    const rules = sight && holdingRules(sight, holdings?.get(id) ?? [], 'read')
    return !rules || (rules.length > 0 && (!input.keys || isKeyShown(frame.entity, rules)))
  })
  const byName = new Map(
    seen.flatMap((row) => [[String(row.id), row.id] as const, [keyName([row.key1, row.key2, row.key3]), row.id] as const]),
  )
  const names = input.keys ? keys.map((key) => keyName([...key])) : ids.map(String)
  const path = input.keys ? 'keys' : 'eiRecordIds'
  const issues = names.flatMap((name, index): Finding[] =>
    byName.has(name) ? [] : [finding(`$.${path}[${index}]`, `There is no such record of ${internalName}.`)],
  )
  if (issues[0])
    throw new AppError('invalid_input', `${issues[0].path}: ${issues[0].message} Nothing was changed.`, {
      issues: issues.slice(0, maxIssues),
    })
  return [...new Set(names.flatMap((name) => byName.get(name) ?? []))]
}

/** Of these records those that the caller may edit. */
async function editable(context: TxContext, frame: ReadFrame, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const { sight } = frame
  if (!sight) return new Set(ids)
  const holdings = await holdingsOf(context, frame, sight, ids)
  return new Set(ids.filter((id) => holdingRules(sight, holdings.get(id) ?? [], 'edit').length > 0))
}

/**
 * A link shows at both ends: it takes sight of both records, and the right to edit one of them. Throws 404 for the record in the path, 400 for peers that
 * are not there, 403.
 */
export async function openLinking(context: TxContext, input: PeersInput): Promise<Linking> {
  refuseBothNames(input)
  const { tx, tenantId } = context
  // Both are chosen together: one that the kept catalog does not know may have been made a peer since.
  const chosen = (catalog: Catalog) => {
    const entity = entityInPath(catalog, input.entity)
    peerNamed(catalog, entity, input.peerEntity)
    return entity
  }
  const frame = await writeFrame(context, chosen, (catalog, entity) => [
    entity.entityId,
    peerNamed(catalog, entity, input.peerEntity).entityId,
  ])
  const { catalog, entity } = frame
  const peer = peerNamed(catalog, entity, input.peerEntity)
  const own = { ...frame, sight: frame.access }
  const id = await liveRecordId(context, own, input.record)
  const peerFrame = await readFrameOf(context, catalog, peer)
  const peerIds = await findNamed(context, peerFrame, input)
  if (peerIds.includes(id)) {
    const path = input.keys ? '$.keys' : '$.eiRecordIds'
    throw new AppError('invalid_input', 'A record is no peer of itself.', {
      issues: [finding(path, `Record ${id} is the one in the path.`)],
    })
  }
  if (!(await editable(context, own, [id])).has(id)) {
    const some = await editable(context, peerFrame, peerIds)
    const refused = peerIds.find((one) => !some.has(one))
    if (refused !== undefined)
      throw new AppError(
        'forbidden',
        `The access rules let you change neither record ${id} nor its peer ${refused}: a link takes one of them.`,
      )
  }
  const relations = await listRelations(tx, tenantId, entity.entityId)
  const relation = relations.find(
    (one) =>
      one.kind === 'peer' &&
      [one.entityId, one.otherEntityId].includes(peer.entityId) &&
      (peer !== entity || one.entityId === one.otherEntityId),
  )
  const isList = relation?.isList ?? true
  const needsPeer = relation?.isRequired === true ? relation.entityId : undefined
  const ids = peer === entity ? [[entity, [id, ...peerIds]] as const] : [[entity, [id]] as const, [peer, peerIds] as const]
  await hold(context, ids, isList && needsPeer === undefined ? 'shared' : 'exclusive')
  return { frame, peer, ends: { entityId: entity.entityId, id, peerEntityId: peer.entityId, peerIds }, isList, needsPeer }
}

/** Keeps both ends from being deleted meanwhile; where it matters how many peers each has, from everybody else who links them, too. */
async function hold(
  context: TxContext,
  some: readonly (readonly [CatalogEntity, readonly number[]])[],
  lock: 'shared' | 'exclusive',
): Promise<void> {
  const { tx, tenantId } = context
  // In one order, so that two who link the same records do not wait for each other.
  for (const [{ entityId }, ids] of some.toSorted(([a], [b]) => a.entityId - b.entityId)) {
    const live = await inRecords(tx, tenantId, () => lockParents(tx, tenantId, entityId, ids, lock))
    const gone = ids.find((id) => !live.has(id))
    if (gone !== undefined) throw new AppError('conflict', `Record ${gone} was deleted at the same moment. Nothing was changed.`)
  }
}

/** How many live peers each of these records has in an entity, counted to two; those without any are not among them. */
async function countPeers({ tx, tenantId }: TxContext, ids: readonly number[], entityId: number): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>()
  for (const { id } of await inRecords(tx, tenantId, () => listTwoPeers(tx, tenantId, ids, entityId)))
    counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** After a link. Throws 409 where a record has more peers than it may have. */
export async function refuseSecondPeers(context: TxContext, { frame, peer, ends, isList }: Linking): Promise<void> {
  if (isList) return
  for (const [ids, other] of [[[ends.id], peer] as const, [ends.peerIds, frame.entity] as const]) {
    const counts = await countPeers(context, ids, other.entityId)
    const full = ids.find((id) => (counts.get(id) ?? 0) > 1)
    if (full !== undefined)
      throw new AppError('conflict', `Record ${full} may have one peer of ${other.internalName} alone. Unlink the present one first.`)
  }
}

/** After links were ended. Throws 409 where a record is left without a peer that it needs. */
export async function refuseMissingPeers(context: TxContext, { frame, peer, ends, needsPeer }: Linking): Promise<void> {
  if (needsPeer === undefined) return
  const sides = [[frame.entity, [ends.id], peer] as const, [peer, ends.peerIds, frame.entity] as const]
  for (const [entity, ids, other] of sides.filter(([one]) => one.entityId === needsPeer)) {
    const counts = await countPeers(context, ids, other.entityId)
    const bare = ids.find((id) => !counts.has(id))
    if (bare !== undefined)
      throw new AppError(
        'conflict',
        `Record ${bare} of ${entity.internalName} needs a peer of ${other.internalName}. Link another one first.`,
      )
  }
}
