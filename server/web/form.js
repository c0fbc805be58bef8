/**
 * What the form of a signed link gains where script runs: fields that come and go with the answers, a draft that stays on the device, and an answer that
 * waits for the network. Without it the form is posted as it stands.
 */
import { openPad, showOnPad, signed, smaller } from './capture.js'
import { holds } from './conditions.js'
import { dropDraft, keepDraft, readDraft } from './draft.js'

const form = /** @type {HTMLFormElement} */ (document.getElementById('form'))
const said = /** @type {HTMLElement} */ (document.getElementById('said'))
const wrong = /** @type {HTMLElement} */ (document.getElementById('wrong'))
const words = form.dataset
const link = words.link ?? ''
const keyField = /** @type {HTMLInputElement} */ (form.elements.namedItem('k'))
const zoneField = /** @type {HTMLInputElement} */ (form.elements.namedItem('zone'))
/** Which button of a task was pressed. */
const actField = /** @type {HTMLInputElement | null} */ (form.elements.namedItem('act'))
const commentField = /** @type {HTMLTextAreaElement | null} */ (form.elements.namedItem('comment'))
/** Drawn signatures, by the names of their controls. @type {Map<string, File>} */
const drawn = new Map()
/** Files of a draft: a browser does not let a page put them back into their control. @type {Map<string, File[]>} */
const keptFiles = new Map()
let isWaiting = false
let isSending = false

/** @param {string} text */
const say = (text) => {
  if (said.textContent !== text) said.textContent = text
}

/** @template {Element} T @param {ParentNode} root @param {string} selector @returns {T[]} */
const all = (root, selector) => [.../** @type {NodeListOf<T>} */ (root.querySelectorAll(selector))]

// --- what is typed

/** @param {HTMLElement} field */
function textsOf(field) {
  /** @type {string[]} */
  const texts = []
  for (const control of all(field, 'input, select, textarea')) {
    if (control instanceof HTMLSelectElement) texts.push(...[...control.selectedOptions].map((option) => option.value))
    else if (control instanceof HTMLInputElement && /^(?:radio|checkbox)$/.test(control.type)) {
      if (control.checked) texts.push(control.value)
    } else if (control instanceof HTMLInputElement && control.type === 'file') {
      if ((control.files?.length ?? 0) > 0 || keptFiles.has(control.name)) texts.push('file')
    } else texts.push(/** @type {HTMLInputElement} */ (control).value)
  }
  for (const pad of all(field, '[data-pad]')) if (drawn.has(/** @type {HTMLElement} */ (pad).dataset.pad ?? '')) texts.push('drawn')
  return texts.filter((text) => text.trim() !== '')
}

/** @param {HTMLElement} field */
function answerOf(field) {
  const type = field.dataset.type ?? 'Text'
  if (field.dataset.fixed !== undefined) return { type, value: JSON.parse(field.dataset.fixed) }
  const texts = textsOf(field)
  const values = type === 'DateTime' ? texts.map((text) => new Date(text).toISOString()) : texts
  return { type, value: values.length > 1 ? values : values[0] }
}

/** A look at the answers from where a condition stands: its own row first, and the record around it. @param {Element} from */
function lookFrom(from) {
  const row = from.closest('.row')
  return (/** @type {string} */ property, /** @type {string | undefined} */ entity) => {
    if (entity !== undefined && row) return undefined
    const field = row
      ? row.querySelector(`[data-field$=":${CSS.escape(property)}"]`)
      : all(form, `[data-field="v:${CSS.escape(property)}"]`)[0]
    return field instanceof HTMLElement ? answerOf(field) : undefined
  }
}

/** @param {HTMLElement} field @param {boolean} isRequired */
function mark(field, isRequired) {
  field.dataset.isRequired = String(isRequired)
  for (const star of all(field, '.star, .star + .hidden')) /** @type {HTMLElement} */ (star).hidden = !isRequired
}

/** Shows and hides by the answers. What goes keeps what was typed, and is not sent. */
function follow() {
  for (const part of all(form, '[data-visible-when]')) {
    const one = /** @type {HTMLElement} */ (part)
    one.hidden = holds(JSON.parse(one.dataset.visibleWhen ?? 'null'), lookFrom(one)) === false
  }
  for (const part of all(form, '[data-field]')) {
    const field = /** @type {HTMLElement} */ (part)
    const isGone = field.closest('[hidden], [data-lost]') !== null
    for (const control of all(field, 'input, select, textarea')) /** @type {HTMLInputElement} */ (control).disabled = isGone
    const when = field.dataset.requiredWhen
    const isRequired = field.dataset.required !== undefined || (when !== undefined && holds(JSON.parse(when), lookFrom(field)) === true)
    if (field.dataset.fixed === undefined) mark(field, isRequired && !isGone)
  }
  for (const row of all(form, '.row')) row.classList.toggle('goes', row.querySelector('.remove input:checked') !== null)
}

// --- what is sent

/** Everything that would be posted now, files small enough to travel. @returns {Promise<[string, string | File][]>} */
async function entriesNow() {
  /** @type {[string, string | File][]} */
  const entries = []
  for (const [name, value] of new FormData(form).entries()) {
    if (typeof value === 'string') {
      entries.push([name, value])
      continue
    }
    if (value.size === 0 && value.name === '') continue
    const control = /** @type {HTMLInputElement | null} */ (form.querySelector(`input[name="${CSS.escape(name)}"]`))
    entries.push([name, await smaller(value, Number(control?.dataset.maxEdge ?? 0))])
  }
  for (const [name, files] of keptFiles) {
    const control = /** @type {HTMLInputElement | null} */ (form.querySelector(`input[name="${CSS.escape(name)}"]`))
    if (control && !control.disabled && control.files?.length === 0) for (const file of files) entries.push([name, file])
  }
  for (const [name, picture] of drawn) {
    const typed = /** @type {HTMLInputElement | null} */ (form.querySelector(`input[name="${CSS.escape(name.replace(/^f:/, 'n:'))}"]`))
    if (typed && !typed.disabled) entries.push([name, picture])
  }
  return entries
}

/** Whoever goes on has another answer in mind than the one that waits: that may have arrived unheard, and this one must not pass for it. */
function change() {
  if (isWaiting) keyField.value = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  isWaiting = false
  keepSoon()
}

let saving = 0
/** Keeps what is typed, soon after the last key. */
function keepSoon() {
  clearTimeout(saving)
  saving = window.setTimeout(() => void keepNow(), 250)
}
async function keepNow() {
  if (form.hidden) return
  await keepDraft(link, { version: words.version ?? '', key: keyField.value, entries: await entriesNow(), isWaiting })
}

/** @param {[string, string | File][]} entries */
async function toSend(entries) {
  const body = new FormData()
  const names = new Set(entries.map(([name]) => name))
  for (const [name, value] of entries) {
    const picture = name.startsWith('n:') && typeof value === 'string' && value.trim() !== '' ? name.replace(/^n:/, 'f:') : undefined
    // A name that was typed is drawn here; where somebody signed as well, the drawing counts.
    if (picture !== undefined && typeof value === 'string') {
      const file = names.has(picture) ? undefined : await signed(value.trim())
      if (file) body.append(picture, file, file.name)
    } else if (typeof value === 'string') body.append(name, value)
    else body.append(name, value, value.name)
  }
  body.set('do', 'send')
  return body
}

// --- what is wrong

/** @param {HTMLElement} field @param {string} [message] */
function tell(field, message) {
  const error = /** @type {HTMLElement | null} */ (field.querySelector('.error'))
  field.classList.toggle('wrong', message !== undefined)
  if (error) {
    error.hidden = message === undefined
    error.textContent = message ?? ''
  }
  for (const control of all(field, 'input, select, textarea')) {
    if (message === undefined) control.removeAttribute('aria-invalid')
    else control.setAttribute('aria-invalid', 'true')
    const notes = new Set((control.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== '' && id !== error?.id))
    if (message !== undefined && error) notes.add(error.id)
    if (notes.size > 0) control.setAttribute('aria-describedby', [...notes].join(' '))
  }
}

/** @param {HTMLElement} field */
const firstControl = (field) => /** @type {HTMLElement | null} */ (field.querySelector('input:not([type=hidden]), select, textarea'))

/** @param {{ field?: HTMLElement, message: string }[]} problems */
function showProblems(problems) {
  for (const field of all(form, '[data-field]')) tell(/** @type {HTMLElement} */ (field))
  wrong.replaceChildren()
  if (problems.length === 0) return
  const note = document.createElement('div')
  Object.assign(note, { className: 'note bad', id: 'problems', tabIndex: -1 })
  note.setAttribute('role', 'alert')
  const heading = document.createElement('h2')
  heading.textContent = (words.problems ?? '').replace('2', String(problems.length))
  if (problems.length === 1) heading.textContent = words.problem ?? ''
  const list = document.createElement('ul')
  for (const { field, message } of problems) {
    const item = document.createElement('li')
    if (field) {
      tell(field, message)
      const way = document.createElement('a')
      way.href = `#${firstControl(field)?.id ?? ''}`
      way.textContent = message
      item.append(way)
    } else item.textContent = message
    list.append(item)
  }
  note.append(heading, list)
  wrong.append(note)
  note.focus()
  note.scrollIntoView({ block: 'start' })
}

/** What the browser and the form itself can tell. */
function findProblems() {
  /** @type {{ field?: HTMLElement, message: string }[]} */
  const problems = []
  for (const part of all(form, '[data-field]')) {
    const field = /** @type {HTMLElement} */ (part)
    const name = field.dataset.label ?? ''
    if (field.closest('[hidden]') || field.closest('.goes') || field.dataset.fixed !== undefined) continue
    // A row that nobody began is no row.
    const row = field.closest('.row')
    const isBlank =
      row &&
      !row.querySelector('input[name^="i:"]') &&
      all(row, '[data-field]').every((one) => textsOf(/** @type {HTMLElement} */ (one)).length === 0)
    if (isBlank) continue
    const control = /** @type {HTMLInputElement | undefined} */ (
      all(field, 'input, select, textarea').find((one) => !(/** @type {HTMLInputElement} */ (one).validity.valid))
    )
    if (field.dataset.isRequired === 'true' && textsOf(field).length === 0)
      problems.push({ field, message: (words.missing ?? '').replace('{name}', name) })
    else if (control && !control.validity.valueMissing) problems.push({ field, message: `${name} – ${control.validationMessage}` })
    else {
      for (const one of all(field, 'input[type=file]')) {
        const input = /** @type {HTMLInputElement} */ (one)
        const most = Number(input.dataset.maxBytes ?? 0)
        const edge = Number(input.dataset.maxEdge ?? 0)
        const isTooLarge = [...(input.files ?? [])].some(
          (file) => most > 0 && file.size > most && !(edge > 0 && file.type.startsWith('image/')),
        )
        if (isTooLarge)
          problems.push({
            field,
            message: (words.tooLarge ?? '').replace('{name}', name).replace('25', String(Math.floor(most / 1024 / 1024))),
          })
      }
    }
  }
  return problems
}

// --- sending

/** @param {string} title @param {string} text */
function finish(title, text) {
  form.hidden = true
  wrong.replaceChildren()
  say('')
  const heading = /** @type {HTMLElement} */ (document.querySelector('main h1'))
  for (const one of all(/** @type {ParentNode} */ (heading.parentElement), ':scope > p')) one.remove()
  heading.textContent = title
  const paragraph = document.createElement('p')
  paragraph.textContent = text
  heading.after(paragraph)
  document.title = title
  heading.focus()
}

/** @param {boolean} busy */
function setBusy(busy) {
  isSending = busy
  for (const button of all(form, '.send button')) button.setAttribute('aria-disabled', String(busy))
}

async function send() {
  if (isSending) return
  setBusy(true)
  say(words.saysSending ?? '')
  try {
    const entries = await entriesNow()
    // Its key after its entries, which somebody may have changed meanwhile.
    const draft = { version: words.version ?? '', key: keyField.value, entries, isWaiting: true }
    isWaiting = true
    await keepDraft(link, draft)
    const body = await toSend(draft.entries)
    const response = await fetch(location.pathname, {
      method: 'POST',
      body,
      headers: { Accept: 'application/json', 'Idempotency-Key': draft.key },
    })
    // Neither of these says anything about the answer: it waits, and goes again.
    if (response.status >= 500 || response.status === 429 || response.status === 408) throw new TypeError(String(response.status))
    const answer = await response.json()
    isWaiting = false
    if (answer.done) {
      await dropDraft(link)
      finish(answer.title, answer.text)
    } else if (answer.problems) {
      say('')
      await keepNow()
      showProblems(
        answer.problems.map((/** @type {{ name?: string, message: string, isLost?: boolean }} */ { name = '', message, isLost }) => {
          const field = /** @type {HTMLElement | null} */ (form.querySelector(`[data-field="${CSS.escape(name.replace(/^[fn]:/, 'v:'))}"]`))
          if (field && isLost) field.dataset.lost = ''
          return field ? { field, message } : { message }
        }),
      )
      follow()
    } else {
      await keepNow()
      say(`${answer.title}. ${answer.text}`)
    }
  } catch {
    showNetwork()
  } finally {
    setBusy(false)
  }
}

const again = () => {
  if (isWaiting && !isSending && navigator.onLine) void send()
}
const showNetwork = () => {
  if (isWaiting) say(words.saysWaiting ?? '')
  else say(navigator.onLine ? '' : (words.saysOffline ?? ''))
}

// --- rows of lists

/** Times as this device's clock shows them, in the zone that is sent. @param {ParentNode} root */
function showTimes(root) {
  for (const control of /** @type {HTMLInputElement[]} */ (all(root, 'input[data-utc]'))) {
    const at = new Date(control.dataset.utc ?? '')
    control.value = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }
}

/** @param {HTMLElement} section @param {number} number */
function addRow(section, number) {
  const template = /** @type {HTMLTemplateElement | null} */ (section.querySelector(':scope > template'))
  if (!template) return undefined
  const holder = document.createElement('template')
  const shown = all(section, '.row').length + 1
  holder.innerHTML = template.innerHTML.replaceAll('9999', String(number)).replaceAll('{number}', String(shown))
  const row = /** @type {HTMLElement} */ (holder.content.firstElementChild)
  template.before(row)
  showTimes(row)
  openPads(row)
  follow()
  return row
}

/** @param {HTMLElement} section */
const nextRow = (section) => Math.max(-1, ...all(section, '.row').map((row) => Number(/** @type {HTMLElement} */ (row).dataset.row))) + 1

// --- drafts

/** @param {ParentNode} root */
function openPads(root) {
  for (const part of all(root, '[data-pad]')) {
    const pad = /** @type {HTMLElement} */ (part)
    const name = pad.dataset.pad ?? ''
    openPad(pad, (picture) => {
      if (picture) drawn.set(name, picture)
      else drawn.delete(name)
      change()
    })
  }
}

/** @param {[string, string | File][]} entries @param {boolean} isWhole whether the form is as it was then */
function restore(entries, isWhole) {
  /** @type {Map<string, (string | File)[]>} */
  const byName = new Map()
  for (const [name, value] of entries) byName.set(name, [...(byName.get(name) ?? []), value])
  for (const name of byName.keys()) {
    const [, sectionName, row] = /^[vfand]:(\w+):(\d+)(?::|$)/.exec(name) ?? []
    const section =
      sectionName === undefined
        ? null
        : /** @type {HTMLElement | null} */ (form.querySelector(`[data-section="${CSS.escape(sectionName)}"]`))
    if (section && !section.querySelector(`[data-row="${row}"]`)) addRow(section, Number(row))
  }
  for (const control of /** @type {HTMLInputElement[]} */ (all(form, 'input, select, textarea'))) {
    const values = byName.get(control.name)
    // What was shown when the draft was begun: the rest of it is nobody's answer.
    if (control.name === 'was') control.value = String(values?.shift() ?? '')
    if (control.name === 'act') control.value = String(values?.[0] ?? '')
    if (control.type === 'hidden' || control.name === '' || (!values && !isWhole)) continue
    if (control.type === 'file') {
      const files = (values ?? []).filter((value) => value instanceof File)
      if (files.length === 0) continue
      keptFiles.set(control.name, files)
      const note = document.createElement('p')
      note.className = 'present'
      note.textContent = files.map((file) => file.name).join(', ')
      control.before(note)
    } else if (control instanceof HTMLSelectElement) {
      for (const option of control.options) option.selected = (values ?? []).includes(option.value)
    } else if (control.type === 'radio' || control.type === 'checkbox') control.checked = (values ?? []).includes(control.value)
    else if (typeof values?.[0] === 'string') control.value = values[0]
  }
  const fields = new Set(all(form, '[data-field]').map((field) => /** @type {HTMLElement} */ (field).dataset.field))
  const lost = [...byName].filter(([name, [value]]) => name.startsWith('v:') && value && !fields.has(name))
  const messages = lost.map(([name, values]) =>
    (words.saysLost ?? '').replace('{name}', name.replace(/.*:/, '')).replace('{text}', () => values.join(', ')),
  )
  if (messages.length > 0) showProblems(messages.map((message) => ({ message })))
  for (const part of all(form, '[data-pad]')) {
    const pad = /** @type {HTMLElement} */ (part)
    const [picture] = byName.get(pad.dataset.pad ?? '') ?? []
    if (!(picture instanceof File)) continue
    drawn.set(pad.dataset.pad ?? '', picture)
    void showOnPad(pad, picture)
  }
}

// --- begin

form.noValidate = true
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
if (zone) zoneField.value = zone
showTimes(form)
openPads(form)
const draft = await readDraft(link)
if (draft && draft.entries.length > 0) {
  restore(draft.entries, draft.version === words.version)
  keyField.value = draft.key
  isWaiting = draft.isWaiting
  say(isWaiting ? (words.saysWaiting ?? '') : (words.saysRestored ?? ''))
}
follow()
form.addEventListener('input', () => {
  follow()
  change()
})
form.addEventListener('change', () => {
  follow()
  keepSoon()
})
form.addEventListener('submit', (event) => {
  event.preventDefault()
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter)
  const [, name] = /^add:(\w+)$/.exec(button?.value ?? '') ?? []
  if (name !== undefined) {
    const section = /** @type {HTMLElement} */ (form.querySelector(`[data-section="${CSS.escape(name)}"]`))
    const row = addRow(section, nextRow(section))
    if (row) firstControl(row)?.focus()
    keepSoon()
    return
  }
  const [, act] = /^act:(.*)$/.exec(button?.value ?? '') ?? []
  if (actField && act !== undefined && actField.value !== act) {
    actField.value = act
    change()
  }
  const problems = findProblems()
  const needs = button?.dataset.needsComment
  if (needs && commentField?.value.trim() === '') problems.push({ message: needs })
  showProblems(problems)
  if (problems.length === 0) void send()
})
addEventListener('online', () => {
  showNetwork()
  again()
})
addEventListener('offline', showNetwork)
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void keepNow()
  else again()
})
setInterval(again, 10_000)
form.dataset.isReady = 'yes'
again()
