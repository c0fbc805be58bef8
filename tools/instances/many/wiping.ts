/** A wipe: what the records of an entity were is gone with them. In a call where there are few, else in a job. */
import { z } from 'zod'

import { findActingUser } from '#platform/acting.ts'
import { changeDefinitions } from '#platform/db/definitions.ts'
import { entitiesWithTables, inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { raiseWipe } from '#tools/entities/service.ts'
import { advanceJob, finishJob, type JobRunner } from '#tools/jobs/service.ts'
import { rulesFor } from '#tools/query/service.ts'

import { deleteRecords, writeFrameWithBelow } from '../deleting.ts'
import type { WriteFrame } from '../save/write-frame.ts'
import { countAll, hasChildren, haveChildren, holdChildren, listSome, removeRecords } from './wipe.store.ts'

export const wipeKind = 'instanceWipe'
/** In the call; what is larger is for a job. */
const atOnce = 5_000
const chunkRows = 1_000
const stepMs = 20_000

const wipeInput = z.object({ entityId: z.int(), roleFlag: z.int() })
export type WipeInput = z.infer<typeof wipeInput>

/** Prepares a wipe. Throws 404, 403 where access rules keep any record from the caller's hand, 409 where records of other entities stand below. */
export async function openWipe(context: TxContext, entity: IdOrName): Promise<{ readonly frame: WriteFrame; readonly isLarge: boolean }> {
  const { tx, tenantId } = context
  const frame = await writeFrameWithBelow(context, entity)
  const { access } = frame
  const { entityId, internalName } = frame.entity
  const reachesAll = (verb: 'read' | 'delete') => !access || rulesFor(access, verb).some((rule) => rule.holds === undefined)
  if (!reachesAll('read') || !reachesAll('delete'))
    throw new AppError(
      'forbidden',
      `The access rules do not let you see and delete every record of ${internalName}, so that you cannot wipe it.`,
    )
  await refuseHolding(context, frame)
  const isLarge = (await inRecords(tx, tenantId, () => countAll(tx, tenantId, entityId, atOnce + 1))) > atOnce
  return { frame, isLarge }
}

/** Throws 409 where live records of other entities stand below records of the entity, or below these of them. */
async function refuseHolding({ tx, tenantId }: TxContext, { catalog, entity }: WriteFrame, ids?: readonly number[]): Promise<void> {
  const { entityId, internalName } = entity
  const holding: string[] = []
  for (const childId of await entitiesWithTables(tx, tenantId, otherChildren(entity)))
    if (
      await inRecords(tx, tenantId, () => (ids ? haveChildren(tx, tenantId, ids, childId) : hasChildren(tx, tenantId, entityId, childId)))
    )
      holding.push(catalog.byIdOrName.get(String(childId))?.internalName ?? String(childId))
  if (holding.length > 0)
    throw new AppError('conflict', `Records of ${holding.join(', ')} stand below records of ${internalName}. Wipe or move them first.`)
}

const otherChildren = ({ entityId, children }: CatalogEntity) => children.map((child) => child.entityId).filter((id) => id !== entityId)

/**
 * Asks again under the locks of these rows, since nobody saves below a row that is held: what was saved below them before they were. Rows of the same
 * entity that go with them are held and asked as well, level by level.
 */
async function refuseSavedMeanwhile(context: TxContext, frame: WriteFrame, ids: readonly number[]): Promise<void> {
  const { tx, tenantId } = context
  const { entityId, children } = frame.entity
  if (otherChildren(frame.entity).length === 0) return
  const isOwnChild = children.some((child) => child.entityId === entityId)
  const held = new Set(ids)
  const waiting = [ids]
  for (let some = waiting.pop(); some; some = waiting.pop()) {
    const parents = some
    await refuseHolding(context, frame, parents)
    const below = isOwnChild ? await inRecords(tx, tenantId, () => holdChildren(tx, tenantId, entityId, parents)) : []
    const fresh = below.filter((id) => !held.has(id))
    for (const id of fresh) held.add(id)
    for (let from = 0; from < fresh.length; from += chunkRows) waiting.push(fresh.slice(from, from + chunkRows))
  }
}

/**
 * Takes up to so many records away; answers how many there were. Live ones are deleted first, as everything else deletes; the wipe is told
 * as one, and not as so many deletions. Watermarks from before are refused from the commit on: what is gone leaves no tombstone.
 */
export async function wipeSome(context: TxContext, frame: WriteFrame, most = Infinity): Promise<number> {
  const { tx, tenantId } = context
  const { entityId } = frame.entity
  const silent: TxContext = { ...context, origin: { ...context.origin, isSilent: true } }
  let wiped = 0
  while (wiped < most) {
    const some = await inRecords(tx, tenantId, () => listSome(tx, tenantId, entityId, Math.min(chunkRows, most - wiped)))
    if (some.length === 0) break
    const ids = some.map(({ id }) => id)
    await refuseSavedMeanwhile(context, frame, ids)
    const live = some.flatMap(({ id, isLive }) => (isLive ? id : []))
    if (live.length > 0) await deleteRecords(silent, frame, live, false)
    await inRecords(tx, tenantId, () => removeRecords(tx, tenantId, entityId, ids))
    wiped += some.length
    context.tellProgress?.({ done: wiped })
  }
  await changeDefinitions(
    context,
    async () => [entityId],
    () => raiseWipe(tx, tenantId, entityId),
  )
  return wiped
}

const mask = roleBits.BuilderAdmin | roleBits.DataDelete

/** Carries out wipes that are too large for a call. A chunk that is run again finds what is left. */
export const wipeRunner: JobRunner = {
  async step(services, first, signal) {
    const { tenantId, startedBy } = first
    const { entityId, roleFlag } = wipeInput.parse(first.input)
    const user = startedBy === null ? undefined : await findActingUser(services.databases, { tenantId, tenantUserId: startedBy })
    if (((user?.actor.roleFlag ?? 0) & roleFlag & mask) !== mask)
      throw new AppError('forbidden', 'Whoever started the wipe may no longer wipe records.')
    const work = { tenantUserId: startedBy ?? 0, roleFlag, origin: { kind: 'call', id: first.jobId, depth: first.depth } } as const
    let job = first
    const until = Date.now() + stepMs
    for (;;) {
      signal.throwIfAborted()
      const next = await inSystemTransaction(
        services,
        tenantId,
        async (context) => {
          const { frame } = await openWipe(context, entityId)
          const wiped = await wipeSome(context, frame, chunkRows)
          const done = job.done + wiped
          if (wiped > 0) return advanceJob(context, job, { done })
          await finishJob(context, job, { done, total: done, result: { wiped: done } })
          return undefined
        },
        work,
      )
      if (!next) return 'done'
      job = next
      if (Date.now() > until) return 'more'
    }
  },
}
