/** Records for activities and other domains. */
import type { TxContext } from '#platform/operation.ts'

import { inRecords } from '#platform/db/records.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { whenMatched } from '#platform/patterns.ts'

import { writeFrame } from './frame.ts'
import { saveRows } from './save.ts'
import { readWish } from './wishes.ts'
import { checkData } from './values.rules.ts'
import { versionValues } from './versions.store.ts'
import { findLiveByIds, readCanonical } from './live.store.ts'

export { importKind, importRunner } from './import-runner.ts'

export interface AnalysisWriteBack {
  readonly entityId: number
  readonly eiRecordId: number
  readonly entityPropertyId: number
  readonly assetKey: string
  /** The version of the record that brought the attachment. */
  readonly baseVersion: number
  /** Of targets that an earlier run wrote, by internalName: the version that it made of the record. Only what changed since then counts. */
  readonly targetVersions?: Readonly<Record<string, number>>
  /** By internalName of the target properties. */
  readonly values: Readonly<Record<string, unknown>>
}

export interface WriteBackResult {
  readonly applied: readonly string[]
  readonly skipped: readonly { readonly property: string; readonly reason: string }[]
  /** Of the record, once the results are in it; absent where it takes none. */
  readonly version?: number
}

/**
 * Writes an analysis's results into the record that asked for it. A target that somebody changed since then keeps what they wrote; a record that is
 * gone, or no longer holds the asset, takes nothing. Harmless twice: the second time nothing differs.
 */
export async function applyAnalysis(context: TxContext, back: AnalysisWriteBack): Promise<WriteBackResult> {
  const { tx, tenantId } = context
  const all = (reason: string): WriteBackResult => ({
    applied: [],
    skipped: Object.keys(back.values).map((property) => ({ property, reason })),
  })
  const frame = await writeFrame(context, (catalog) => {
    const entity = catalog.entities.find((known) => known.entityId === back.entityId)
    if (!entity) throw new AppError('not_found', 'The entity is gone.')
    return entity
  })
  const [live] = await inRecords(tx, tenantId, () => findLiveByIds(tx, tenantId, back.entityId, [back.eiRecordId]))
  if (!live) return all('The record is gone.')
  const now = (await inRecords(tx, tenantId, () => readCanonical(tx, tenantId, frame, [live.id]))).get(live.id)
  const held = now?.get(back.entityPropertyId) ?? null
  if (!(Array.isArray(held) ? held : [held]).includes(back.assetKey)) return all('The record no longer holds this attachment.')
  const bases = new Map<number, Awaited<ReturnType<typeof versionValues>>>()
  for (const version of new Set([back.baseVersion, ...Object.values(back.targetVersions ?? {})])) {
    bases.set(version, await inRecords(tx, tenantId, () => versionValues(tx, tenantId, frame, live.id, version)))
  }
  const applied: Record<string, unknown> = {}
  const skipped: { property: string; reason: string }[] = []
  for (const [name, value] of Object.entries(back.values)) {
    const property = frame.entity.properties.find((known) => known.internalName === name)
    const base = bases.get(back.targetVersions?.[name] ?? back.baseVersion)
    const checked = property ? await whenMatched((patterns) => checkData([property], { [name]: value }, '$', { patterns })) : undefined
    if (!property || !checked) skipped.push({ property: name, reason: 'The property is no longer on the entity.' })
    else if (checked.issues.length > 0) skipped.push({ property: name, reason: checked.issues[0]?.message ?? 'The value is not valid.' })
    else if (
      base &&
      JSON.stringify(base.get(property.entityPropertyId) ?? null) !== JSON.stringify(now?.get(property.entityPropertyId) ?? null)
    ) {
      skipped.push({ property: name, reason: 'Somebody changed it since the attachment was saved.' })
    } else applied[name] = value
  }
  if (Object.keys(applied).length === 0) return { applied: [], skipped, version: live.version }
  // The hash holds the record to what was just compared: whoever changes it in between is newer.
  const wish = await readWish(frame.entity, { data: applied, expectedRowHash: live.rowHash }, live.id)
  const [outcome] = await saveRows(context, frame, [wish])
  if (outcome?.outcome === 'failed') {
    if (outcome.reason === 'stale') throw new StaleRead('somebody changed the record meanwhile')
    return all(outcome.errors[0]?.message ?? 'The record could not be saved.')
  }
  return { applied: Object.keys(applied), skipped, version: live.version + (outcome?.outcome === 'updated' ? 1 : 0) }
}
