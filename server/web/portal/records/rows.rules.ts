/** The rows of a form's list while somebody types: what is shown of them, what of them is sent, and where what the API says of them stands. */
import { changesOf, differingIn, type Draft, type DraftField, draftOf, rebasedDraft, type Value, type Zoned } from './draft.rules.ts'

export interface RowDraft {
  /** On this page alone. */
  readonly id: number
  readonly eiRecordId: number | undefined
  readonly rowHash: string | undefined
  readonly before: Draft
  readonly now: Draft
}

export interface ListDraft {
  readonly rows: readonly RowDraft[]
  /** Records that are to go. */
  readonly deleted: readonly number[]
}

interface Saved {
  readonly eiRecordId: number
  readonly rowHash: string
  readonly data: Readonly<Record<string, unknown>>
}

/** As it is opened: the rows that are there, then empty ones up to the least that the form wants of a new record. */
export function openedList(fields: readonly DraftField[], saved: readonly Saved[], least: number, zoned: Zoned): ListDraft {
  const rows = saved.map(({ eiRecordId, rowHash, data }, at): RowDraft => {
    const before = draftOf(fields, data, zoned)
    return { id: at + 1, eiRecordId, rowHash, before, now: before }
  })
  return Array.from({ length: Math.min(least, 20) - rows.length }).reduce<ListDraft>(withRow, { rows, deleted: [] })
}

export function withRow({ rows, deleted }: ListDraft): ListDraft {
  const id = Math.max(0, ...rows.map((row) => row.id)) + 1
  return { rows: [...rows, { id, eiRecordId: undefined, rowHash: undefined, before: {}, now: {} }], deleted }
}

export function withoutRow({ rows, deleted }: ListDraft, id: number): ListDraft {
  const gone = rows.find((row) => row.id === id)?.eiRecordId
  return { rows: rows.filter((row) => row.id !== id), deleted: gone === undefined ? deleted : [...deleted, gone] }
}

/** What is typed in a row, changed; a row that was taken away meanwhile stays away. */
export function withChange({ rows, deleted }: ListDraft, id: number, change: (now: Draft) => Draft): ListDraft {
  return { rows: rows.map((row) => (row.id === id ? { ...row, now: change(row.now) } : row)), deleted }
}

/**
 * What was typed, on top of the rows as they are saved by now; undefined where nobody changed one of them meanwhile. A row that is gone stays as a new one
 * where something was typed in it, and goes where nothing was. `isAll`: the rows that are told are all there are.
 */
export function rebasedList(
  fields: readonly DraftField[],
  { rows, deleted }: ListDraft,
  saved: readonly Saved[],
  { isAll, ...zoned }: Zoned & { readonly isAll: boolean },
): ListDraft | undefined {
  const held = new Map(saved.map((one) => [one.eiRecordId, one]))
  const isGone = (eiRecordId: number | undefined) => eiRecordId !== undefined && isAll && !held.has(eiRecordId)
  const isChanged = ({ eiRecordId, rowHash }: RowDraft) =>
    isGone(eiRecordId) || (eiRecordId !== undefined && (held.get(eiRecordId)?.rowHash ?? rowHash) !== rowHash)
  if (!rows.some(isChanged) && !deleted.some(isGone)) return undefined
  const rebased = rows.flatMap((row): RowDraft[] => {
    const { eiRecordId, before, now } = row
    if (isGone(eiRecordId))
      return differingIn(fields, before, now).length === 0 ? [] : [{ ...row, eiRecordId: undefined, rowHash: undefined, before: {} }]
    const there = eiRecordId === undefined ? undefined : held.get(eiRecordId)
    if (!there) return [row]
    const data = draftOf(fields, there.data, zoned)
    return [{ ...row, rowHash: there.rowHash, before: data, now: rebasedDraft(fields, before, now, data) }]
  })
  return { rows: rebased, deleted: deleted.filter((eiRecordId) => !isGone(eiRecordId)) }
}

interface SentRow {
  readonly eiRecordId?: number
  readonly expectedRowHash?: string
  readonly values: Record<string, Value>
}

export interface SentList {
  readonly rows: readonly SentRow[]
  readonly deletedEIRecordIds: readonly number[]
  /** For each row that is sent its id on this page: the API tells rows by their places. */
  readonly ids: readonly number[]
}

/** What is sent of a list: rows that are new or changed, and those that go. `shownOf` are the fields that a row asks about; undefined: nothing changed. */
export function sentList(
  { rows, deleted }: ListDraft,
  shownOf: (row: RowDraft) => readonly DraftField[],
  zoned: Zoned,
): SentList | undefined {
  const sent = rows.flatMap((row) => {
    const { id, eiRecordId, rowHash, before, now } = row
    const values = changesOf(shownOf(row), before, now, zoned)
    if (eiRecordId !== undefined && Object.keys(values).length === 0) return []
    const named = eiRecordId === undefined ? {} : { eiRecordId, ...(rowHash === undefined ? {} : { expectedRowHash: rowHash }) }
    return [{ id, row: { ...named, values } }]
  })
  if (sent.length + deleted.length === 0) return undefined
  return { rows: sent.map(({ row }) => row), deletedEIRecordIds: deleted, ids: sent.map(({ id }) => id) }
}

export interface Place {
  /** Of a list; undefined: of the record itself. */
  readonly section?: string
  readonly row?: number
  readonly field?: string
}

/** Where the path of an issue points to in what was sent. */
export function placeOf(path: string): Place {
  const own = /^\$(?:\.primary)?\.(?:values|data)\.(\w+)/.exec(path)
  if (own?.[1] !== undefined) return { field: own[1] }
  const [, section, row, field] = /^\$\.sections\.([^.[]+)(?:\.rows\[(\d+)\](?:\.values\.(\w+))?)?/.exec(path) ?? []
  if (section === undefined) return {}
  return { section, ...(row === undefined ? {} : { row: Number(row) }), ...(field === undefined ? {} : { field }) }
}
