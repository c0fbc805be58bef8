/** The page that a signed link opens: the form, what was wrong with the last try, and what is said once it has arrived. */
import { AppError } from '#platform/errors.ts'
import { inTurns } from '#platform/turns.ts'
import type { PageAnswer } from '#platform/web-page.ts'
import type { OpenedLink } from '#tools/forms/links/links.schema.ts'
import type { ShownForm, ShownSection } from '#tools/forms/links/shown-form.schema.ts'

import { type Problem, rowsIn, startRow } from './answers.rules.ts'
import { attributes, fieldHtml, idOf } from './form-controls.ts'
import type { PageLanguage } from './languages.rules.ts'
import { controlName, type Place } from './names.rules.ts'
import { escape, page } from './page.ts'
import { taskHtml, timeIn } from './task-part.ts'
import { type Texts, textsOf } from './texts.ts'
import type { Entered } from './typed.rules.ts'

export interface FormView {
  readonly language: PageLanguage
  readonly zone: string
  readonly tenantName: string
  readonly themeAddress: string | undefined
  readonly expiresAt: string
  readonly linkId: number
  readonly form: ShownForm
  readonly entered: Entered
  readonly problems: readonly Problem[]
  /** What was wrong and belongs to no field. */
  readonly others: readonly string[]
  /** Of this answer, however often it is sent. */
  readonly submissionKey: string
  /** The form shows what the record holds: nobody has sent anything yet. */
  readonly isPresent: boolean
  /** What stood in the controls of records when they were shown, in parts. */
  readonly was: readonly string[]
  /** What the answer does beside what it saves. */
  readonly task: OpenedLink['task']
  readonly comment: string
}

export function sentence({ kind, limit, message }: Problem, name: string, texts: Texts, language: PageLanguage): string {
  const shown = limit === undefined ? '' : new Intl.NumberFormat(language).format(limit)
  switch (kind) {
    case 'missing':
      return texts.isMissing(name)
    case 'noNumber':
      return texts.noNumber(name)
    case 'tooPrecise':
      return texts.tooPrecise(name, shown)
    case 'tooSmall':
      return texts.tooSmall(name, shown)
    case 'tooLarge':
      return texts.tooLarge(name, shown)
    case 'tooShort':
      return texts.tooShort(name, shown)
    case 'tooLong':
      return texts.tooLong(name, shown)
    case 'tooMany':
      return texts.tooMany(name, shown)
    case 'other':
      return `${name} – ${message ?? ''}`
  }
}

/** No form has so many rows. */
const templateRow = 9999

/** HTML, part by part. */
type Rendering = Generator<void, string>

/** Characters of all fields and rows: what a phone takes in, whatever help, conditions and answers are repeated in each row. */
const mostCharacters = 8 * 1024 * 1024

/** A view on its way to HTML. */
interface Drawing extends FormView {
  /** Sentences by `placeKey`. */
  readonly errors: ReadonlyMap<string, string>
  /** How much there is already. */
  readonly sum: { characters: number }
}

export const tooLarge = () => new AppError('too_large', 'The form has more fields, rows or options than a page shows.')

function drawn({ sum }: Drawing, html: string): string {
  sum.characters += html.length
  if (sum.characters > mostCharacters) throw tooLarge()
  return html
}

const placeKey = ({ section, row }: Place, property: string) => `${section ?? ''}:${row ?? 0}:${property}`

function* fieldsOf(view: Drawing, section: ShownSection, place: Place): Rendering {
  const { entered, isPresent, errors } = view
  const texts = textsOf(view.language)
  const parts: string[] = []
  for (const field of section.fields) {
    const error = errors.get(placeKey(place, field.property))
    parts.push(drawn(view, fieldHtml({ field, place, entered, texts, isPresent, error, zone: view.zone })))
    yield
  }
  return parts.join('\n')
}

function* rowHtml(view: Drawing, section: ShownSection, place: Place, number: number | string): Rendering {
  const texts = textsOf(view.language)
  const id = view.entered.get(controlName('i', place))?.[0]
  const isThere = id !== undefined
  const mayGo = isThere ? section.allowDelete !== false : true
  const title = texts.row(number, section.title)
  const remove = mayGo
    ? `<label class="pick remove"><input${attributes({ type: 'checkbox', name: controlName('d', place), value: 'yes', checked: view.entered.get(controlName('d', place))?.[0] === 'yes' })}><span>${escape(texts.removeRow(title))}</span></label>`
    : ''
  const begin = `<fieldset class="row" data-row="${place.row}"><legend>${escape(title)}</legend>${isThere ? `<input type="hidden" name="${controlName('i', place)}" value="${escape(id)}">` : ''}`
  return `${drawn(view, begin)}
<div class="grid">${yield* fieldsOf(view, section, place)}</div>${drawn(view, remove)}</fieldset>`
}

function* sectionHtml(view: Drawing, section: ShownSection, rows: readonly number[]): Rendering {
  const texts = textsOf(view.language)
  const titleId = `section-${section.name}`
  const when = section.visibleWhen === undefined ? undefined : JSON.stringify(section.visibleWhen)
  const open = `<section class="card"${attributes({ 'aria-labelledby': section.title === '' ? undefined : titleId, 'data-section': section.name, 'data-max': section.maxRows, 'data-visible-when': when })}>`
  const heading = section.title === '' ? '' : `<h2 id="${titleId}">${escape(section.title)}</h2>`
  if (section.type === 'detail') return `${open}${heading}<div class="grid">${yield* fieldsOf(view, section, {})}</div></section>`
  const shown: string[] = []
  for (const [at, row] of rows.entries()) shown.push(yield* rowHtml(view, section, { section: section.name, row }, at + 1))
  const isFull = section.maxRows !== undefined && rows.length >= section.maxRows
  const blank = new Map<string, string[]>()
  yield* startRow(blank, section, templateRow, view.zone)
  // What a script adds without asking the server; its row and its number are put in there.
  const template =
    section.allowAdd === false
      ? ''
      : `<template>${yield* rowHtml({ ...view, entered: blank, errors: new Map() }, section, { section: section.name, row: templateRow }, '{number}')}</template>`
  const add =
    section.allowAdd === false || isFull
      ? ''
      : `<button name="do" value="add:${section.name}" formnovalidate>${escape(texts.addRow(section.title))}</button>`
  return `${open}${heading}${shown.join('\n')}${template}${add}</section>`
}

function* sectionsHtml(view: Drawing): Rendering {
  const rows = yield* rowsIn(view.entered)
  const parts: string[] = []
  for (const section of view.form.sections) parts.push(yield* sectionHtml(view, section, rows.get(section.name) ?? []))
  return parts.join('\n')
}

function summaryHtml({ language, problems, others, form }: FormView): string {
  if (problems.length === 0 && others.length === 0) return ''
  const texts = textsOf(language)
  const lines = problems.map((problem) => {
    const section = form.sections.find(({ name, type, fields }) =>
      problem.place.section === undefined
        ? type === 'detail' && fields.some(({ property }) => property === problem.property)
        : name === problem.place.section,
    )
    const field = section?.fields.find(({ property }) => property === problem.property)
    const anchor = field ? idOf(field, problem.place) : 'form'
    const said = sentence(problem, field?.name ?? problem.property, texts, language)
    return `<li><a href="#${anchor}">${escape(said)}</a></li>`
  })
  const rest = others.map((message) => `<li>${escape(message)}</li>`)
  return `<div class="note bad" id="problems" role="alert" tabindex="-1"><h2>${escape(texts.problems(problems.length + others.length))}</h2><ul>${[...lines, ...rest].join('')}</ul></div>`
}

/** What the script says by itself. */
const spoken = ['sending', 'offline', 'waiting', 'restored'] as const

/** The names of fields, by their properties. */
export function namesIn({ sections }: ShownForm): ReadonlyMap<string, string> {
  return new Map(sections.flatMap(({ fields }) => fields).map(({ property, name }) => [property, name]))
}

function dueHtml({ task, language, zone }: FormView): string {
  return task?.dueDate === undefined ? '' : `<p class="muted">${escape(textsOf(language).due(timeIn(language, zone, task.dueDate)))}</p>\n`
}

/** In turns with everybody else: a form may have thousands of controls. Throws 413 where it is more than a page shows. */
export async function formPage(view: FormView): Promise<PageAnswer> {
  const { language, form, zone } = view
  const texts = textsOf(language)
  const errors = new Map<string, string>()
  const names = namesIn(form)
  for (const problem of view.problems) {
    const key = placeKey(problem.place, problem.property)
    if (!errors.has(key)) errors.set(key, sentence(problem, names.get(problem.property) ?? problem.property, texts, language))
  }
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone: zone }).format(
    new Date(view.expiresAt),
  )
  const hasRequired = form.sections.some(({ fields }) => fields.some(({ isRequired, isReadOnly }) => isRequired && !isReadOnly))
  const says = Object.fromEntries(spoken.map((key) => [`data-says-${key}`, texts[key]]))
  // Enter in a field presses the first button there is, which must not be one that adds a row.
  const main = `<h1 tabindex="-1">${escape(form.title)}</h1>
${form.description === '' ? '' : `<p class="said">${escape(form.description)}</p>\n`}${dueHtml(view)}${hasRequired ? `<p class="muted">${texts.optionalHint}</p>\n` : ''}<div id="said" role="status" aria-live="polite"></div>
<div id="wrong">${summaryHtml(view)}</div>
<form method="post" enctype="multipart/form-data" accept-charset="utf-8"${attributes({ id: 'form', 'data-link': view.linkId, 'data-version': form.layoutVersion, 'data-problem': texts.problems(1), 'data-problems': texts.problems(2), 'data-missing': texts.isMissing('{name}'), 'data-too-large': texts.fileTooLarge('{name}', 25), 'data-says-lost': texts.isLost('{name}', '{text}'), ...says })}>
<button class="hidden" name="do" value="send" tabindex="-1" aria-hidden="true"></button>
<input type="hidden" name="k" value="${escape(view.submissionKey)}"><input type="hidden" name="zone" value="${escape(zone)}">${view.was.map((part) => `<input type="hidden" name="was" value="${escape(part)}">`).join('')}
${await inTurns(sectionsHtml({ ...view, errors, sum: { characters: 0 } }))}
${view.task ? taskHtml(view.task, language, view.comment) : `<p class="send"><button class="main" name="do" value="send">${texts.send}</button></p>`}
</form>
<p class="muted">${escape(texts.until(until))}</p>`
  return page({
    status: view.problems.length + view.others.length > 0 ? 400 : 200,
    language,
    title: form.title,
    brand: view.tenantName,
    themeAddress: view.themeAddress,
    main,
    styles: ['form.css'],
    scripts: ['form.js'],
  })
}

export function donePage({ language, tenantName, themeAddress }: Pick<FormView, 'language' | 'tenantName' | 'themeAddress'>): PageAnswer {
  const texts = textsOf(language)
  return page({
    language,
    title: texts.thanks,
    brand: tenantName,
    themeAddress,
    main: `<div class="card" id="done"><h1 tabindex="-1">${texts.thanks}</h1>\n<p>${texts.received}</p></div>`,
  })
}
