/** The control of one field: what a value of its type is entered with. */
import { useId, useRef } from 'preact/hooks'

import { TroubleNote } from '../parts/trouble.tsx'
import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { holds } from '../me.ts'
import { texts } from '../texts/index.ts'
import { FileLink } from './files.tsx'
import type { AskedField } from './forms.ts'
import { isChoice, isFile, isNumber } from './kinds.ts'

const words = texts.records

interface ControlFacts {
  readonly field: AskedField
  readonly isNeeded: boolean
  readonly options: AskedField['options']
  readonly value: readonly string[]
  readonly onValue: (value: readonly string[]) => void
  /** What the API said of it. */
  readonly issue?: string | undefined
}

interface Labelled {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

const inputTypes: Readonly<Record<string, 'date' | 'time' | 'datetime-local'>> = {
  DateOnly: 'date',
  TimeOnly: 'time',
  DateTime: 'datetime-local',
}

async function upload(file: File, propertyId: number | undefined): Promise<string> {
  const form = new FormData()
  if (propertyId !== undefined) form.append('propertyId', String(propertyId))
  form.append('file', file, file.name)
  // The document describes the parts; the browser writes the form itself.
  const sent = api.POST('/api/v1/assets', { body: form as never, bodySerializer: () => form, headers: once() })
  return (await dataOf(sent)).assetKey
}

function Files({ field, value, onValue, labelled }: Pick<ControlFacts, 'field' | 'value' | 'onValue'> & { labelled: Labelled }) {
  const act = useAct()
  const latest = useRef(value)
  latest.current = value
  const accept = field.accept.map((extension) => `.${extension}`).join(',')
  return (
    <>
      <ul class="entries">
        {value.map((assetKey) => (
          <li key={assetKey}>
            <div>
              <FileLink assetKey={assetKey} />
            </div>
            {!field.isReadOnly && (
              <button type="button" onClick={() => onValue(value.filter((one) => one !== assetKey))}>
                {texts.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      {!field.isReadOnly && holds('FileEdit') && (
        <input
          {...labelled}
          type="file"
          multiple={field.isList}
          accept={accept}
          aria-busy={act.isBusy}
          // One choice after the other: what was chosen meanwhile would not be sent.
          onClick={(event) => (act.isBusy ? event.preventDefault() : undefined)}
          onChange={(event) => {
            const input = event.currentTarget
            const chosen = [...(input.files ?? [])]
            void act.run(async () => {
              // The browser sends no form with what is not valid: the record is not saved without the file.
              input.setCustomValidity(words.uploading)
              try {
                const keys: string[] = []
                for (const file of chosen) keys.push(await upload(file, field.propertyId))
                onValue(field.isList ? [...latest.current, ...keys] : keys.slice(-1))
              } finally {
                input.setCustomValidity('')
                input.value = ''
              }
            })
          }}
        />
      )}
      {act.isBusy && (
        <p class="muted" role="status">
          {words.uploading}
        </p>
      )}
      {!field.isReadOnly && !holds('FileEdit') && <p class="muted">{words.noUpload}</p>}
      <TroubleNote trouble={act.trouble} />
    </>
  )
}

function Ticks({ field, options, value, onValue }: ControlFacts) {
  return (
    <ul class="plain ticks tight">
      {options.map(({ internalName, name }) => (
        <li>
          <label>
            <input
              type="checkbox"
              disabled={field.isReadOnly}
              checked={value.includes(internalName)}
              onChange={(event) =>
                onValue(event.currentTarget.checked ? [...value, internalName] : value.filter((one) => one !== internalName))
              }
            />
            <span>{name}</span>
          </label>
        </li>
      ))}
    </ul>
  )
}

export function FieldControl(facts: ControlFacts) {
  const { field, isNeeded, options, value, onValue, issue } = facts
  const id = useId()
  const hint = [field.help, field.isList && !isChoice(field.type) && !isFile(field.type) ? words.onePerLine : undefined]
    .filter(Boolean)
    .join(' ')
  const label = (
    <>
      {field.label}
      {isNeeded && <span aria-hidden="true"> *</span>}
    </>
  )
  const describedBy = [hint === '' ? '' : `${id}-hint`, issue === undefined ? '' : `${id}-issue`].filter(Boolean).join(' ')
  const labelled = { id, 'aria-describedby': describedBy === '' ? undefined : describedBy, 'aria-invalid': issue !== undefined }
  const shared = { ...labelled, required: isNeeded && !isFile(field.type), disabled: field.isReadOnly }
  const small = (
    <>
      {hint !== '' && <small id={`${id}-hint`}>{hint}</small>}
      {issue !== undefined && (
        <small id={`${id}-issue`} class="issue">
          {issue}
        </small>
      )}
    </>
  )

  // A list of options is a group of its own; all else is one control with its label.
  if (isChoice(field.type) && field.isList && field.optionCount === 0) {
    return (
      <fieldset>
        <legend>{label}</legend>
        {small}
        <Ticks {...facts} />
      </fieldset>
    )
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {small}
      <OneControl
        facts={facts}
        shared={shared}
        labelled={labelled}
        options={options}
        onText={(text) => onValue(field.isList ? text.split('\n') : text === '' ? [] : [text])}
        value={value}
      />
    </div>
  )
}

interface OneFacts {
  readonly facts: ControlFacts
  readonly labelled: Labelled
  readonly shared: Labelled & { readonly required: boolean; readonly disabled: boolean }
  readonly options: AskedField['options']
  readonly value: readonly string[]
  readonly onText: (text: string) => void
}

function OneControl({ facts: { field, onValue }, labelled, shared, options, value, onText }: OneFacts) {
  if (isFile(field.type)) return <Files field={field} value={value} onValue={onValue} labelled={labelled} />
  const [first = ''] = value
  if (field.type === 'Boolean' && !field.isList) {
    return (
      <select {...shared} value={first} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">–</option>
        <option value="true">{texts.yes}</option>
        <option value="false">{texts.no}</option>
      </select>
    )
  }
  if (isChoice(field.type) && !field.isList && field.optionCount === 0) {
    return (
      <select {...shared} value={first} onChange={(event) => onText(event.currentTarget.value)}>
        <option value="">{words.choose}</option>
        {options.map(({ internalName, name }) => (
          <option value={internalName}>{name}</option>
        ))}
      </select>
    )
  }
  if (field.isList || field.isLong) {
    return <textarea {...shared} rows={4} value={value.join('\n')} onInput={(event) => onText(event.currentTarget.value)} />
  }
  const isNumeric = isNumber(field.type)
  return (
    <>
      <input
        {...shared}
        type={inputTypes[field.type] ?? 'text'}
        {...(isNumeric ? { inputMode: 'decimal' as const } : {})}
        {...(field.optionCount > 0 ? { list: `${shared.id}-options` } : {})}
        value={first}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {field.optionCount > 0 && (
        <datalist id={`${shared.id}-options`}>
          {options.map(({ internalName, name }) => (
            <option value={internalName}>{name}</option>
          ))}
        </datalist>
      )}
    </>
  )
}
