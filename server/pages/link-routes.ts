/** The pages of signed links. Looking changes nothing, however often and whoever looks; only the form that is sent decides. */
import { createHash, randomUUID } from 'node:crypto'

import { AppError } from '#platform/errors.ts'
import { maxIssues } from '#platform/issues.ts'
import { inTurns } from '#platform/turns.ts'
import type { PageAnswer, PageRequest, PageRoute } from '#platform/web-page.ts'
import type { OpenedLink } from '#tools/forms/links/links.schema.ts'
import type { ShownField, ShownForm, ShownSection } from '#tools/forms/links/shown-form.schema.ts'
import { doneOfRefusal, stateOfRefusal } from '#tools/forms/service.ts'

import { presentAnswers, type Problem, problemsOf, readAnswer, rowsIn, startRow } from './answers.rules.ts'
import { donePage, formPage, type FormView, namesIn, sentence, tooLarge } from './form-page.ts'
import { buttonText, type TaskButton, timeIn } from './task-part.ts'
import { chooseLanguage, type PageLanguage } from './languages.rules.ts'
import type { LinkCalls } from './link-calls.ts'
import { knownZone } from './local-time.rules.ts'
import { controlName } from './names.rules.ts'
import { gonePage, type GoneReason } from './page.ts'
import { findLost, type Lost } from './lost.rules.ts'
import { printMarks, readMarks } from './marks.rules.ts'
import { type Posted, readKeyAlone, readPosted } from './posted.ts'
import { textsOf } from './texts.ts'
import { themeStyle } from './theme.rules.ts'

export interface LinkPageParts {
  readonly calls: LinkCalls
  /** What went wrong on our side; people are told that something did. */
  readonly onFailure: (error: unknown, requestId: string) => void
}

function reasonOf(error: unknown): GoneReason {
  if (!(error instanceof AppError)) return 'failed'
  const state = stateOfRefusal(error)
  if (state !== undefined) return state
  if (error.status === 404) return 'unknown'
  if (error.status === 413) return 'tooLarge'
  if (error.status === 403) return 'forbidden'
  if (error.status === 429 || error.status === 503) return 'busy'
  return 'failed'
}

function json(status: number, body: unknown): PageAnswer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }, body: JSON.stringify(body) }
}

/** An answer that says why there is no form, as a page or to the page's script. */
function gone({ onFailure }: LinkPageParts, error: unknown, request: PageRequest, language: PageLanguage): PageAnswer {
  const reason = reasonOf(error)
  if (reason === 'failed') onFailure(error, request.requestId)
  const status = error instanceof AppError ? error.status : 500
  const texts = textsOf(language)
  const done = error instanceof AppError ? doneOfRefusal(error) : undefined
  const more = done && texts.settledBy(done.by, timeIn(language, 'UTC', done.at))
  const { title, text } = texts.gone[reason]
  return request.wantsJson ? json(status, { title, text: more ?? text }) : gonePage(reason, language, status, more)
}

/** What of a view the opened link decides. */
type Around = Omit<FormView, 'entered' | 'problems' | 'others' | 'submissionKey' | 'isPresent' | 'was' | 'comment'>

/** A title is read at a glance. */
const longestTitle = 120

/** A question has no fields: what is asked is the title, or stands below one. */
function formIn({ form, task }: OpenedLink, language: PageLanguage): ShownForm {
  if (form) return form
  const { question = '' } = task ?? {}
  const isTitle = question !== '' && question.length <= longestTitle && !question.includes('\n')
  const title = isTitle ? question : textsOf(language).question
  return { form: '', title, description: isTitle ? '' : question, layoutVersion: 0, mode: 'update', pages: 'scroll', sections: [] }
}

function around(opened: OpenedLink, token: string, language: PageLanguage, zone: string | undefined): Around {
  const { tenant, to, linkId, expiresAt, task } = opened
  const style = themeStyle(tenant.theme)
  const mark = createHash('sha256').update(style).digest('hex').slice(0, 8)
  return {
    language,
    zone: zone ?? knownZone(to.timeZoneIana) ?? 'UTC',
    tenantName: tenant.name,
    themeAddress: style === '' ? undefined : `/l/${token}/theme.css?${mark}`,
    expiresAt,
    linkId,
    form: formIn(opened, language),
    task,
  }
}

/** What was pressed; undefined where a task does not say which of several is meant. */
function actionOf({ task }: Around, act: string): TaskButton | undefined {
  const { actions = [] } = task ?? {}
  return actions.find(({ internalName }) => internalName === act) ?? (actions.length === 1 ? actions[0] : undefined)
}

/** What is wrong with how a task is answered. */
function problemsOfAct(view: Around, { act, comment }: Posted): string[] {
  if (!view.task) return []
  const texts = textsOf(view.language)
  const meant = actionOf(view, act)
  const labels = view.task.actions.map((one) => buttonText(one, view.language))
  if (!meant) return [texts.chooseAction(labels.join(', '))]
  return meant.requiresComment && comment.trim() === '' ? [texts.needsComment(buttonText(meant, view.language))] : []
}

const languageOf = ({ to, tenant }: OpenedLink, { acceptLanguage }: PageRequest) =>
  chooseLanguage(to.languageCode, acceptLanguage, tenant.languageCode)

/** Whether it was posted for one row more alone, which stands in it then, where its list still takes one. */
async function withRow({ form, zone }: Around, { entered, wish }: Posted): Promise<boolean> {
  if (!wish.startsWith('add:')) return false
  const section = form.sections.find(({ type, name, allowAdd }) => type === 'list' && wish === `add:${name}` && allowAdd !== false)
  // The form may have changed since it was shown: what was not meant as the answer is none all the same.
  if (!section) return true
  const next = Math.max(-1, ...((await inTurns(rowsIn(entered))).get(section.name) ?? [])) + 1
  await inTurns(startRow(entered, section, next, zone))
  return true
}

const sentencesOf = (lost: readonly Lost[], { language }: Pick<FormView, 'language'>) =>
  lost.map(({ property, text }) => textsOf(language).isLost(property, text))

async function refused(found: FormView, request: PageRequest, lost: readonly Lost[] = []): Promise<PageAnswer> {
  const texts = textsOf(found.language)
  const sentences = sentencesOf(lost, found)
  const view = { ...found, problems: found.problems.slice(0, maxIssues), others: found.others.slice(0, maxIssues) }
  if (!request.wantsJson) return postedPage({ ...view, others: [...sentences, ...view.others] })
  const names = namesIn(view.form)
  const told = view.problems.map((problem) => ({
    name: controlName('v', problem.place, problem.property),
    message: sentence(problem, names.get(problem.property) ?? problem.property, texts, view.language),
  }))
  // Its control stays on the page, and is not sent again.
  const ofLost = lost.map(({ control }, at) => ({ name: control, message: sentences[at], isLost: true }))
  return json(400, { problems: [...ofLost, ...told, ...view.others.map((message) => ({ message }))] })
}

function done(view: Pick<FormView, 'language' | 'tenantName' | 'themeAddress'>, request: PageRequest): PageAnswer {
  const { thanks, received } = textsOf(view.language)
  return request.wantsJson ? json(200, { done: true, title: thanks, text: received }) : donePage(view)
}

/** Controls and options: more of them than this is no page that a phone would show, and no answer that somebody gave on it. */
const mostWeight = 20_000

/** Throws 413 where the form with so many rows has more of what `each` counts in a field. */
function mustBeLight({ sections }: ShownForm, rowsOf: (section: ShownSection) => number, each: (field: ShownField) => number): void {
  const weight = sections.reduce((sum, section) => {
    const own = section.fields.reduce((fields, field) => fields + each(field), 0)
    // A row has a control of its own; a list has a row that is empty, for more.
    return sum + (section.type === 'detail' ? own : (rowsOf(section) + 1) * (own + 1))
  }, 0)
  if (weight > mostWeight) throw tooLarge()
}

const shownWeight = ({ options = [] }: ShownField) => 1 + options.length

/** The same of what was posted. */
async function postMustBeLight({ form, entered }: Pick<FormView, 'form' | 'entered'>, each: (field: ShownField) => number): Promise<void> {
  const rows = await inTurns(rowsIn(entered))
  mustBeLight(form, ({ name }) => rows.get(name)?.length ?? 0, each)
}

/** The form again, with what was posted. */
async function postedPage(view: FormView): Promise<PageAnswer> {
  await postMustBeLight(view, shownWeight)
  return formPage(view)
}

export function createLinkPages(parts: LinkPageParts): PageRoute[] {
  const { calls } = parts
  const tokenOf = ({ parameters }: PageRequest) => parameters['token'] ?? ''

  async function show(request: PageRequest): Promise<PageAnswer> {
    const token = tokenOf(request)
    try {
      const opened = await calls.open(request, token)
      const view = around(opened, token, languageOf(opened, request), undefined)
      mustBeLight(view.form, ({ rows = [], minRows = 0 }) => Math.max(rows.length, minRows), shownWeight)
      const entered = await inTurns(presentAnswers(view.form, view.zone))
      const was = await inTurns(printMarks(view.form, entered, view.zone))
      return await formPage({ ...view, entered, problems: [], others: [], submissionKey: randomUUID(), isPresent: true, was, comment: '' })
    } catch (error) {
      return gone(parts, error, request, chooseLanguage(undefined, request.acceptLanguage))
    }
  }

  async function style(request: PageRequest): Promise<PageAnswer> {
    const headers = { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'private, max-age=3600' }
    try {
      const { tenant } = await calls.open(request, tokenOf(request))
      return { status: 200, headers, body: themeStyle(tenant.theme) }
    } catch {
      // A page without its tenant's colours is a page all the same.
      return { status: 404, headers: { ...headers, 'cache-control': 'no-store' }, body: '' }
    }
  }

  /** An answer that had arrived before, sent again since nobody heard of it; anything else throws. */
  async function sentAgain(request: PageRequest, refusal: unknown): Promise<PageAnswer> {
    const isUsed = refusal instanceof AppError && stateOfRefusal(refusal) === 'used'
    const key = isUsed ? (request.idempotencyKey ?? (await readKeyAlone(request.parts()))) : undefined
    if (key === undefined) throw refusal
    await calls.submit(request, tokenOf(request), {}, key)
    const language = chooseLanguage(undefined, request.acceptLanguage)
    return done({ language, tenantName: '', themeAddress: undefined }, request)
  }

  async function take(request: PageRequest): Promise<PageAnswer> {
    const token = tokenOf(request)
    let language = chooseLanguage(undefined, request.acceptLanguage)
    try {
      const opened = await calls.open(request, token).catch((error: unknown) => sentAgain(request, error))
      if (!('linkId' in opened)) return opened
      language = languageOf(opened, request)
      const posted = await readPosted(formIn(opened, language), request.parts(), (property, upload) =>
        calls.keep(request, token, property, upload),
      )
      const view = around(opened, token, language, posted.zone)
      const submissionKey = request.idempotencyKey ?? (posted.submissionKey || randomUUID())
      const { entered, was, comment } = posted
      const shown = { ...view, entered, submissionKey, isPresent: false, was, comment }
      await postMustBeLight(shown, () => 1)
      const marks = readMarks(was)
      const lost = await inTurns(findLost(view.form, entered, view.zone, marks))
      if (await withRow(view, posted)) return await postedPage({ ...shown, problems: [], others: sentencesOf(lost, view) })
      const { answer, problems, sent } = await inTurns(readAnswer(view.form, entered, view.zone, marks))
      const found: Problem[] = [...posted.problems, ...problems]
      const others = problemsOfAct(view, posted)
      if (found.length + lost.length + others.length > 0) return await refused({ ...shown, problems: found, others }, request, lost)
      const action = actionOf(view, posted.act)?.internalName
      const act = action === undefined ? undefined : { action, comment: comment.trim() }
      try {
        await calls.submit(request, token, { ...(opened.form ? { answer } : {}), act }, submissionKey)
      } catch (error) {
        const isOfAnswer = error instanceof AppError && (error.status === 400 || error.status === 409 || error.status === 422)
        if (!isOfAnswer) throw error
        const { problems: told, others: untold } = problemsOf(error.issues ?? [], answer, sent)
        const rest = told.length + untold.length === 0 ? [error.message] : untold
        return await refused({ ...shown, problems: told, others: rest }, request)
      }
      return done(view, request)
    } catch (error) {
      return gone(parts, error, request, language)
    }
  }

  return [
    { method: 'GET', path: '/l/:token', answer: show },
    { method: 'GET', path: '/l/:token/theme.css', answer: style },
    { method: 'POST', path: '/l/:token', answer: take },
  ]
}
