/** The last part of a save: rows that may be stored are written, and told. */
import { countTenantRecords, inRecords } from '#platform/db/records.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import type { Finding } from '#platform/findings.ts'
import { authorOf, type TxContext } from '#platform/operation.ts'
import { nextTurn } from '#platform/turns.ts'
import { takeWithin } from '#platform/tenant-state.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { recordsChanged } from '#tools/events/service.ts'
import { noteTargetStates } from '#tools/intelligence/service.ts'
import type { Value } from '#tools/properties/service.ts'

import type { Followed } from './analysis-targets.ts'
import type { Draft, SaveOutcome } from './match-records.ts'
import { isMove } from './moves.rules.ts'
import type { FullRow } from './recordset.rules.ts'
import { asTakenMeanwhile } from './taken-keys.ts'
import type { WriteFrame } from './write-frame.ts'
import { insertRecords, updateRecords, type Written } from './write.store.ts'

/** A row that may be stored as it is. */
export interface Ready {
  readonly draft: Draft
  readonly row: FullRow
  readonly before: ReadonlyMap<number, Value> | undefined
  readonly followed: Followed
  /** What the call says, of what its caller may say. */
  readonly said: ReadonlyMap<number, Value>
  /** What goes with its outcome. */
  readonly told: { readonly notes?: readonly Finding[] }
}

/** A row that was stored. */
export interface Saved extends Ready {
  readonly written: Written | undefined
}

/** What a portion of rows holds in all; writing it down takes some milliseconds. */
const valuesOfPortion = 20_000

/** Writes rows in portions, each in a turn of its own: the text of ten thousand rows takes longer to write down than others can wait. */
async function inPortions(
  entity: CatalogEntity,
  ready: readonly Ready[],
  write: (rows: readonly FullRow[]) => Promise<ReadonlyMap<number, Written>>,
): Promise<Map<number, Written>> {
  const size = Math.max(50, Math.floor(valuesOfPortion / (entity.properties.length + 1)))
  const done = new Map<number, Written>()
  for (let from = 0; from < ready.length; from += size) {
    if (ready.length > size) await nextTurn()
    const some = await write(ready.slice(from, from + size).map(({ row }) => row))
    for (const [id, one] of some) done.set(id, one)
  }
  return done
}

/** Writes rows; answers them with their ids. Throws StaleRead where somebody was quicker. */
export async function storeRows(context: TxContext, frame: WriteFrame, ready: readonly Ready[], withDocuments: boolean): Promise<Saved[]> {
  const { tx, tenantId, stamp, actor } = context
  const { entity, epoch } = frame
  const by = { epoch, stamp, tenantUserId: authorOf(actor), withDocuments }
  const written = new Map<number, Written>()
  const fresh = ready.filter(({ draft }) => !draft.live)
  const changed = ready.filter(({ draft }) => draft.live)
  await takeWithin(context, 'records', fresh.length, () => countTenantRecords(tx, tenantId))
  const ids = fresh.length > 0 ? await context.services.recordIds.take(tenantId, entity.entityId, fresh.length) : []
  const inserts = fresh.map((one, index) => ({ ...one, row: { ...one.row, id: ids[index] ?? 0 } }))
  await inRecords(tx, tenantId, async () => {
    if (inserts.length > 0) {
      const done = await inPortions(entity, inserts, (rows) => insertRecords(tx, tenantId, entity, by, rows))
      for (const [id, one] of done) written.set(id, one)
      if (done.size !== inserts.length) throw new StaleRead('somebody took a key meanwhile')
    }
    if (changed.length > 0) {
      // The third run takes the later time of the old row, so that a row under constant change is saved all the same.
      const isLate = context.attempt >= 3
      const write = (rows: readonly FullRow[]) => updateRecords(tx, tenantId, entity, { ...by, isLate }, rows)
      const done = await inPortions(entity, changed, write).catch(asTakenMeanwhile)
      for (const [id, one] of done) written.set(id, one)
      if (done.size !== changed.length) throw new StaleRead('somebody changed a row meanwhile')
    }
  })
  const saved = [...inserts, ...changed]
  const notes = saved.flatMap(({ row, followed }) =>
    [...followed.notes].map(([entityPropertyId, targets]) => ({ eiRecordId: row.id, entityPropertyId, targets })),
  )
  if (notes.length > 0) await noteTargetStates(tx, tenantId, notes)
  return saved.map((one) => ({ ...one, written: written.get(one.row.id) }))
}

/** Tells the changes of a call, all at once, and what became of its rows. */
export async function tellRows(
  context: TxContext,
  frame: WriteFrame,
  saved: readonly Saved[],
  outcomes: Map<number, SaveOutcome>,
): Promise<void> {
  const jobs = await recordsChanged(
    context,
    frame,
    saved.map(({ draft, row, before, written }) => ({
      kind: draft.live ? ('modified' as const) : ('added' as const),
      id: row.id,
      version: written?.version ?? 1,
      before,
      after: row.values,
      origin: context.origin,
    })),
  )
  for (const { draft, row, written, told } of saved) {
    const jobIds = jobs.get(row.id)
    const document = written?.document
    outcomes.set(draft.wish.index, {
      index: draft.wish.index,
      outcome: draft.live ? 'updated' : 'inserted',
      eiRecordId: row.id,
      ...(draft.live && isMove(draft.live.parentId, row.parentId) ? { moved: true as const } : {}),
      ...told,
      ...(jobIds ? { jobIds } : {}),
      ...(document === undefined ? {} : { document }),
    })
  }
}
