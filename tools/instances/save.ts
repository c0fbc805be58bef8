/** Saving records: one way for a single save, a bulk, an import and a write-back. Set-based, keys and hashes first, then only what differs. */
import { inRecords } from '#platform/db/records.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import type { Issue } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.schema.ts'

import { checkAssets, queueSavedAttachments } from './attachments.ts'
import type { WriteFrame } from './frame.ts'
import { linkIdentities } from './identity.ts'
import { externalKeyOf, findKeyIssues, type Keys } from './keys.rules.ts'
import { type FoundParent, findParents, lockAndCheckParents } from './parents.ts'
import { rowHash } from './row-hash.rules.ts'
import { type ImportMode, keyName, keysOf, mergeValues, namesAll, type SaveWish } from './save.rules.ts'
import { findMissing, type Value } from './values.rules.ts'
import { findLiveByIds, findLiveByKeys, type FullRow, insertRecords, type LiveRow, readCanonical, updateRecords } from './write.store.ts'

export type SaveOutcome =
  | {
      readonly index: number
      readonly outcome: 'inserted' | 'updated' | 'skipped'
      readonly eiRecordId: number
      readonly jobIds?: readonly number[]
      /** The saved record as JSON text, where it was asked for and the save wrote one. */
      readonly document?: string
    }
  | {
      readonly index: number
      readonly outcome: 'failed'
      readonly reason: 'invalid' | 'exists' | 'stale' | 'absent' | 'keyTaken' | 'sensitive'
      readonly errors: readonly Issue[]
      readonly eiRecordId?: number
    }

interface Draft {
  readonly wish: SaveWish
  readonly live: LiveRow | undefined
  readonly parent: FoundParent | null | undefined
  /** What the record holds, where it was read together with its hash. */
  readonly before: ReadonlyMap<number, Value> | undefined
}

interface Ready {
  readonly draft: Draft
  readonly row: FullRow
  readonly before: ReadonlyMap<number, Value> | undefined
}

/**
 * Saves rows of one entity in the context's transaction. Each row's outcome stands at its index; a failed row changes nothing and the others go
 * on. A concurrent change of the same rows throws StaleRead, and the pipeline runs the handler again. `withDocuments` has the writing statements
 * answer the saved records.
 */
export async function saveRows(
  context: TxContext,
  frame: WriteFrame,
  wishes: readonly SaveWish[],
  mode: ImportMode,
  options: { readonly withDocuments?: boolean } = {},
): Promise<SaveOutcome[]> {
  const outcomes = new Map<number, SaveOutcome>()
  const fail = (
    index: number,
    reason: Extract<SaveOutcome, { outcome: 'failed' }>['reason'],
    errors: readonly Issue[],
    eiRecordId?: number,
  ) => void outcomes.set(index, { index, outcome: 'failed', reason, errors, ...(eiRecordId === undefined ? {} : { eiRecordId }) })

  const sound = refuseUnsound(wishes, fail)
  const drafts = await findDrafts(context, frame, sound, mode, fail)
  const ready = await mergeDrafts(context, frame, drafts, mode, outcomes, fail)
  await refuseBadParents(context, frame, ready, fail)
  const assets = await checkAssets(
    context,
    frame.entity,
    ready
      .filter(({ draft }) => !outcomes.has(draft.wish.index))
      .map(({ draft, row, before }) => ({ index: draft.wish.index, path: draft.wish.path, values: row.values, before })),
  )
  for (const [index, problem] of assets) fail(index, problem.isSensitivity ? 'sensitive' : 'invalid', problem.issues)
  const rest = ready.filter(({ draft }) => !outcomes.has(draft.wish.index))
  await store(context, frame, rest, outcomes, options.withDocuments === true)
  return wishes.map((wish) => {
    const outcome = outcomes.get(wish.index)
    if (!outcome) throw new Error('A row was left without an outcome')
    return outcome
  })
}

type Fail = (
  index: number,
  reason: Extract<SaveOutcome, { outcome: 'failed' }>['reason'],
  errors: readonly Issue[],
  eiRecordId?: number,
) => void

function refuseUnsound(wishes: readonly SaveWish[], fail: Fail): SaveWish[] {
  const seen = new Set<string>()
  return wishes.filter((wish) => {
    if (wish.issues.length > 0) {
      fail(wish.index, 'invalid', wish.issues)
      return false
    }
    const name = wish.targetId !== undefined ? `#${wish.targetId}` : wish.keys && wish.keys[0] !== '' ? keyName(wish.keys) : undefined
    if (name !== undefined && seen.has(name)) {
      fail(wish.index, 'invalid', [
        {
          path: `${wish.path}.key1`,
          severity: 'error',
          message: 'An earlier row of this call has the same key. Send one row for each record.',
        },
      ])
      return false
    }
    if (name !== undefined) seen.add(name)
    return true
  })
}

function hasAnalyses(entity: CatalogEntity): boolean {
  return entity.properties.some((property) => property.analysis !== null && property.analysis !== undefined)
}

/** Whether the row says everything about the record that it makes, so that the one that it replaces need not be read. */
function isComplete(entity: CatalogEntity, mode: ImportMode, wish: SaveWish): boolean {
  return !hasAnalyses(entity) && (mode === 'overwrite' || namesAll(entity, wish.values))
}

async function findDrafts(
  context: TxContext,
  frame: WriteFrame,
  wishes: readonly SaveWish[],
  mode: ImportMode,
  fail: Fail,
): Promise<Draft[]> {
  const { tx, tenantId } = context
  const { entityId } = frame.entity
  const ids = wishes.flatMap((wish) => wish.targetId ?? [])
  const keys = wishes.flatMap((wish) => (wish.targetId === undefined && wish.keys && wish.keys[0] !== '' ? [wish.keys] : []))
  // Values of records that are named by id are read in the same round trip; those of keys wait for the ids.
  const toRead = wishes.flatMap((wish) => (wish.targetId === undefined || isComplete(frame.entity, mode, wish) ? [] : wish.targetId))
  const [byId, byKey, present] = await inRecords(tx, tenantId, () =>
    Promise.all([
      ids.length > 0 ? findLiveByIds(tx, tenantId, entityId, ids) : [],
      keys.length > 0 ? findLiveByKeys(tx, tenantId, entityId, keys) : [],
      toRead.length > 0 ? readCanonical(tx, tenantId, frame, toRead) : undefined,
    ]),
  )
  const liveById = new Map(byId.map((row) => [row.id, row]))
  const liveByKey = new Map(byKey.map((row) => [keyName([row.key1, row.key2, row.key3]), row]))
  const parents = await findParents(context, frame, wishes)
  const drafts: Draft[] = []
  for (const wish of wishes) {
    const live = wish.targetId !== undefined ? liveById.get(wish.targetId) : wish.keys ? liveByKey.get(keyName(wish.keys)) : undefined
    const finding = parents.get(wish.index)
    if (wish.targetId !== undefined && !live)
      fail(wish.index, 'absent', [{ path: wish.path, severity: 'error', message: `There is no record ${wish.targetId}.` }])
    else if (finding?.issue) fail(wish.index, 'invalid', [finding.issue])
    else if (wish.expectedRowHash !== undefined && live?.rowHash !== wish.expectedRowHash) {
      fail(
        wish.index,
        'stale',
        [
          {
            path: `${wish.path}.expectedRowHash`,
            severity: 'error',
            message: live ? 'The record was changed since it was read. Read it again and repeat.' : 'There is no such record any more.',
          },
        ],
        live?.id,
      )
    } else drafts.push({ wish, live, parent: finding?.parent, before: live ? present?.get(live.id) : undefined })
  }
  return drafts
}

function presentKeys(live: LiveRow | undefined): Keys {
  return live ? [live.key1, live.key2, live.key3] : ['', '', '']
}

async function mergeDrafts(
  context: TxContext,
  frame: WriteFrame,
  drafts: readonly Draft[],
  mode: ImportMode,
  outcomes: Map<number, SaveOutcome>,
  fail: Fail,
): Promise<Ready[]> {
  const { tx, tenantId } = context
  const { entity } = frame
  const considered = drafts.filter((draft) => {
    if (mode !== 'insertOnly' || !draft.live) return true
    const { wish, live } = draft
    outcomes.set(wish.index, { index: wish.index, outcome: 'skipped', eiRecordId: live.id })
    return false
  })
  const toRead = considered.flatMap((draft) => (draft.live && !draft.before && !isComplete(entity, mode, draft.wish) ? draft.live.id : []))
  const present =
    toRead.length > 0
      ? await inRecords(tx, tenantId, () => readCanonical(tx, tenantId, frame, toRead))
      : new Map<number, Map<number, Value>>()
  const ready: Ready[] = []
  for (const draft of considered) {
    const { wish, live } = draft
    const before = live ? (draft.before ?? present.get(live.id)) : undefined
    const values = mergeValues(entity, mode === 'overwrite' ? undefined : before, wish.values)
    const issues = findMissing(entity.properties, values, `${wish.path}.data`)
    // A key part that follows from a property follows from the merged row, whether this save named the property or not.
    const [said1, said2, said3] = wish.keys ?? presentKeys(live)
    const keys = keysOf(entity, wish.keys ? { key1: said1, key2: said2, key3: said3 } : {}, values, wish.path, issues) ?? presentKeys(live)
    issues.push(...findKeyIssues(keys, wish.path))
    const parentId = draft.parent === undefined ? (live?.parentId ?? null) : (draft.parent?.id ?? null)
    if (parentId === null && entity.parents.length > 0 && entity.parents.every((relation) => relation.isRequired)) {
      issues.push({
        path: `${wish.path}.parentKey1`,
        severity: 'error',
        message: `A ${entity.internalName} needs a parent. Send parentKey1..3 or parentEIRecordId.`,
      })
    }
    if (issues.length > 0) {
      fail(wish.index, 'invalid', issues, live?.id)
      continue
    }
    const hash = rowHash(parentId, keys, values)
    if (live && live.rowHash === hash) {
      outcomes.set(wish.index, { index: wish.index, outcome: 'skipped', eiRecordId: live.id })
      continue
    }
    ready.push({ draft, before, row: { id: live?.id ?? 0, version: live?.version ?? 0, parentId, keys, rowHash: hash, values } })
  }
  await refuseTakenKeys(context, frame, ready, fail, outcomes)
  return ready.filter(({ draft }) => !outcomes.has(draft.wish.index))
}

/** A rename onto a key that another live record has. */
async function refuseTakenKeys(
  context: TxContext,
  frame: WriteFrame,
  ready: readonly Ready[],
  fail: Fail,
  outcomes: ReadonlyMap<number, SaveOutcome>,
): Promise<void> {
  const { tx, tenantId } = context
  const renamed = ready.filter(
    ({ draft, row }) =>
      !outcomes.has(draft.wish.index) && draft.live && keyName(row.keys) !== keyName(presentKeys(draft.live)) && row.keys[0] !== '',
  )
  if (renamed.length === 0) return
  const taken = await inRecords(tx, tenantId, () =>
    findLiveByKeys(
      tx,
      tenantId,
      frame.entity.entityId,
      renamed.map(({ row }) => row.keys),
    ),
  )
  const holders = new Map(taken.map((row) => [keyName([row.key1, row.key2, row.key3]), row.id]))
  for (const { draft, row } of renamed) {
    const holder = holders.get(keyName(row.keys))
    if (holder !== undefined && holder !== row.id) {
      fail(
        draft.wish.index,
        'keyTaken',
        [
          {
            path: `${draft.wish.path}.key1`,
            severity: 'error',
            message: `Record ${holder} has the key "${externalKeyOf(row.keys).slice(0, 80)}" already.`,
          },
        ],
        row.id,
      )
    }
  }
}

async function refuseBadParents(context: TxContext, frame: WriteFrame, ready: readonly Ready[], fail: Fail): Promise<void> {
  const rows = ready.flatMap(({ draft }) =>
    draft.parent ? [{ index: draft.wish.index, path: `${draft.wish.path}.parentKey1`, id: draft.live?.id, parent: draft.parent }] : [],
  )
  if (rows.length === 0) return
  for (const [index, issue] of await lockAndCheckParents(context, frame, rows)) fail(index, 'invalid', [issue])
}

async function store(
  context: TxContext,
  frame: WriteFrame,
  ready: readonly Ready[],
  outcomes: Map<number, SaveOutcome>,
  withDocuments: boolean,
): Promise<void> {
  const { tx, tenantId, stamp, actor } = context
  const { entity, epoch } = frame
  const by = { epoch, stamp, tenantUserId: actor.tenantUserId, withDocuments }
  const documents = new Map<number, string | undefined>()
  const fresh = ready.filter(({ draft }) => !draft.live)
  const changed = ready.filter(({ draft }) => draft.live)
  const ids = fresh.length > 0 ? await context.services.recordIds.take(tenantId, entity.entityId, fresh.length) : []
  const inserts = fresh.map((one, index) => ({ ...one, row: { ...one.row, id: ids[index] ?? 0 } }))
  await inRecords(tx, tenantId, async () => {
    if (inserts.length > 0) {
      const done = await insertRecords(
        tx,
        tenantId,
        entity,
        by,
        inserts.map(({ row }) => row),
      )
      for (const [id, document] of done) documents.set(id, document)
      if (done.size !== inserts.length) throw new StaleRead('somebody took a key meanwhile')
    }
    if (changed.length > 0) {
      // The third run takes the later time of the old row, so that a row under constant change is saved all the same.
      const done = await updateRecords(
        tx,
        tenantId,
        entity,
        { ...by, isLate: context.attempt >= 3 },
        changed.map(({ row }) => row),
      )
      for (const [id, document] of done) documents.set(id, document)
      if (done.size !== changed.length) throw new StaleRead('somebody changed a row meanwhile')
    }
  })
  const saved = [...inserts, ...changed]
  await linkIdentities(
    context,
    frame,
    saved.map(({ row }) => row),
  )
  const jobs = await queueSavedAttachments(
    context,
    frame,
    saved.map(({ row, before, draft }) => ({ eiRecordId: row.id, version: draft.live ? row.version + 1 : 1, values: row.values, before })),
  )
  for (const { draft, row } of saved) {
    const jobIds = jobs.get(row.id)
    const document = documents.get(row.id)
    outcomes.set(draft.wish.index, {
      index: draft.wish.index,
      outcome: draft.live ? 'updated' : 'inserted',
      eiRecordId: row.id,
      ...(jobIds ? { jobIds } : {}),
      ...(document === undefined ? {} : { document }),
    })
  }
}
