/** Making and changing a record, through a form of its entity where there is one, else by all of its properties. */
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'

import { fromLocal, toLocal } from '../../../pages/local-time.rules.ts'
import { useAct, useAnswer } from '../answers.ts'
import { once, Refusal } from '../client.ts'
import { ActForm, Choice, Line, Page } from '../parts/basics.tsx'
import { Shown, ShownPage } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'
import { ownZone } from '../times.ts'
import { changesOf, differingIn, draftOf, rebasedDraft } from './draft.rules.ts'
import { FieldControl } from './field-control.tsx'
import { type Asked, askedByEntity, askForm, listForms, type ReadThroughForm, readThroughForm } from './forms.ts'
import { type Kind, kindOf } from './kinds.ts'
import { ListSection, type RowIssues } from './list-section.tsx'
import { type RecordShown, readRecord } from './record-page.tsx'
import { type ListDraft, openedList, placeOf, rebasedList, type RowDraft, type SentList, sentList } from './rows.rules.ts'
import { saveRecord } from './saving.ts'
import { type Above, isAsked, isNeeded, optionsNow } from './shown.rules.ts'
import { telling } from './telling.ts'
import { recordAddress, titleIn } from './values.tsx'

const words = texts.records
const noRows: ListDraft = { rows: [], deleted: [] }

function zoned() {
  const zone = ownZone()
  return { toLocal: (iso: string) => toLocal(iso, zone), fromLocal: (local: string) => fromLocal(local, zone) }
}

/** A tab that is closed with something typed asks first. */
function useGuard(isDirty: boolean) {
  useEffect(() => {
    if (!isDirty) return undefined
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isDirty])
}

interface EditorFacts {
  readonly kind: Kind
  readonly record: RecordShown | undefined
  readonly asked: Asked
  /** The rows of the form's lists, as they were opened. */
  readonly sections: ReadThroughForm['sections']
}

function Editor({ kind, record: opened, asked, sections }: EditorFacts) {
  const act = useAct()
  const { route, query } = useLocation()
  const zone = useMemo(zoned, [])
  const [record, setRecord] = useState(opened)
  const before = useMemo(() => draftOf(asked.fields, record?.data ?? {}, zone), [asked, record])
  const [draft, setDraft] = useState(before)
  const [lists, setLists] = useState<Readonly<Record<string, ListDraft>>>(() =>
    Object.fromEntries(
      asked.lists.map(({ name, fields, min }) => [
        name,
        openedList(fields, sections[name]?.rows ?? [], record === undefined ? min : 0, zone),
      ]),
    ),
  )
  const [key, setKey] = useState('')
  const [isSaved, setSaved] = useState(false)
  const sending = useRef({ said: '', headers: once() })
  const [sent, setSent] = useState<Readonly<Record<string, SentList>>>({})
  const shown = asked.fields.filter((field) => isAsked(field, asked.fields, draft))
  const changes = changesOf(shown, before, draft, zone)
  const above: Above = { entity: asked.form === undefined ? kind.entity : asked.entity, fields: asked.fields, draft }
  const shownLists = asked.lists.filter((list) => isAsked(list, asked.fields, draft))
  const changedLists = Object.fromEntries(
    shownLists.flatMap(({ name, fields }) => {
      const rowFields = ({ now }: RowDraft) => fields.filter((field) => isAsked(field, fields, now, above))
      const changed = sentList(lists[name] ?? noRows, rowFields, zone)
      return changed ? [[name, changed] as const] : []
    }),
  )
  const isDirty = Object.keys(changes).length + Object.keys(changedLists).length > 0 || key !== ''
  useGuard(isDirty && !isSaved)
  // A name of its own is asked for where no property is the key, when the record is made.
  const asksKey = record === undefined && asked.fields.every(({ keyPart }) => keyPart === null)
  const issues = (act.trouble?.issues ?? []).map(({ path, message }) => ({ ...placeOf(path), message }))

  /** Where another changed the record meanwhile, what was typed is put on top of that, and told; saved once more it counts. */
  async function takeChanges({ eiRecordId, rowHash }: RecordShown): Promise<void> {
    const hasNewRows = await takeRows(eiRecordId)
    const now = await readRecord(kind.entity, String(eiRecordId))
    if (now.rowHash === rowHash) {
      if (hasNewRows) throw new Refusal({ code: 'conflict', detail: words.meanwhileRows })
      return
    }
    const held = draftOf(asked.fields, now.data, zone)
    setRecord(now)
    setDraft(rebasedDraft(asked.fields, before, draft, held))
    const told = differingIn(asked.fields, before, held).map((field) => ({
      label: field.label,
      value: telling(field, held[field.name] ?? []),
    }))
    throw new Refusal({ code: 'conflict', detail: words.meanwhile(told) })
  }

  /** The rows as they are by now, with what was typed on top; whether any was changed. */
  async function takeRows(eiRecordId: number): Promise<boolean> {
    if (asked.form === undefined || Object.keys(changedLists).length === 0) return false
    const saved = (await readThroughForm(asked.form, eiRecordId)).sections
    const rebased = shownLists.flatMap(({ name, fields }) => {
      const { rows = [], hasMore = false } = saved[name] ?? {}
      const list = rebasedList(fields, lists[name] ?? noRows, rows, { ...zone, isAll: !hasMore })
      return list ? [[name, list] as const] : []
    })
    setLists((held) => ({ ...held, ...Object.fromEntries(rebased) }))
    return rebased.length > 0
  }

  async function save(): Promise<number> {
    const parent = Number(query['parent'])
    const beginning = {
      ...(key.trim() === '' ? {} : { key1: key.trim() }),
      ...(Number.isSafeInteger(parent) && parent > 0 ? { parentEIRecordId: parent } : {}),
    }
    setSent(changedLists)
    // The same once more, after an answer that was lost say, is the same call.
    const said = JSON.stringify([asked.form, record?.rowHash, changes, beginning, changedLists])
    if (sending.current.said !== said) sending.current = { said, headers: once() }
    const { headers } = sending.current
    try {
      return await saveRecord({ entity: kind.entity, asked, record, changes, beginning, lists: changedLists, headers })
    } catch (error) {
      // A row that is gone is told as one that is none of the record.
      if (record && error instanceof Refusal && ['conflict', 'invalid_input', 'not_found'].includes(error.problem.code))
        await takeChanges(record)
      throw error
    }
  }

  function issuesOfRow(list: string, { id }: RowDraft): RowIssues {
    const row = sent[list]?.ids.indexOf(id) ?? -1
    const own = issues.filter((issue) => issue.section === list && issue.row === row && row !== -1)
    return Object.fromEntries(own.map(({ field = '', message }) => [field, message]))
  }

  return (
    <ActForm
      act={act}
      label={texts.save}
      onSend={async () => {
        const eiRecordId = record && !isDirty ? record.eiRecordId : await save()
        setSaved(true)
        route(recordAddress(kind.entity, eiRecordId))
      }}
    >
      <p class="muted">{words.needed}</p>
      {asksKey && <Line label={words.key} hint={words.keyHint} value={key} onValue={setKey} maxLength={200} />}
      {asked.order.map((name) => {
        const list = shownLists.find((one) => one.name === name)
        if (list) {
          return (
            <ListSection
              key={name}
              list={list}
              draft={lists[name] ?? noRows}
              above={above}
              hasMore={sections[name]?.hasMore === true}
              issuesOf={(row) => issuesOfRow(name, row)}
              onDraft={(change) => setLists((now) => ({ ...now, [name]: change(now[name] ?? noRows) }))}
            />
          )
        }
        const own = shown.filter(({ group }) => group === name)
        return (
          <>
            {own[0]?.section !== undefined && <h2 class="section">{own[0].section}</h2>}
            {own.map((field) => (
              <FieldControl
                key={field.name}
                field={field}
                isNeeded={isNeeded(field, asked.fields, draft)}
                options={optionsNow(field, asked.fields, draft)}
                value={draft[field.name] ?? []}
                issue={issues.find((issue) => issue.section === undefined && issue.field === field.name)?.message}
                onValue={(value) => setDraft((now) => ({ ...now, [field.name]: value }))}
              />
            ))}
          </>
        )
      })}
    </ActForm>
  )
}

export function EditPage() {
  const { entity = '', record } = useRoute().params
  const [chosen, setChosen] = useState<string>()
  const askAll = async () => {
    const [kind, found, forms] = await Promise.all([
      kindOf(entity),
      record === undefined ? undefined : readRecord(entity, record),
      listForms(entity, record === undefined),
    ])
    return { kind, found, forms }
  }
  const { loaded, reload } = useAnswer(askAll, `${entity}/${record ?? ''}`)
  return (
    <ShownPage of={loaded} reload={reload}>
      {({ kind, found, forms }) => {
        const form = chosen ?? forms[0]?.internalName ?? ''
        return (
          <Page title={found ? words.editTitle(titleIn(kind, found)) : words.createOf(kind.label)} lead={kind.label}>
            {forms.length > 0 && (
              <Choice
                label={words.form}
                value={form}
                onValue={setChosen}
                options={[
                  ...forms.map((one) => ({ value: one.internalName, label: one.description || one.internalName })),
                  { value: '', label: words.allProperties },
                ]}
              />
            )}
            <Asking key={form} kind={kind} record={found} form={form} />
          </Page>
        )
      }}
    </ShownPage>
  )
}

function Asking({ kind, record, form }: { kind: Kind; record: RecordShown | undefined; form: string }) {
  const ask = async (): Promise<Pick<EditorFacts, 'asked' | 'sections'>> => {
    if (form === '') return { asked: askedByEntity(kind), sections: {} }
    const asked = await askForm(form)
    const hasRows = record !== undefined && asked.lists.length > 0
    return { asked, sections: hasRows ? (await readThroughForm(form, record.eiRecordId)).sections : {} }
  }
  const { loaded, reload } = useAnswer(ask, form)
  return (
    <Shown of={loaded} reload={reload}>
      {(found) => <Editor kind={kind} record={record} {...found} />}
    </Shown>
  )
}
