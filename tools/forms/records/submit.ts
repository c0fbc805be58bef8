/** Takes in what was entered into a form: the record and its rows, decided by the form and saved in one transaction, or not at all. */
import { inRecords } from '#platform/db/records.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { type Finding, finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { mustBeEntity } from '#tools/entities/service.ts'
import { entitiesBelow, findLiveByIds, findParents, type WriteFrame, writeFrame } from '#tools/instances/service.ts'
import type { ReadInHand } from '#tools/query/service.ts'

import { noSuchRecordInForm, readAbove, readOne, readRowsAsked, seenBy } from './around.ts'
import { type Deciding, decideAll } from './deciding.ts'
import { defaultsFor } from './defaults.ts'
import { understand, type UnderstoodRow, wishesOf } from './entries.ts'
import type { OpenForm } from './opened.ts'
import type { FormRow, MultiBody } from './records.schema.ts'
import { type Saved, saveDecided } from './saving.ts'
import { findNamedAgain, type ListPlan, namedLists, type NamedList, planList, type SectionsInput } from './sections.ts'

/** What is sent through a form. */
export interface Submission {
  /** The record that is changed; undefined: a new one. */
  readonly id: number | undefined
  readonly primary: FormRow
  /** Where that stands in the body. */
  readonly path: '$' | '$.primary'
  /** Undefined: of the record alone. */
  readonly sections: SectionsInput | undefined
  readonly expectedLayoutVersion: number | undefined
}

/** What a call on a record with its rows sends; `id` is the record that it changes. */
export function asSubmission(id: number | undefined, { primary, sections = {}, expectedLayoutVersion }: MultiBody): Submission {
  return { id, primary: { ...primary, values: primary?.values ?? {} }, path: '$.primary', sections, expectedLayoutVersion }
}

/** What came of it. Whoever asked throws where a finding is an error, so that nothing of it is kept. */
export interface Submitted {
  readonly findings: readonly Finding[]
  readonly saved: Saved | undefined
}

/** What the form refuses whatever is in it. */
function findRefusals({ layoutVersion, ready: { layout } }: OpenForm, submission: Submission): Finding[] {
  const { id, primary, path, sections } = submission
  const rows = Object.entries(sections ?? {}).flatMap(([name, { rows: some = [] }]) =>
    some.map((row, index) => ({ said: row.expectedLayoutVersion, at: `$.sections.${name}.rows[${index}]` })),
  )
  const versions = [{ said: submission.expectedLayoutVersion, at: '$' }, { said: primary.expectedLayoutVersion, at: path }, ...rows]
  const stale = versions.find(({ said }) => said !== undefined && said !== layoutVersion)
  if (stale) {
    const message = `The form was changed: its layout is version ${layoutVersion}, not ${stale.said}. Read it again with get_form_schema.`
    return [finding(`${stale.at}.expectedLayoutVersion`, message, { code: 'stale_layout' })]
  }
  if (id === undefined && !layout.allowNew) return [finding(path, 'The form makes no new records.', { code: 'forbidden' })]
  if (id !== undefined && !layout.allowEdit) return [finding(path, 'The form does not let records be changed.', { code: 'forbidden' })]
  return []
}

/** The frames of all that may be written, locked in one order. */
async function framesFor(context: TxContext, { ready }: OpenForm, lists: readonly NamedList[]) {
  const { entity } = ready
  const below = lists.flatMap((named) => ((named.said.deletedEIRecordIds ?? []).length > 0 ? [named.list.entity] : []))
  const frame = await writeFrame(
    context,
    (catalog) => mustBeEntity(catalog, entity.entityId),
    (catalog) => [...lists.map(({ list }) => list.entity.entityId), ...below.flatMap((one) => entitiesBelow(catalog, one))],
  )
  // The form was read against the catalog that the save is compiled for.
  if (frame.entity !== entity) throw new StaleRead('the catalog changed', async () => {})
  const frames = new Map<number, WriteFrame>([[entity.entityId, frame]])
  for (const { list } of lists) {
    const { entityId } = list.entity
    if (!frames.has(entityId)) frames.set(entityId, await writeFrame(context, (catalog) => mustBeEntity(catalog, entityId)))
  }
  return { frame, frameOf: (entityId: number) => frames.get(entityId) ?? frame }
}

/** The record as it is, held against other writers. Throws 404 where the form does not reach it. */
async function readBefore(context: TxContext, { ready }: OpenForm, frame: WriteFrame, id: number): Promise<ReadInHand> {
  const { tx, tenantId } = context
  if (!Number.isSafeInteger(id) || !ready.within) throw noSuchRecordInForm()
  await inRecords(tx, tenantId, () => findLiveByIds(tx, tenantId, ready.entity.entityId, [id], true))
  const read = await readOne(context, seenBy(frame), id, ready.within, [])
  if (!read) throw noSuchRecordInForm()
  return read
}

/** Whom a new record will stand under, as far as the call says it soundly. */
async function parentOf(context: TxContext, frame: WriteFrame, understood: UnderstoodRow): Promise<number | null> {
  const [wish] = await wishesOf(frame.entity, [{ understood, decision: undefined }])
  const found = wish && (await findParents(context, frame, [wish])).get(wish.index)
  return found?.parent?.id ?? null
}

async function readAround(
  context: TxContext,
  form: OpenForm,
  frame: WriteFrame,
  primary: UnderstoodRow,
  before: ReadInHand | undefined,
): Promise<Pick<Deciding, 'parentId' | 'above' | 'existing'>> {
  const { catalog, ready } = form
  const { above, rows } = ready.asked
  const saysParent = primary.row.parentEIRecordId !== undefined || primary.row.parentKey1 !== undefined
  const parentId = before && !saysParent ? before.parentId : above || !before ? await parentOf(context, frame, primary) : before.parentId
  const existing = new Map<number, readonly ReadInHand[]>()
  for (const entityId of before ? rows : [])
    existing.set(entityId, await readRowsAsked(context, catalog, mustBeEntity(catalog, entityId), before?.id ?? 0))
  return { parentId, above: above ? await readAbove(context, catalog, parentId) : undefined, existing }
}

/** Takes it in. Everything is written that can be; where a finding is an error, whoever called has the transaction undone. */
export async function submit(context: TxContext, form: OpenForm, submission: Submission): Promise<Submitted> {
  const refusals = findRefusals(form, submission)
  if (refusals.length > 0) return { findings: refusals, saved: undefined }
  const { ready } = form
  const { id, path, sections = {} } = submission
  const { bulkRows } = context.services.config.limits
  const count = Object.values(sections).reduce((sum, one) => sum + (one.rows?.length ?? 0) + (one.deletedEIRecordIds?.length ?? 0), 0)
  if (count > bulkRows) throw new AppError('too_large', `At most ${bulkRows} rows in one call, got ${count}.`)
  const findings: Finding[] = []
  const lists = namedLists(ready, sections, findings)
  const again = findNamedAgain(lists)
  if (again.length > 0) return { findings: again, saved: undefined }
  const { frame, frameOf } = await framesFor(context, form, lists)
  const before = id === undefined ? undefined : await readBefore(context, form, frame, id)
  const [primary] = await understand(ready.entity, ready.fieldOf, [{ row: submission.primary, path, id }])
  if (!primary) throw new Error('A record was not understood')
  const plans: ListPlan[] = []
  for (const named of lists) plans.push(await planList(context, { ...named, frame: frameOf(named.list.entity.entityId) }, id, findings))
  const defaults = [...ready.details, ...ready.lists].flatMap((part) => part.fields.map((field) => field.default))
  const around = await readAround(context, form, frame, primary, before)
  const decided = await decideAll(context, { ready, primary, before, plans, ...around, defaultOf: await defaultsFor(context, defaults) })
  findings.push(...primary.findings, ...decided.findings)
  const saved = await saveDecided(
    context,
    form,
    { frame, primary, isNew: id === undefined, decided, isMulti: submission.sections !== undefined },
    findings,
  )
  const told = new Map<string, Finding>()
  for (const one of findings) if (!told.has(one.path)) told.set(one.path, one)
  return { findings: [...told.values()], saved }
}

/** What was saved, where no finding is an error. */
export function mustBeSaved(saved: Saved | undefined): Saved {
  if (!saved) throw new Error('Nothing was wrong and nothing was saved')
  return saved
}
