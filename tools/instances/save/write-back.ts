/** The way of recognition's results into a record: composed for all files that it holds, and never over what somebody has written since. */
import { inRecords } from '#platform/db/records.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Origin } from '#platform/shapes/origin.ts'
import { whenMatched } from '#platform/patterns.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import {
  composeHeld,
  isOfOtherAnalysis,
  isReplaceable,
  noteTargetStates,
  type Place,
  targetStates,
  type TargetState,
  valueHash,
  whyKept,
  type WriteBack,
} from '#tools/intelligence/service.ts'
import { assetKeysOf, type Value } from '#tools/properties/service.ts'

import { findLiveByIds, readCanonical } from './live.store.ts'
import { checkData } from './row-data.rules.ts'
import { saveRows } from './save-rows.ts'
import { readWish } from './understand-rows.ts'
import { writeFrame } from './write-frame.ts'

export interface WriteBackResult {
  readonly applied: readonly string[]
  readonly skipped: readonly { readonly property: string; readonly reason: string }[]
}

/** Holds the record until the transaction ends, where it lives: whoever else writes it waits, and is seen by what is read from here on. */
export async function holdRecord(context: TxContext, place: { readonly entityId: number; readonly eiRecordId: number }): Promise<void> {
  const { tx, tenantId } = context
  const { entityId, eiRecordId } = place
  if (!(await cachedCatalog(context)).byIdOrName.has(String(entityId))) return
  await frameOf(context, entityId)
  await inRecords(tx, tenantId, () => findLiveByIds(tx, tenantId, entityId, [eiRecordId], true))
}

const frameOf = (context: TxContext, entityId: number) =>
  writeFrame(context, (catalog) => {
    const entity = catalog.byIdOrName.get(String(entityId))
    if (!entity) throw new AppError('not_found', 'The entity is gone.')
    return entity
  })

/**
 * Writes what the files of a record say into the analysis's targets, once it is known what this one of them says. A target that somebody changed keeps
 * what they wrote; a record that is gone, or no longer holds the file, takes nothing. Harmless twice: the second time nothing differs.
 */
export async function applyAnalysis(context: TxContext, back: WriteBack): Promise<WriteBackResult> {
  const { tx, tenantId } = context
  const frame = await frameOf(context, back.entityId)
  const { entity } = frame
  const all = (reason: string) => allSkipped(entity, back, reason)
  const property = entity.properties.find((candidate) => candidate.entityPropertyId === back.entityPropertyId)
  const [live] = await inRecords(tx, tenantId, () => findLiveByIds(tx, tenantId, back.entityId, [back.eiRecordId]))
  if (!live) return all('The record is gone.')
  const now = (await inRecords(tx, tenantId, () => readCanonical(tx, tenantId, frame, [live.id]))).get(live.id)
  const assetKeys = assetKeysOf(now?.get(back.entityPropertyId))
  if (!property || !assetKeys.includes(back.assetKey)) return all('The record no longer holds this attachment.')
  const [composed] = await composeHeld(context, entity, [{ ...back, property, assetKeys }])
  const states = (await targetStates(context, [back]))(back)

  const wanted = new Map<number, { readonly name: string; readonly value: unknown; readonly hash: string }>()
  const skipped = [...(composed?.skipped ?? [])]
  for (const [name, value] of Object.entries(composed?.values ?? {})) {
    const target = entity.properties.find((known) => known.internalName === name)
    if (!target) continue
    const id = target.entityPropertyId
    const checked = await whenMatched((patterns) => checkData([target], { [name]: value }, '$', { patterns }))
    const state = states[String(id)]
    const present = now?.get(id) ?? null
    const kept = isReplaceable(state, present) ? undefined : await whyNotReplaced(context, back, id, state, present)
    const reason = kept ?? checked.issues[0]?.message
    if (reason === undefined) wanted.set(id, { name, value, hash: valueHash(checked.values.get(id)) })
    else if (!skipped.some((one) => one.property === name)) skipped.push({ property: name, reason })
  }
  if (wanted.size === 0) return { applied: [], skipped }
  // The hash holds the record to what was just compared: whoever changes it in between is newer.
  const data = Object.fromEntries([...wanted.values()].map(({ name, value }) => [name, value]))
  const wish = await readWish(entity, { data, expectedRowHash: live.rowHash }, live.id)
  const origin: Origin = { kind: 'analysis', id: back.analysisId, depth: back.depth }
  const [outcome] = await saveRows({ ...context, origin }, frame, [wish])
  if (outcome?.outcome === 'failed') {
    if (outcome.reason === 'stale') throw new StaleRead('somebody changed the record meanwhile')
    return all(outcome.errors[0]?.message ?? 'The record could not be saved.')
  }
  const targets = Object.fromEntries([...wanted].map(([id, { hash }]): [string, TargetState] => [String(id), { hash, by: 'run' }]))
  const { eiRecordId, entityPropertyId } = back
  await noteTargetStates(tx, tenantId, [{ eiRecordId, entityPropertyId, targets }])
  const applied = [...wanted.values()].map(({ name }) => name).filter((name) => !skipped.some((one) => one.property === name))
  return { applied, skipped }
}

async function whyNotReplaced(
  context: TxContext,
  place: Place,
  targetId: number,
  state: TargetState | undefined,
  present: Value,
): Promise<string> {
  if (await isOfOtherAnalysis(context, place, targetId, valueHash(present))) return 'The analysis of another property writes it.'
  return whyKept(state)
}

function allSkipped(entity: CatalogEntity, { targets }: WriteBack, reason: string): WriteBackResult {
  const ids = new Set(Object.values(targets))
  const held = entity.properties.filter((property) => ids.has(property.entityPropertyId))
  return { applied: [], skipped: held.map((property) => ({ property: property.internalName, reason })) }
}

/** What is told of results that the record cannot take. */
export async function keepOutOfRecord(context: TxContext, back: WriteBack, reason: string): Promise<WriteBackResult> {
  const entity = (await cachedCatalog(context)).byIdOrName.get(String(back.entityId))
  return entity ? allSkipped(entity, back, reason) : { applied: [], skipped: [] }
}
