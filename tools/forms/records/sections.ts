/** The rows of a form's lists, as they are sent: which there are, which are new, which go. */
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { type Finding, finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { findLiveByIds, findUndeletable, type WriteFrame } from '#tools/instances/service.ts'
import { readInHand, type ReadInHand } from '#tools/query/service.ts'

import { seenBy, showing, under, withId } from './around.ts'
import { understand, type UnderstoodRow } from './entries.ts'
import type { ReadyForm, ReadyList } from './ready.ts'
import type { SectionInput } from './records.schema.ts'

export type SectionsInput = Readonly<Record<string, SectionInput>>

/** A list that is spoken of. */
export interface NamedList {
  readonly list: ReadyList
  /** Where it stands in the body. */
  readonly path: string
  readonly said: SectionInput
}

export interface ListPlan extends NamedList {
  readonly frame: WriteFrame
  readonly rows: readonly UnderstoodRow[]
  /** What is there of the rows, by id. */
  readonly before: ReadonlyMap<number, ReadInHand>
  readonly deleted: readonly number[]
}

const maxBytes = 4 * 1024 * 1024

/** The lists of these names; a name that no list has is told. */
export function namedLists(form: ReadyForm, sections: SectionsInput, findings: Finding[]): NamedList[] {
  const known = form.lists.map((list) => list.name)
  const taken = new Set<ReadyList>()
  return Object.entries(sections).flatMap(([name, said]) => {
    const list = form.lists.find((one) => one.name.toLowerCase() === name.toLowerCase())
    const path = `$.sections.${name}`
    if (list && !taken.has(list)) {
      taken.add(list)
      return [{ list, path, said }]
    }
    const message = list
      ? `The section ${list.name} is named twice.`
      : `The form has no list section ${quoted(name)}. get_form_schema shows them.`
    findings.push(finding(path, message, { suggestion: list ? undefined : nearest(name, known) }))
    return []
  })
}

/**
 * Rows that another list names before. Each list is decided on its rows as they are, so that two of them could pass together what the form refuses; twice
 * in one list is told where the list is read and saved.
 */
export function findNamedAgain(lists: readonly NamedList[]): Finding[] {
  const namedIn = new Map<number, string>()
  const mentions = lists.flatMap(({ list, path, said: { rows = [], deletedEIRecordIds = [] } }) => [
    ...rows.map(({ eiRecordId: id }, index) => ({ id, list, at: `${path}.rows[${index}].eiRecordId` })),
    ...deletedEIRecordIds.map((id, index) => ({ id, list, at: `${path}.deletedEIRecordIds[${index}]` })),
  ])
  return mentions.flatMap(({ id, list, at }) => {
    if (id === undefined) return []
    const first = namedIn.get(id) ?? list.name
    namedIn.set(id, first)
    return first === list.name ? [] : finding(at, `${id} is named in ${first} already. Name a row once, with all that changes of it.`)
  })
}

/** Reads what is there of the rows that are named, held against other writers. */
async function readNamed(context: TxContext, plan: NamedList & { readonly frame: WriteFrame }, parentId: number, ids: readonly number[]) {
  const { tx, tenantId } = context
  const { frame, list } = plan
  if (ids.length === 0 || !list.within) return new Map<number, ReadInHand>()
  await inRecords(tx, tenantId, () => findLiveByIds(tx, tenantId, list.entity.entityId, ids, true))
  const { records, isCut } = await readInHand(context, seenBy(frame), {
    filters: [withId(ids), under(parentId), ...list.within],
    shown: showing([]),
    limit: ids.length,
    bytes: maxBytes,
  })
  if (isCut) throw new AppError('too_large', `The rows of ${list.name} are too large to be changed in one call. Send fewer at a time.`)
  return new Map(records.map((one) => [one.id, one]))
}

async function refuseDeletions(
  context: TxContext,
  { list, path, frame }: NamedList & { readonly frame: WriteFrame },
  ids: readonly number[],
  findings: Finding[],
): Promise<void> {
  const at = `${path}.deletedEIRecordIds`
  if (ids.length === 0) return
  const refuse = (message: string, place = at) => void findings.push(finding(place, message, { code: 'forbidden' }))
  if (!list.section.allowDelete) return refuse(`The form does not let rows of ${list.name} be deleted.`)
  if ((context.actor.roleFlag & roleBits.DataDelete) === 0) return refuse('Deleting rows takes the role DataDelete.')
  for (const [id, why] of await findUndeletable(context, frame, ids)) refuse(why ?? `${id} cannot be deleted.`, `${at}[${ids.indexOf(id)}]`)
}

/** What a list is to become. `parentId` is the record of the form; undefined: it is new. */
export async function planList(
  context: TxContext,
  named: NamedList & { readonly frame: WriteFrame },
  parentId: number | undefined,
  findings: Finding[],
): Promise<ListPlan> {
  const { list, path, said } = named
  const rows = said.rows ?? []
  const gone = said.deletedEIRecordIds ?? []
  const changed = rows.flatMap((row) => row.eiRecordId ?? [])
  const before =
    parentId === undefined ? new Map<number, ReadInHand>() : await readNamed(context, named, parentId, [...new Set([...changed, ...gone])])
  const isGone = new Set(gone)
  const noRow = (id: number) => `${id} is no row of ${list.name} of this record. get_form_record shows its rows.`
  const deleted = gone.filter((id, index) => {
    const message = !before.has(id) ? noRow(id) : gone.indexOf(id) < index ? `${id} is named twice.` : undefined
    if (message !== undefined) findings.push(finding(`${path}.deletedEIRecordIds[${index}]`, message))
    return message === undefined
  })
  await refuseDeletions(context, named, deleted, findings)
  const sent = rows.flatMap((row, index) => {
    const at = `${path}.rows[${index}]`
    const { eiRecordId: id, parentEIRecordId, parentKey1 } = row
    const say = (place: string, message: string, code?: 'forbidden') => {
      findings.push(finding(place, message, { code }))
      return []
    }
    if (id === undefined && !list.section.allowAdd) return say(at, `The form does not let rows be added to ${list.name}.`, 'forbidden')
    if (id !== undefined && !list.section.allowEdit) return say(at, `The form does not let rows of ${list.name} be changed.`, 'forbidden')
    if (id !== undefined && !before.has(id)) return say(`${at}.eiRecordId`, noRow(id))
    if (id !== undefined && isGone.has(id)) return say(`${at}.eiRecordId`, `${id} is to be changed and to be deleted. Leave one out.`)
    if (parentKey1 !== undefined || (parentEIRecordId !== undefined && parentEIRecordId !== parentId))
      return say(
        `${at}.${parentKey1 === undefined ? 'parentEIRecordId' : 'parentKey1'}`,
        'A row stands under the record of the form. Leave its parent out.',
      )
    return [{ row, path: at, id, parentId: parentId ?? 0 }]
  })
  return { ...named, rows: await understand(list.entity, list.fieldOf, sent), before, deleted }
}
