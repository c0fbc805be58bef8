/** Saves what a form has decided, and holds the result against what the form still asks of it. */
import { inRecords } from '#platform/db/records.ts'
import { tell } from '#platform/event-log.ts'
import { type Finding, finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { codeOf, deleteRecords, type SaveOutcome, saveRows, type SaveWish, type WriteFrame } from '#tools/instances/service.ts'
import { countRowsOf, findVersion, readInHand } from '#tools/query/service.ts'

import { showing, under, withId } from './around.ts'
import type { Decided, DecidedRow } from './deciding.ts'
import { inForm, type UnderstoodRow, wishesOf } from './entries.ts'
import type { OpenForm } from './opened.ts'
import type { ReadyList } from './ready.ts'
import type { ListPlan } from './sections.ts'

interface SavedRow {
  readonly id: number
  readonly outcome: 'inserted' | 'updated' | 'skipped'
}

export interface SavedList {
  readonly plan: ListPlan
  /** In the order of the call. */
  readonly rows: readonly SavedRow[]
}

export interface Saved extends SavedRow {
  readonly frame: WriteFrame
  readonly jobIds: readonly number[]
  readonly lists: readonly SavedList[]
}

interface Saving {
  readonly frame: WriteFrame
  readonly primary: UnderstoodRow
  readonly isNew: boolean
  readonly decided: Decided
  /** Whether the rows are said, too, and are to be as many as the form asks. */
  readonly isMulti: boolean
}

/** What is wrong with a row that was not saved, as the body of a form has it. */
function findingsOf(path: string, outcome: SaveOutcome, isNew: boolean): Finding[] {
  // A new record never becomes the one that has its key, whosoever child that is.
  const isTaken = isNew && (outcome.outcome === 'skipped' || (outcome.outcome === 'failed' && outcome.reason === 'otherParent'))
  if (isTaken) {
    const holder = outcome.eiRecordId === undefined ? 'A record' : `Record ${outcome.eiRecordId}`
    return [
      finding(`${path}.key1`, `${holder} has this key already. What is there is changed by its eiRecordId.`, { code: 'already_exists' }),
    ]
  }
  if (outcome.outcome !== 'failed') return []
  const code = codeOf(outcome.reason)
  return outcome.errors.map((one) => inForm(path, code === undefined ? one : { ...one, code }))
}

async function saveAll(
  context: TxContext,
  frame: WriteFrame,
  rows: readonly { readonly row: UnderstoodRow; readonly wish: SaveWish }[],
  findings: Finding[],
): Promise<{ saved: (SavedRow | undefined)[]; jobIds: number[] }> {
  const outcomes = await saveRows(
    context,
    frame,
    rows.map(({ wish }) => wish),
  )
  const jobIds: number[] = []
  const saved = outcomes.map((outcome, index) => {
    const { row } = rows[index] ?? {}
    const wrong = row ? findingsOf(row.path, outcome, row.id === undefined) : []
    findings.push(...wrong)
    if (outcome.outcome === 'failed' || wrong.length > 0) return undefined
    jobIds.push(...(outcome.jobIds ?? []))
    return { id: outcome.eiRecordId, outcome: outcome.outcome }
  })
  return { saved, jobIds }
}

/** Rows that would not be among those of their section any more, or never were. */
async function refuseStrays(context: TxContext, { plan, rows }: SavedList, findings: Finding[]): Promise<void> {
  const { within = [] } = plan.list
  const ids = rows.map(({ id }) => id)
  if (within.length === 0 || ids.length === 0) return
  const wanted = {
    filters: [withId(ids), ...within],
    shown: showing([]),
    withValues: false,
    limit: ids.length,
    bytes: Number.MAX_SAFE_INTEGER,
  }
  const { records } = await readInHand(context, plan.frame, wanted)
  const found = new Set(records.map(({ id }) => id))
  rows.forEach(({ id }, index) => {
    if (!found.has(id))
      findings.push(finding(plan.rows[index]?.path ?? plan.path, `The row does not fulfil the filter of ${plan.list.name}.`))
  })
}

/** Whether there are as many rows as the form asks for. A list that is not spoken of has none in a new record. */
async function refuseCounts(
  context: TxContext,
  list: ReadyList,
  plan: ListPlan | undefined,
  id: number,
  findings: Finding[],
): Promise<void> {
  const { min, max } = list.section
  const path = plan?.path ?? `$.sections.${list.name}`
  const filters = list.within && [under(id), ...list.within]
  const count = plan && filters ? await countRowsOf(context, plan.frame, { filters }, max + 1) : 0
  const rows = (number: number) => `${number} ${number === 1 ? 'row' : 'rows'}`
  if (count < min) findings.push(finding(`${path}.rows`, `${list.name} takes at least ${rows(min)}, and this makes ${count}.`))
  if (count > max) findings.push(finding(`${path}.rows`, `${list.name} takes at most ${rows(max)}. Leave some out.`))
}

async function saveList(
  context: TxContext,
  { plan, rows }: { readonly plan: ListPlan; readonly rows: readonly DecidedRow[] },
  id: number,
  findings: Finding[],
): Promise<{ list: SavedList; jobIds: number[] }> {
  const { frame, deleted } = plan
  if (deleted.length > 0) await deleteRecords(context, frame, deleted, false)
  const placed = rows.map(({ understood, decision }) => ({ understood: { ...understood, parentId: id }, decision }))
  const wishes = await wishesOf(plan.list.entity, placed)
  const sent = wishes.flatMap((wish, index) => {
    const row = placed[index]?.understood
    return row ? [{ row, wish }] : []
  })
  const { saved, jobIds } = await saveAll(context, frame, sent, findings)
  const list = { plan, rows: saved.filter((one) => one !== undefined) }
  if (list.rows.length === saved.length) await refuseStrays(context, list, findings)
  return { list, jobIds }
}

/** Tells outside of what came in through a form, unless everything was as it is already. */
async function tellSubmitted(
  context: TxContext,
  { formId, internalName }: OpenForm,
  frame: WriteFrame,
  own: SavedRow,
  lists: readonly SavedList[],
): Promise<void> {
  const isNews =
    own.outcome !== 'skipped' || lists.some(({ rows, plan }) => plan.deleted.length > 0 || rows.some((row) => row.outcome !== 'skipped'))
  if (!isNews) return
  const version = await inRecords(context.tx, context.tenantId, () => findVersion(context.tx, frame, own.id))
  tell(context, 'form.submitted', { formId, form: internalName }, { entityId: frame.entity.entityId, eiRecordId: own.id, version })
}

/** Writes what can be written, and tells what cannot, and what the form would not have so. */
export async function saveDecided(
  context: TxContext,
  form: OpenForm,
  { frame, primary, isNew, decided, isMulti }: Saving,
  findings: Finding[],
): Promise<Saved | undefined> {
  const { ready } = form
  const [wish] = await wishesOf(ready.entity, [{ understood: primary, decision: decided.primary }])
  const { saved, jobIds } = await saveAll(context, frame, wish ? [{ row: primary, wish }] : [], findings)
  const [own] = saved
  // Rows of a record that is not there cannot be tried; those of one that stays as it is can.
  const id = own?.id ?? primary.id
  if (id === undefined) return undefined
  const lists: SavedList[] = []
  for (const list of decided.lists) {
    const done = await saveList(context, list, id, findings)
    lists.push(done.list)
    jobIds.push(...done.jobIds)
  }
  const { lock } = ready
  if (own && (lock === undefined || lock.length > 0)) {
    const isWithin = lock !== undefined && (await countRowsOf(context, frame, { filters: [withId([id]), ...lock] }, 1)) > 0
    if (!isWithin) findings.push(finding(primary.path, 'The record would not fulfil the lock of the form, which then would not reach it.'))
  }
  for (const list of isMulti ? ready.lists : []) {
    const named = lists.find(({ plan }) => plan.list === list)?.plan
    if (decided.isVisible(list.name) && (named || isNew)) await refuseCounts(context, list, named, id, findings)
  }
  if (own) await tellSubmitted(context, form, frame, own, lists)
  return own && { ...own, frame, jobIds, lists }
}
