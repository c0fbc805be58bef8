/** What of an earlier version of a record can be saved again, and what stays as it is, and why. */
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { whenMatched } from '#platform/patterns.ts'
import { listDetached } from '#tools/entities/service.ts'
import type { Value } from '#tools/properties/service.ts'
import { findVersion, holdingsOf, listVersions, showing } from '#tools/query/service.ts'

import { checkAssets } from './save/attachments.ts'
import { findHeld } from './save/earlier.store.ts'
import { type LiveRow, readCanonical } from './save/live.store.ts'
import { isWithheldIn, withinRights } from './save/rights.rules.ts'
import { checkData } from './save/row-data.rules.ts'
import type { SaveWish } from './save/understand-row.rules.ts'
import type { WriteFrame } from './save/write-frame.ts'

/** What keeps the value that it has now. */
export interface Kept {
  readonly property: string
  readonly reason: string
}

type Version = Awaited<ReturnType<typeof listVersions>>['rows'][number]
type Values = ReadonlyMap<number, Value>

/** The save that takes a live record back to a version of its own. Throws 400 where it has no such version. */
export async function wishOfVersion(
  context: TxContext,
  frame: WriteFrame,
  live: LiveRow,
  version: number,
): Promise<{ readonly wish: SaveWish; readonly kept: readonly Kept[] }> {
  const { tx, tenantId } = context
  const earlier = await findEarlier(context, frame, live, version)
  const now = (await inRecords(tx, tenantId, () => readCanonical(tx, tenantId, frame, [live.id]))).get(live.id) ?? new Map<number, Value>()
  const kept = [...(await goneSince(context, frame, live.id, version)), ...placesKept(frame, live, earlier)]
  const fitting = await fittingNow(frame, earlier, kept)
  const reachable = await withoutLostFiles(context, frame, fitting, now, kept)
  const values = await writable(context, frame, live.id, reachable, now, kept)
  const wish: SaveWish = {
    index: 0,
    path: '$',
    targetId: live.id,
    keys: undefined,
    said: {},
    values,
    parent: { kind: 'unsaid' },
    expectedRowHash: undefined,
    mode: 'upsert',
    issues: [],
  }
  return { wish, kept }
}

async function findEarlier({ tx, tenantId, answerBytes }: TxContext, frame: WriteFrame, live: LiveRow, version: number): Promise<Version> {
  const page = { fromVersion: version, limit: 1, bytes: answerBytes }
  const { rows } = await inRecords(tx, tenantId, () => listVersions(tx, showing(frame, undefined, { rows: 'versions' }), live.id, page))
  const [found] = rows
  if (found) return found
  const last = await inRecords(tx, tenantId, () => findVersion(tx, frame, live.id))
  throw new AppError('invalid_input', `The record has the versions 1 to ${last}, and none ${version}. get_instance_history shows them.`)
}

/** Properties that the entity no longer has, of which the version has values. */
async function goneSince({ tx, tenantId }: TxContext, frame: WriteFrame, id: number, version: number): Promise<Kept[]> {
  const { entityId, internalName } = frame.entity
  const detached = (await listDetached(tx, tenantId, entityId)).filter(({ columnId }) => frame.present.has(`c${columnId}`))
  const columnIds = detached.map(({ columnId }) => columnId)
  const held = new Set(await inRecords(tx, tenantId, () => findHeld(tx, tenantId, entityId, { id, version }, columnIds)))
  return detached.flatMap(({ columnId, internalName: property }) =>
    held.has(columnId) ? [{ property, reason: `${internalName} has no such property any more.` }] : [],
  )
}

/** The key and the parent are where a record is found, not what it holds. */
function placesKept(frame: WriteFrame, live: LiveRow, earlier: Version): Kept[] {
  const derived = new Set(frame.entity.properties.map((property) => `key${property.keyPart}`))
  const keys = (['key1', 'key2', 'key3'] as const).flatMap((part) =>
    earlier[part] === live[part] || derived.has(part)
      ? []
      : [{ property: part, reason: 'Keys stay. upsert_instance by eiRecordId renames a record.' }],
  )
  const isElsewhere = earlier.parentEIRecordId !== live.parentId
  return [
    ...keys,
    ...(isElsewhere ? [{ property: 'parentEIRecordId', reason: 'It stays where it stands. set_instance_parent moves it.' }] : []),
  ]
}

/** Values that a save would take today. */
async function fittingNow({ entity }: WriteFrame, { data }: Version, kept: Kept[]): Promise<Map<number, Value>> {
  const values = new Map<number, Value>()
  for (const property of entity.properties) {
    const { entityPropertyId, internalName, isRequired } = property
    const raw = data[internalName] ?? null
    const checked = await whenMatched((patterns) => checkData([property], { [internalName]: raw }, '$', { patterns }))
    const [issue] = checked.issues
    const value = checked.values.get(entityPropertyId) ?? null
    if (issue) kept.push({ property: internalName, reason: issue.message })
    else if (value === null && isRequired) kept.push({ property: internalName, reason: 'It was empty then, and is required now.' })
    else values.set(entityPropertyId, value)
  }
  return values
}

async function withoutLostFiles(
  context: TxContext,
  { entity }: WriteFrame,
  values: Map<number, Value>,
  before: Values,
  kept: Kept[],
): Promise<Map<number, Value>> {
  const problems = await checkAssets(context, entity, [{ index: 0, path: '$', values, before }])
  const issues = new Map((problems.get(0)?.issues ?? []).map((issue) => [issue.path, issue.message]))
  for (const { entityPropertyId, internalName } of entity.properties) {
    const reason = issues.get(`$.data.${internalName}`)
    if (reason === undefined) continue
    kept.push({ property: internalName, reason })
    values.delete(entityPropertyId)
  }
  return values
}

/** What the caller may write. Of what is withheld from them nothing is told, not even that it would differ. */
async function writable(
  context: TxContext,
  frame: WriteFrame,
  id: number,
  values: Map<number, Value>,
  before: Values,
  kept: Kept[],
): Promise<Map<number, Value>> {
  const { access, entity } = frame
  if (!access) return values
  const holding = (await holdingsOf(context, frame, access, [id])).get(id) ?? []
  const withheld = entity.properties.filter((property) => isWithheldIn(access, holding, property))
  for (const { entityPropertyId, internalName } of withheld) {
    values.delete(entityPropertyId)
    const said = kept.findIndex(({ property }) => property === internalName)
    if (said >= 0) kept.splice(said, 1)
  }
  const { refused } = withinRights(access, entity, values, holding, before)
  for (const { entityPropertyId, internalName } of refused) {
    values.delete(entityPropertyId)
    kept.push({ property: internalName, reason: 'The access rules do not let you write it.' })
  }
  return values
}
