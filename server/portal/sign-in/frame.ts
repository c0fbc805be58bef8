/** The frame of a page of signing in: its form with a token that no other site knows, and what went wrong before. */
import { AppError } from '#platform/errors.ts'
import { newPortalSecret } from '#platform/sessions.ts'
import type { Secrets } from '#platform/secrets.ts'
import { chooseLanguage, type PageLanguage } from '#server/pages/languages.rules.ts'
import { escape, page } from '#server/pages/page.ts'

import { authCookie, cookieOf, dropCookie, formCookie, fromWhere, returnPath, setCookie } from '../browser.rules.ts'
import type { PortalAnswer, Visit } from '../portal.types.ts'
import { type SignInTexts, signInTexts } from './texts.ts'

/** What whoever signs in is on the way to; it travels in the forms. */
export interface Aim {
  /** A path of this origin. */
  readonly returnTo: string
  /** The sub-domain that was asked for. */
  readonly tenant: string | undefined
  /** The token of a link that waits for somebody to sign in. */
  readonly link: string | undefined
  /** An account of the tenant's own provider waits for whoever signs in as themselves. */
  readonly isLinking?: boolean
}

const most = (text: string | null, length: number) => (text === null || text === '' || text.length > length ? undefined : text)

export function aimOf(fields: URLSearchParams): Aim {
  return {
    returnTo: returnPath(fields.get('returnTo')),
    tenant: most(fields.get('tenant'), 63)?.toLowerCase(),
    link: most(fields.get('link'), 200),
    isLinking: fields.get('linking') === '1',
  }
}

const aimFields = ({ returnTo, tenant, link, isLinking = false }: Aim) => ({
  ...(returnTo === '/' ? {} : { returnTo }),
  ...(tenant === undefined ? {} : { tenant }),
  ...(link === undefined ? {} : { link }),
  ...(isLinking ? { linking: '1' } : {}),
})

export interface FrameParts {
  readonly secrets: Pick<Secrets, 'sign' | 'verify'>
  readonly isSecure: boolean
}

export interface FormView {
  readonly action: string
  /** HTML. */
  readonly fields: string
  /** HTML of the buttons. */
  readonly send: string
  /** What travels unseen, beside the aim. */
  readonly hidden?: Readonly<Record<string, string>>
  readonly id?: string
  readonly data?: Readonly<Record<string, string>>
}

export interface SignInPage {
  readonly status?: number
  readonly title: string
  readonly lead?: string | undefined
  readonly problem?: string | undefined
  readonly notice?: string | undefined
  readonly aim?: Aim
  readonly forms?: readonly FormView[]
  /** HTML between the lead and the forms. */
  readonly before?: string
  /** HTML behind the forms. */
  readonly after?: string
  readonly scripts?: readonly string[]
  readonly cookies?: readonly string[]
}

/** What a form's page needs to know of a visit. */
export interface Frame {
  readonly language: PageLanguage
  readonly texts: SignInTexts
  readonly show: (page: SignInPage) => PortalAnswer
  /** Leads away; what was posted is not posted again. */
  readonly go: (path: string, cookies?: readonly string[]) => PortalAnswer
}

const noAim: Aim = { returnTo: '/', tenant: undefined, link: undefined }
const purpose = 'form of the portal'

export function hiddenInputs(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`)
    .join('')
}

export function button(text: string, more = ''): string {
  return `<button class="main"${more}>${escape(text)}</button>`
}

/** One that is not what most people are here for. */
export function quietButton(text: string, more = ''): string {
  return `<button${more}>${escape(text)}</button>`
}

/** A field with its label; `attributes` are HTML. */
export function field(name: string, label: string, attributes: string, help?: string): string {
  const hint = help === undefined ? '' : `<p class="help" id="${name}-help">${escape(help)}</p>`
  return `<div class="field"><label for="${name}">${escape(label)}</label>${hint}<input id="${name}" name="${name}"${help === undefined ? '' : ` aria-describedby="${name}-help"`} ${attributes}></div>`
}

export function frameOf(visit: Visit, { secrets, isSecure }: FrameParts): Frame {
  const language = chooseLanguage(undefined, visit.acceptLanguage)
  const known = cookieOf(visit.raw.headers, formCookie)
  const secret = known ?? newPortalSecret()
  const token = secrets.sign(purpose, secret)
  const ownCookies = known === undefined ? [setCookie(formCookie, secret, isSecure)] : []
  const formHtml = ({ action, fields, send, hidden = {}, id, data = {} }: FormView, aim: Aim) => {
    const marks = Object.entries(data).map(([name, value]) => ` data-${name}="${escape(value)}"`)
    return `<form method="post" action="${action}" accept-charset="utf-8"${id === undefined ? '' : ` id="${id}"`}${marks.join('')}>${hiddenInputs({ form: token, ...aimFields(aim), ...hidden })}${fields}<p class="send">${send}</p></form>`
  }
  return {
    language,
    texts: signInTexts(language),
    show({ status = 200, title, lead, problem, notice, aim = noAim, forms = [], before = '', after = '', scripts, cookies = [] }) {
      const main = `<div class="card narrow">
<h1>${escape(title)}</h1>
${problem === undefined ? '' : `<div class="note bad" role="alert"><p>${escape(problem)}</p></div>\n`}${notice === undefined ? '' : `<div class="note" role="status"><p>${escape(notice)}</p></div>\n`}${lead === undefined ? '' : `<p>${escape(lead)}</p>\n`}${before}
${forms.map((form) => formHtml(form, aim)).join('\n')}
${after}</div>`
      const made = page({
        status,
        language,
        title,
        main,
        brand: visit.look?.name ?? 'Fieldloop',
        logo: visit.look?.logo ?? undefined,
        themeAddress: visit.look?.themeAddress,
        styles: ['form.css', 'sign-in.css'],
        isOfSession: true,
        ...(scripts ? { scripts } : {}),
      })
      return { ...made, headers: { ...made.headers, 'set-cookie': [...ownCookies, ...cookies] } }
    },
    go: (path, cookies = []) => ({
      status: 303,
      headers: { location: path, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'set-cookie': [...cookies] },
      body: '',
    }),
  }
}

/**
 * Holds a posted form to be sent by a page of ours. Throws AppError `forbidden` where another site sends it. False where its token does not fit the browser:
 * the page was old. A program, which says nothing of where it comes from, needs no token: no browser sends a form without saying it.
 */
export function isOwnForm(visit: Visit, fields: URLSearchParams, { secrets }: FrameParts): boolean {
  const { headers } = visit.raw
  const from = fromWhere(headers, visit.host)
  if (from === 'theirs') throw new AppError('forbidden', 'This was sent by another site, and nothing was done.')
  const isProgram = from === 'unsaid' && headers.origin === undefined
  if (isProgram) return true
  const secret = cookieOf(headers, formCookie)
  return secret !== undefined && secrets.verify(purpose, secret, fields.get('form') ?? '')
}

/** A new cookie for whoever has just signed in. */
export const authCookieOf = (value: string, { isSecure }: FrameParts) => setCookie(authCookie, value, isSecure)
export const noAuthCookie = ({ isSecure }: FrameParts) => dropCookie(authCookie, isSecure)
