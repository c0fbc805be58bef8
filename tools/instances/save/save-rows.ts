/** Saving records: one way for a single save, a bulk, an import and a write-back. Set-based, keys and hashes first, then only what differs. */
import { inRecords } from '#platform/db/records.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { eachInTurns, mapInTurns } from '#platform/turns.ts'
import type { Value } from '#tools/properties/service.ts'
import { findKeyIssues } from '#tools/query/service.ts'

import { followFiles, unfollowed } from './analysis-targets.ts'
import { checkAssets } from './attachments.ts'
import { inGenerations } from './generations.ts'
import { readCanonical } from './live.store.ts'
import { type Draft, type Fail, findDrafts, isComplete, presentKeys, refuseUnsound, type SaveOutcome } from './match-records.ts'
import { parentField } from './moves.rules.ts'
import { refuseUnaskedMoves } from './moves.ts'
import { giveNumbers, refuseTakenNumbers, withNumbers } from './numbers.ts'
import { lockAndCheckParents } from './parents.ts'
import { notYours, withinRights } from './rights.rules.ts'
import { refuseUnentitled, refuseUnseenMoves } from './rights.ts'
import { findMissing } from './row-data.rules.ts'
import { rowHash } from './row-hash.rules.ts'
import { type Ready, type Saved, storeRows, tellRows } from './store-rows.ts'
import { refuseTakenKeys } from './taken-keys.ts'
import { keysOf, keySourcesOf, mergeValues, type SaveWish } from './understand-row.rules.ts'
import { outlivesProperties, type WriteFrame } from './write-frame.ts'

interface SaveOptions {
  readonly movesParents?: boolean
  readonly leavesWithheld?: boolean
  readonly takenKeys?: Set<string>
}

/**
 * Saves rows of one entity in the context's transaction. Each row's outcome stands at its index; a failed row changes nothing and the others go
 * on. A concurrent change of the same rows throws StaleRead, and the pipeline runs the handler again. `withDocuments` has the writing statements
 * answer the saved records, `movesParents` lets a row that is found by its key take its record to another parent, `leavesWithheld` leaves what a record
 * holds where the row says something else that its caller may not write there, and notes it. `takenKeys` are those that earlier calls of the same rows gave.
 */
export async function saveRows(
  context: TxContext,
  frame: WriteFrame,
  wishes: readonly SaveWish[],
  options: SaveOptions & { readonly withDocuments?: boolean } = {},
): Promise<SaveOutcome[]> {
  const outcomes = new Map<number, SaveOutcome>()
  const fail = failInto(outcomes)

  const generations = await inGenerations(context, frame, wishes, refuseUnsound(wishes, fail))
  const saved: Saved[] = []
  for (const step of generations.steps) {
    const ready = await readyRows(context, frame, generations.withParents(step, outcomes, fail), options, outcomes, fail)
    saved.push(...(await storeRows(context, frame, ready, options.withDocuments === true && !frame.access)))
  }
  await tellRows(context, frame, saved, outcomes)
  return wishes.map((wish) => {
    const outcome = outcomes.get(wish.index)
    if (!outcome) throw new Error('A row was left without an outcome')
    return outcome
  })
}

/** How rows fail whose outcomes are gathered. */
function failInto(outcomes: Map<number, SaveOutcome>): Fail {
  return (index, reason, errors, eiRecordId) =>
    void outcomes.set(index, { index, outcome: 'failed', reason, errors, ...(eiRecordId === undefined ? {} : { eiRecordId }) })
}

/**
 * What a save of the rows would be refused for, by their index; nothing is written. The frame is one of a trial. Somebody may be quicker, so that the save
 * itself is refused all the same.
 */
export async function tryRows(
  context: TxContext,
  frame: WriteFrame & { readonly isDry: true },
  wishes: readonly SaveWish[],
  options: SaveOptions = {},
): Promise<ReadonlyMap<number, SaveOutcome>> {
  const outcomes = new Map<number, SaveOutcome>()
  const fail = failInto(outcomes)
  await readyRows(context, frame, refuseUnsound(wishes, fail), options, outcomes, fail)
  return outcomes
}

/** The rows that are to be written, as they will be; the others have their outcome. */
async function readyRows(
  context: TxContext,
  frame: WriteFrame,
  wishes: readonly SaveWish[],
  options: SaveOptions,
  outcomes: Map<number, SaveOutcome>,
  fail: Fail,
): Promise<Ready[]> {
  const found = await findDrafts(context, frame, wishes, fail)
  const unasked = await refuseUnaskedMoves(context, frame, found, options.movesParents === true, fail)
  const drafts = await refuseUnseenMoves(context, frame, unasked, fail)
  const ready = await mergeDrafts(context, frame, drafts, options, outcomes, fail)
  const assets = await checkAssets(
    context,
    frame.entity,
    ready.map(({ draft, row, before }) => ({ index: draft.wish.index, path: draft.wish.path, values: row.values, before })),
  )
  for (const [index, problem] of assets) fail(index, problem.isSensitivity ? 'sensitive' : 'invalid', problem.issues)
  // Last, so that every move which counts against another is one that will be made.
  await refuseBadParents(
    context,
    frame,
    ready.filter(({ draft }) => !outcomes.has(draft.wish.index)),
    fail,
  )
  return ready.filter(({ draft }) => !outcomes.has(draft.wish.index))
}

async function mergeDrafts(
  context: TxContext,
  frame: WriteFrame,
  drafts: readonly Draft[],
  options: SaveOptions,
  outcomes: Map<number, SaveOutcome>,
  fail: Fail,
): Promise<Ready[]> {
  const { tx, tenantId } = context
  const { entity } = frame
  const considered = drafts.filter((draft) => {
    const { wish, live } = draft
    if (wish.mode !== 'insertOnly' || !live) return true
    outcomes.set(wish.index, { index: wish.index, outcome: 'skipped', eiRecordId: live.id })
    return false
  })
  const isHashDated = outlivesProperties(frame)
  const needsValues = ({ live, before, wish }: Draft) =>
    live && !before && (frame.access !== undefined || isHashDated || !isComplete(entity, wish))
  const toRead = considered.flatMap((draft) => (needsValues(draft) ? (draft.live?.id ?? []) : []))
  const present =
    toRead.length > 0
      ? await inRecords(tx, tenantId, () => readCanonical(tx, tenantId, frame, toRead))
      : new Map<number, Map<number, Value>>()
  const numbers = await giveNumbers(context, frame, considered)
  const merged = (
    await mapInTurns(considered, (draft) => {
      const { wish, live } = draft
      const before = live ? (draft.before ?? present.get(live.id)) : undefined
      const allowed = frame.access && withinRights(frame.access, entity, wish.values, draft.holding, before)
      const refusal = allowed && notYours(allowed.refused)
      const isLeft = options.leavesWithheld === true && live !== undefined
      if (refusal !== undefined && !isLeft) return fail(wish.index, 'forbidden', [finding(`${wish.path}.data`, refusal)], live?.id)
      const told =
        refusal === undefined ? {} : { notes: [finding(`${wish.path}.data`, `${refusal} It stays as it is.`, { severity: 'warning' })] }
      const said = allowed?.values ?? wish.values
      const named = withNumbers(entity, allowed ? { ...wish, values: said } : wish, before, numbers.get(wish.index))
      const values = mergeValues(entity, wish.mode === 'overwrite' ? allowed?.kept : before, named)
      return { draft, before, said, values, eiRecordId: live?.id, told }
    })
  ).filter((one) => typeof one === 'object')
  const follows = await followFiles(context, entity, merged)
  const ready: Ready[] = []
  await eachInTurns(merged, ({ draft, before, said, values: wanted, told }, index) => {
    const { wish, live } = draft
    const followed = follows[index] ?? unfollowed
    const values = followed.changes.size === 0 ? wanted : mergeValues(entity, wanted, followed.changes)
    const issues = findMissing(entity.properties, values, `${wish.path}.data`)
    // A key part that follows from a property follows from the merged row, whether this save named the property or not; one that is not said stays.
    const keys = keysOf(entity, wish.said, values, wish.path, issues, presentKeys(live)) ?? presentKeys(live)
    issues.push(...findKeyIssues(keys, wish.path, keySourcesOf(entity), issues.length > 0))
    const parentId = draft.parent === undefined ? (live?.parentId ?? null) : (draft.parent?.id ?? null)
    if (parentId === null && entity.parents.length > 0 && entity.parents.every((relation) => relation.isRequired)) {
      issues.push(
        finding(
          `${wish.path}.parentKey1`,
          `A record of ${entity.internalName} needs a parent. Send parentKey1..3 or parentEIRecordId (in an import: parentKey1..3 as columns, or in mapping).`,
        ),
      )
    }
    if (issues.length > 0) {
      return fail(wish.index, 'invalid', issues, live?.id)
    }
    const hash = rowHash(parentId, keys, values)
    const isSame = live && (live.rowHash === hash || (isHashDated && before && rowHash(live.parentId, presentKeys(live), before) === hash))
    if (isSame) {
      return void outcomes.set(wish.index, { index: wish.index, outcome: 'skipped', eiRecordId: live.id, ...told })
    }
    ready.push({
      draft,
      told,
      before,
      said,
      followed,
      row: { id: live?.id ?? 0, version: live?.version ?? 0, parentId, keys, rowHash: hash, values },
    })
  })
  await refuseUnentitled(context, frame, ready, fail)
  await refuseTakenKeys(context, frame, ready, fail, outcomes, options.takenKeys)
  const left = ready.filter(({ draft }) => !outcomes.has(draft.wish.index))
  await refuseTakenNumbers(context, frame, left, fail)
  return ready.filter(({ draft }) => !outcomes.has(draft.wish.index))
}

async function refuseBadParents(context: TxContext, frame: WriteFrame, ready: readonly Ready[], fail: Fail): Promise<void> {
  const rows = ready.flatMap(({ draft }) =>
    draft.parent
      ? [
          {
            index: draft.wish.index,
            path: `${draft.wish.path}.${parentField(draft.wish.parent)}`,
            id: draft.live?.id,
            present: draft.live?.parentId ?? null,
            parent: draft.parent,
          },
        ]
      : [],
  )
  if (rows.length === 0) return
  for (const [index, { reason, issue }] of await lockAndCheckParents(context, frame, rows)) fail(index, reason, [issue])
}
