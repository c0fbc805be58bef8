/** Making and changing a record, through a form of its entity where there is one, else by all of its properties. */
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useMemo, useState } from 'preact/hooks'

import { fromLocal, toLocal } from '../../../pages/local-time.rules.ts'
import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { ActForm, Choice, Line, Page, Shown } from '../parts/basics.tsx'
import { texts } from '../texts/index.ts'
import { ownZone } from '../times.ts'
import { changesOf, draftOf } from './draft.rules.ts'
import { FieldControl } from './field-control.tsx'
import { type Asked, askedByEntity, askForm, listForms } from './forms.ts'
import { type Kind, kindOf } from './kinds.ts'
import { type RecordShown, readRecord } from './record-page.tsx'
import { isAsked, isNeeded, optionsNow } from './shown.rules.ts'
import { recordAddress, titleOf } from './values.tsx'

const words = texts.records

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

function Editor({ kind, record, asked }: { kind: Kind; record: RecordShown | undefined; asked: Asked }) {
  const act = useAct()
  const { route, query } = useLocation()
  const zone = useMemo(zoned, [])
  const before = useMemo(() => draftOf(asked.fields, record?.data ?? {}, zone), [asked, record])
  const [draft, setDraft] = useState(before)
  const [key, setKey] = useState('')
  const [isSaved, setSaved] = useState(false)
  const shown = asked.fields.filter((field) => isAsked(field, asked.fields, draft))
  const changes = changesOf(shown, before, draft, zone)
  const isDirty = Object.keys(changes).length > 0 || key !== ''
  useGuard(isDirty && !isSaved)
  // A name of its own is asked for where no property is the key, when the record is made.
  const asksKey = record === undefined && asked.fields.every(({ keyPart }) => keyPart === null)

  async function save(): Promise<number> {
    const { entity } = kind
    const keys = key.trim() === '' ? {} : { key1: key.trim() }
    const parent = Number(query['parent'])
    const below = Number.isSafeInteger(parent) && parent > 0 ? { parentEIRecordId: parent } : {}
    // What the controls made is what the document calls values.
    const values = changes as Record<string, string | number | boolean | (string | number | boolean)[] | null>
    if (asked.form !== undefined) {
      const { form, layoutVersion: expectedLayoutVersion } = asked
      if (record === undefined) {
        const body = { ...keys, ...below, expectedLayoutVersion, values }
        return (await dataOf(api.POST('/api/v1/forms/{form}/records', { params: { path: { form } }, body, headers: once() }))).eiRecordId
      }
      const body = { expectedLayoutVersion, expectedRowHash: record.rowHash, values }
      const params = { path: { form, record: record.eiRecordId } }
      return (await dataOf(api.PUT('/api/v1/forms/{form}/records/{record}', { params, body }))).eiRecordId
    }
    if (record === undefined) {
      const body = { ...keys, ...below, importMode: 'insertOnly' as const, data: values }
      return (await dataOf(api.POST('/api/v1/entities/{entity}/instances', { params: { path: { entity } }, body, headers: once() })))
        .eiRecordId
    }
    const body = { expectedRowHash: record.rowHash, data: values }
    const params = { path: { entity, record: record.eiRecordId } }
    return (await dataOf(api.POST('/api/v1/entities/{entity}/instances/{record}', { params, body, headers: once() }))).eiRecordId
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
      {shown.map((field, at) => (
        <>
          {field.section !== undefined && field.section !== shown[at - 1]?.section && <h2 class="section">{field.section}</h2>}
          <FieldControl
            key={field.name}
            field={field}
            isNeeded={isNeeded(field, asked.fields, draft)}
            options={optionsNow(field, asked.fields, draft)}
            value={draft[field.name] ?? []}
            onValue={(value) => setDraft((now) => ({ ...now, [field.name]: value }))}
          />
        </>
      ))}
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
    <Shown of={loaded} reload={reload}>
      {({ kind, found, forms }) => {
        const form = chosen ?? forms[0]?.internalName ?? ''
        return (
          <Page title={found ? words.editTitle(titleOf(found)) : words.createOf(kind.label)} lead={kind.label}>
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
    </Shown>
  )
}

function Asking({ kind, record, form }: { kind: Kind; record: RecordShown | undefined; form: string }) {
  const { loaded, reload } = useAnswer<Asked>(async () => (form === '' ? askedByEntity(kind) : askForm(form)), form)
  return (
    <Shown of={loaded} reload={reload}>
      {(asked) => <Editor kind={kind} record={record} asked={asked} />}
    </Shown>
  )
}
