/** One field of a form as HTML: its name, its help, what is wrong with it, and the control of its kind. Whole without script. */
import type { ShownField, ShownOption } from '#tools/forms/links/shown-form.schema.ts'

import { fromLocal } from './local-time.rules.ts'
import { controlName, elementId, type Place } from './names.rules.ts'
import { escape } from './page.ts'
import type { Texts } from './texts.ts'
import { type Entered, isFile } from './typed.rules.ts'

export interface FieldView {
  readonly field: ShownField
  readonly place: Place
  readonly entered: Entered
  readonly error: string | undefined
  readonly texts: Texts
  /** Nobody has sent anything yet. */
  readonly isPresent: boolean
  /** Of the times that are shown. */
  readonly zone: string
}

const boxesAtMost = 40

/** Attributes, those that are absent left out. */
export function attributes(of: Readonly<Record<string, string | number | boolean | undefined>>): string {
  return Object.entries(of)
    .map(([name, value]) =>
      value === undefined || value === false ? '' : value === true ? ` ${name}` : ` ${name}="${escape(String(value))}"`,
    )
    .join('')
}

function inputTypeOf({ control, dataType }: ShownField): { type: string; inputmode?: string; autocapitalize?: string } {
  if (dataType === 'DateOnly') return { type: 'date' }
  if (dataType === 'DateTime') return { type: 'datetime-local' }
  if (dataType === 'TimeOnly') return { type: 'time' }
  if (dataType === 'Number' || dataType === 'Currency') return { type: 'number', inputmode: 'decimal' }
  if (control === 'email') return { type: 'email', autocapitalize: 'none' }
  if (control === 'phone') return { type: 'tel' }
  if (control === 'url') return { type: 'url', autocapitalize: 'none' }
  return { type: 'text' }
}

const isText = ({ dataType }: ShownField) => dataType === 'Text'
const isChoice = ({ dataType }: ShownField) => dataType === 'Choice' || dataType === 'Hierarchy'

/** Options as people read them: those of a tree with the way that leads to them. */
function optionLabels(options: readonly ShownOption[]): { readonly value: string; readonly label: string }[] {
  const byName = new Map(options.map((option) => [option.internalName, option]))
  return options.map((option) => {
    const way = [option.name]
    for (let up = byName.get(option.parent ?? ''); up && way.length < 20; up = byName.get(up.parent ?? '')) way.unshift(up.name)
    return { value: option.internalName, label: way.join(' › ') }
  })
}

interface Shown {
  readonly html: string
  /** Several controls under one name, which then stands in a legend. */
  readonly isGroup: boolean
}

/** What all controls of the field share. */
interface Common {
  readonly id: string
  readonly name: string
  readonly values: readonly string[]
  readonly described: string | undefined
  readonly isInvalid: boolean
  /** As the browser itself is to hold it: not where it depends on other answers, which it does not know. */
  readonly isRequired: boolean
  /** The instant that it shows, of the record and not of somebody's answer. */
  readonly utc: string | undefined
}

function textControl(field: ShownField, { id, name, values, described, isInvalid, isRequired, utc }: Common): string {
  const common = { id, name, 'aria-describedby': described, 'aria-invalid': isInvalid ? 'true' : undefined, required: isRequired }
  const limits = isText(field) ? { minlength: field.minimum, maxlength: field.maxLength } : {}
  if (field.isList) return `<textarea${attributes({ ...common, rows: 4 })}>\n${escape(values.join('\n'))}</textarea>`
  // A control of one line would glue the lines of a value together.
  if (field.control === 'longText' || (isText(field) && /[\r\n]/.test(values[0] ?? '')))
    return `<textarea${attributes({ ...common, ...limits, rows: 5 })}>\n${escape(values[0] ?? '')}</textarea>`
  const kind = inputTypeOf(field)
  const step = field.maxDecimalPlaces === undefined ? 'any' : String(10 ** -field.maxDecimalPlaces)
  const numeric = kind.type === 'number' ? { min: field.minimum, max: field.maximum, step } : {}
  return `<input${attributes({ ...kind, ...common, ...limits, ...numeric, value: values[0] ?? '', 'data-utc': utc })}>`
}

function boxes(kind: 'radio' | 'checkbox', options: readonly { value: string; label: string }[], common: Common): string {
  const { id, name, values, isRequired } = common
  const chosen = new Set(values)
  const items = options.map(({ value, label }, at) => {
    const own = attributes({
      type: kind,
      id: at === 0 ? id : `${id}-${at}`,
      name,
      value,
      checked: chosen.has(value),
      required: kind === 'radio' && isRequired,
    })
    return `<label class="pick"><input${own}><span>${escape(label)}</span></label>`
  })
  return `<div class="picks">${items.join('')}</div>`
}

function choiceControl(field: ShownField, common: Common, texts: Texts): Shown {
  const options = optionLabels(field.options ?? [])
  const wantsBoxes = field.control === 'radio' || field.control === 'checkboxes'
  if (field.isList && (wantsBoxes || options.length <= boxesAtMost)) return { html: boxes('checkbox', options, common), isGroup: true }
  if (!field.isList && field.control === 'radio' && options.length <= boxesAtMost) {
    const none = common.isRequired || field.isRequired ? [] : [{ value: '', label: '–' }]
    return { html: boxes('radio', [...options, ...none], common), isGroup: true }
  }
  const { id, name, values, described, isInvalid, isRequired } = common
  const own = attributes({
    id,
    name,
    multiple: field.isList,
    size: field.isList ? Math.min(8, Math.max(2, options.length)) : undefined,
    'aria-describedby': described,
    'aria-invalid': isInvalid ? 'true' : undefined,
    required: isRequired,
  })
  const first = field.isList ? '' : `<option value="">${texts.choose}</option>`
  const chosen = new Set(values)
  // By hand: there may be thousands of them.
  const rest = options.map(
    ({ value, label }) => `<option value="${escape(value)}"${chosen.has(value) ? ' selected' : ''}>${escape(label)}</option>`,
  )
  return { html: `<select${own}>${first}${rest.join('')}</select>`, isGroup: false }
}

function booleanControl(field: ShownField, common: Common, texts: Texts): Shown {
  const options = [
    { value: 'true', label: texts.yes },
    { value: 'false', label: texts.no },
  ]
  const none = field.isRequired ? [] : [{ value: '', label: '–' }]
  return { html: boxes('radio', [...options, ...none], common), isGroup: true }
}

const acceptOf: Readonly<Record<string, string>> = { photo: 'image/*', audio: 'audio/*', video: 'video/*' }

function fileControl({ field, place, entered, texts }: FieldView, common: Common): string {
  const { id, described, isInvalid } = common
  const kept = entered.get(controlName('a', place, field.property)) ?? []
  const name = controlName('f', place, field.property)
  const accept = field.capture?.accept
  const own = attributes({
    type: 'file',
    id,
    name,
    accept: accept && accept.length > 0 ? accept.map((one) => `.${one}`).join(',') : acceptOf[field.control],
    capture: field.capture?.source === 'camera' ? 'environment' : undefined,
    multiple: field.isList,
    'data-max-bytes': field.capture?.maxBytes,
    'data-max-edge': field.capture?.maxEdge,
    'aria-describedby': described,
    'aria-invalid': isInvalid ? 'true' : undefined,
    required: common.isRequired && kept.length === 0,
  })
  const hidden = kept.map((key) => `<input type="hidden" name="${controlName('a', place, field.property)}" value="${escape(key)}">`)
  const present = kept.length === 0 ? '' : `<p class="present">${texts.present(kept.length)}</p>`
  return `${hidden.join('')}${present}<input${own}>`
}

function signatureControl(view: FieldView, common: Common): string {
  const { field, place, texts, entered } = view
  const typed = controlName('n', place, field.property)
  const typedId = elementId(typed)
  // The pad appears where the script runs; the name and the file work without.
  return `<div class="pad" data-pad="${controlName('f', place, field.property)}" hidden>
<canvas aria-hidden="true" width="640" height="220"></canvas><p aria-hidden="true">${texts.signHere}</p><button type="button" class="clear">${texts.clear}</button></div>
<label class="sub" for="${typedId}">${texts.typedName}</label>
<input${attributes({ type: 'text', id: typedId, name: typed, maxlength: 200, autocomplete: 'name', 'aria-describedby': common.described, 'aria-invalid': common.isInvalid ? 'true' : undefined, value: entered.get(typed)?.[0] ?? '' })}>
${(entered.get(controlName('a', place, field.property)) ?? []).map((key) => `<input type="hidden" name="${controlName('a', place, field.property)}" value="${escape(key)}"><p class="present">${texts.present(1)}</p>`).join('')}`
}

function helpOf(field: ShownField, texts: Texts): string {
  const isTaken = isFile(field) && field.control !== 'signature'
  const limits = isTaken
    ? texts.fileLimits(Math.floor((field.capture?.maxBytes ?? 0) / 1024 / 1024), (field.capture?.accept ?? []).join(', '))
    : ''
  const each = field.isList && !isFile(field) && !isChoice(field) ? texts.onePerLine : ''
  return [field.help, each, limits, isTaken && field.capture?.source === 'camera' ? texts.takePhoto : '']
    .filter((text) => text !== undefined && text !== '')
    .join(' ')
}

/** What is shown of a value that nobody may change here. */
export function fixedText(field: ShownField, values: readonly string[], texts: Texts): string {
  if (isFile(field)) return values.length === 0 ? '–' : texts.present(values.length)
  const labels = new Map(optionLabels(field.options ?? []).map(({ value, label }) => [value, label]))
  const shown = values.map((value) => {
    if (field.dataType === 'Boolean') return value === 'true' ? texts.yes : texts.no
    return labels.get(value) ?? value.replace('T', ' ')
  })
  return shown.join(', ') || '–'
}

const jsonAttribute = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value))

/** Of the control that a person begins with. */
export function idOf(field: ShownField, place: Place): string {
  const part = isSignature(field) ? 'n' : isFile(field) ? 'f' : 'v'
  return elementId(controlName(part, place, field.property))
}

const isSignature = ({ dataType, control }: ShownField) => dataType === 'Signature' || control === 'signature'

/** The field, with what a script needs to follow the answers. */
export function fieldHtml(view: FieldView): string {
  const { field, place, entered, error, texts } = view
  const name = controlName('v', place, field.property)
  const id = idOf(field, place)
  const values = entered.get(isFile(field) ? controlName('a', place, field.property) : name) ?? []
  const wrapper = (content: string, tag: 'div' | 'fieldset') => {
    const own = attributes({
      class: `field span-${field.span}${error === undefined ? '' : ' wrong'}`,
      'data-field': name,
      'data-label': field.name,
      'data-type': field.dataType,
      'data-required': field.isRequired && !field.isReadOnly,
      'data-visible-when': jsonAttribute(field.visibleWhen),
      'data-required-when': jsonAttribute(field.requiredWhen),
      'data-fixed': field.isReadOnly ? JSON.stringify(field.value ?? null) : undefined,
    })
    return `<${tag}${own}>${content}</${tag}>`
  }
  if (field.isReadOnly) {
    return wrapper(
      `<p class="label" id="${id}-label">${escape(field.name)}</p><p class="fixed" aria-labelledby="${id}-label">${escape(fixedText(field, values, texts))} <small>(${texts.isFixed})</small></p>`,
      'div',
    )
  }
  const depends = field.visibleWhen === undefined ? '' : texts.dependent
  const help = [helpOf(field, texts), depends].filter((text) => text !== '').join(' ')
  const described = [help === '' ? '' : `${id}-help`, error === undefined ? '' : `${id}-error`].filter((one) => one !== '').join(' ')
  const common: Common = {
    id,
    name,
    values,
    described: described === '' ? undefined : described,
    isInvalid: error !== undefined,
    isRequired: field.isRequired && field.visibleWhen === undefined && place.section === undefined,
    // For a device whose clock is in another zone.
    utc: field.dataType === 'DateTime' && view.isPresent ? fromLocal(values[0] ?? '', view.zone) : undefined,
  }
  const shown: Shown = isSignature(field)
    ? { html: signatureControl(view, common), isGroup: true }
    : isFile(field)
      ? { html: fileControl(view, common), isGroup: false }
      : field.dataType === 'Boolean'
        ? booleanControl(field, common, texts)
        : isChoice(field)
          ? choiceControl(field, common, texts)
          : { html: textControl(field, common), isGroup: false }
  const star = `<span class="star" aria-hidden="true"${field.isRequired ? '' : ' hidden'}> *</span><span class="hidden"${field.isRequired ? '' : ' hidden'}> (${texts.required})</span>`
  const notes = `${help === '' ? '' : `<p class="help" id="${id}-help">${escape(help)}</p>`}<p class="error" id="${id}-error"${error === undefined ? ' hidden' : ''}>${escape(error ?? '')}</p>`
  if (shown.isGroup) {
    const legend = `<legend>${escape(field.name)}${star}</legend>`
    return wrapper(`${legend}${notes}${shown.html}`, 'fieldset').replace(
      '<fieldset',
      `<fieldset${attributes({ 'aria-describedby': common.described, id: `${id}-group` })}`,
    )
  }
  return wrapper(`<label for="${id}">${escape(field.name)}${star}</label>${notes}${shown.html}`, 'div')
}
