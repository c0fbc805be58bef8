/** Runs that changes of records start: one for each record, or one for the batch that a transaction wrote. */
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { mapInTurns } from '#platform/turns.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { VersionOf } from '#tools/events/events.types.ts'
import { type FlatRecord, type ReadFrame, readFlatVersions, readFrameOf, versionKey } from '#tools/query/service.ts'

import { listIn, valueAt } from '../definition/definition.types.ts'
import type { FlowVersion, Said } from '../runs/runs.types.ts'
import { type Candidate, fulfilling } from './asking.ts'
import type { Firing } from './triggers.types.ts'

const valueBytes = 128 * 1024

/** What lies in a record beside its properties changes with it, and is no change that anybody named. */
function changedBetween(entity: CatalogEntity, before: FlatRecord | null | undefined, after: FlatRecord | null | undefined): string[] {
  return entity.properties.flatMap(({ internalName }) => {
    const [was, is] = [before?.[internalName] ?? null, after?.[internalName] ?? null]
    return was === is || JSON.stringify(was) === JSON.stringify(is) ? [] : [internalName]
  })
}

export interface RecordCandidate extends Candidate {
  readonly eiRecordId: number
  readonly version: VersionOf
}

/** What a trigger is, and whose records it is about. */
export interface FiringOf {
  readonly firing: Firing
  readonly version: FlowVersion
  readonly said: Said
  readonly catalog: Catalog
  readonly entity: CatalogEntity
}

/** Records as they were told of, each with its `$trigger`; those that the definition's user does not see are left out. */
export async function recordCandidates(
  context: TxContext,
  { firing, catalog, entity, said }: FiringOf,
  versions: readonly VersionOf[],
): Promise<{ readonly frame: ReadFrame; readonly candidates: readonly RecordCandidate[] }> {
  const { event } = firing
  const frame = await readFrameOf(context, catalog, entity)
  const before = ({ id, version }: VersionOf) => ({ id, version: version - 1 })
  const isUpdate = event.kind === 'record.updated'
  const names = [...new Map([...versions, ...(isUpdate ? versions.map(before) : [])].map((one) => [versionKey(one), one])).values()]
  const file = said['triggerType'] === 'attachmentSaved' ? String(valueAt(said['config'], 'property')).toLowerCase() : undefined
  const properties = entity.properties.filter(({ isSensitive, internalName }) => !isSensitive || internalName.toLowerCase() === file)
  const read = await readFlatVersions(context, frame, names, { properties, bytes: valueBytes })
  const isTold = (context.actor.roleFlag & roleBits.DataView) !== 0
  const seen = versions.filter((one) => read.has(versionKey(one)))
  const candidates = await mapInTurns(seen, (version): RecordCandidate => {
    const now = read.get(versionKey(version))
    const was = read.get(versionKey(before(version)))
    const [from, to] = event.kind === 'record.deleted' ? [now, null] : [isUpdate ? was : null, now]
    const isNew = event.kind === 'record.created' || isUpdate
    const payload = {
      eiRecordId: version.id,
      before: (isTold ? from : null) ?? null,
      after: (isTold ? to : null) ?? null,
      changed: isTold && isNew ? changedBetween(entity, from, to) : [],
      by: event.byUser,
      ...(event.kind === 'record.restored' ? { restored: true } : {}),
    }
    return { payload, eiRecordId: version.id, version }
  })
  return { frame, candidates }
}

/** Those of a chunk of its records that a firing counts. */
export async function countingRecords(
  context: TxContext,
  of: FiringOf,
  versions: readonly VersionOf[],
): Promise<readonly RecordCandidate[]> {
  const { firing, said, entity } = of
  const { frame, candidates } = await recordCandidates(context, of, versions)
  const wanted = listIn(valueAt(said['config'], 'properties')).map((name) => String(name).toLowerCase())
  // A change without any of them was not matched; a new record counts where it holds one.
  const holding =
    firing.event.kind === 'record.created' && wanted.length > 0
      ? candidates.filter(({ payload }) => listIn(payload['changed']).some((name) => wanted.includes(String(name).toLowerCase())))
      : candidates
  const counting = said['triggerType'] === 'attachmentSaved' ? filesOf(entity, said, holding) : holding
  return fulfilling(context, { frame, filter: said['filter'], by: firing.event.byUser }, counting)
}

const keysIn = (record: unknown, name: string) => [valueAt(record, name)].flat().filter((one) => typeof one === 'string')

/** Each file that was not there before, by itself. */
function filesOf(entity: CatalogEntity, said: Said, candidates: readonly RecordCandidate[]): RecordCandidate[] {
  const wanted = String(valueAt(said['config'], 'property')).toLowerCase()
  const name = entity.properties.find(({ internalName }) => internalName.toLowerCase() === wanted)?.internalName ?? ''
  return candidates.flatMap((one) => {
    const known = new Set(keysIn(one.payload['before'], name))
    const added = [...new Set(keysIn(one.payload['after'], name))].filter((assetKey) => !known.has(assetKey))
    return added.map((assetKey) => ({ ...one, payload: { eiRecordId: one.eiRecordId, assetKey, analysis: null } }))
  })
}
