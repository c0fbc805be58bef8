/** The rows of a form's list on the page of its record: folded where they are there already, added, changed and taken away. */
import { useId } from 'preact/hooks'

import { holds } from '../me.ts'
import { texts } from '../texts/index.ts'
import type { Draft } from './draft.rules.ts'
import { FieldControl } from './field-control.tsx'
import type { AskedList } from './forms.ts'
import { type ListDraft, type RowDraft, withChange, withoutRow, withRow } from './rows.rules.ts'
import { type Above, isAsked, isNeeded, optionsNow } from './shown.rules.ts'
import { telling } from './telling.ts'

const words = texts.records

/** What the API said of a row, by field; of the row itself under ''. */
export type RowIssues = Readonly<Record<string, string>>

/** A row in one line. */
function summaryOf({ fields, columns }: AskedList, now: Draft): string {
  const told = columns.flatMap((column) => {
    const field = fields.find(({ name }) => name === column)
    const text = field ? telling(field, now[column] ?? []) : ''
    return text === '' ? [] : [text]
  })
  return told.join(' · ')
}

function Row({
  list,
  row,
  place,
  above,
  issues,
  onNow,
  onRemove,
}: {
  list: AskedList
  row: RowDraft
  place: number
  above: Above
  issues: RowIssues
  /** A change of what is there by then: a file may be on its way while other things are typed. */
  onNow: (change: (now: Draft) => Draft) => void
  onRemove: () => void
}) {
  const { now } = row
  const isNew = row.eiRecordId === undefined
  const isOpen = isNew || Object.keys(issues).length > 0
  const mayEdit = isNew || list.allowEdit
  const mayRemove = isNew || (list.allowDelete && holds('DataDelete'))
  const name = words.rowNumber(list.title, place)
  return (
    <details class="card" open={isOpen}>
      <summary>
        {name}
        {summaryOf(list, now) !== '' && `: ${summaryOf(list, now)}`}
      </summary>
      <div role="group" aria-label={name}>
        {issues[''] !== undefined && <p class="issue">{issues['']}</p>}
        {list.fields
          .filter((field) => isAsked(field, list.fields, now, above))
          .map((field) => (
            <FieldControl
              key={field.name}
              field={mayEdit ? field : { ...field, isReadOnly: true }}
              isNeeded={isNeeded(field, list.fields, now, above)}
              options={optionsNow(field, list.fields, now, above)}
              value={now[field.name] ?? []}
              issue={issues[field.name]}
              onValue={(value) => onNow((at) => ({ ...at, [field.name]: value }))}
            />
          ))}
        {mayRemove && (
          <p class="acts">
            <button type="button" aria-label={`${texts.remove}: ${name}`} onClick={onRemove}>
              {texts.remove}
            </button>
          </p>
        )}
      </div>
    </details>
  )
}

export function ListSection({
  list,
  draft,
  above,
  hasMore,
  issuesOf,
  onDraft,
}: {
  list: AskedList
  draft: ListDraft
  above: Above
  /** Rows that the answer had no room for. */
  hasMore: boolean
  issuesOf: (row: RowDraft) => RowIssues
  onDraft: (change: (draft: ListDraft) => ListDraft) => void
}) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 class="section" id={id}>
        {list.title}
      </h2>
      {draft.rows.map((row, at) => (
        <Row
          key={row.id}
          list={list}
          row={row}
          place={at + 1}
          above={above}
          issues={issuesOf(row)}
          onNow={(change) => onDraft((held) => withChange(held, row.id, change))}
          onRemove={() => onDraft((held) => withoutRow(held, row.id))}
        />
      ))}
      {draft.rows.length === 0 && <p class="muted">{words.noRows}</p>}
      {hasMore && <p class="muted">{words.moreRows}</p>}
      {list.allowAdd && draft.rows.length < list.max && (
        <p class="acts">
          <button type="button" onClick={() => onDraft(withRow)}>
            {words.addRow(list.title)}
          </button>
        </p>
      )}
    </section>
  )
}
