/** The frame of a page for people: what stands around its content, and the headers that let it load its own files and nothing else. */
import type { PageAnswer } from '#platform/web-page.ts'

import type { PageLanguage } from './languages.rules.ts'
import { addressOf } from './files.ts'
import { textsOf } from './texts.ts'

export function escape(text: string): string {
  return /[&<>"']/.test(text) ? escaped(text) : text
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export interface Page {
  readonly status?: number
  readonly language: PageLanguage
  readonly title: string
  /** Whose page it is, in the bar at the top. */
  readonly brand?: string | undefined
  /** Its logo, a data URL. */
  readonly logo?: string | undefined
  /** Where the tenant's own colours are. */
  readonly themeAddress?: string | undefined
  /** HTML. */
  readonly main: string
  /** Files of server/web beside tokens.css, base.css and page.css. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  /** Its forms are sent with a cookie, so the browser must say of what origin they are. Without a referrer it does not, where it does not trust plain HTTP. */
  readonly isOfSession?: boolean
}

/** What a browser may do with a page of ours: load our files, send to us, and be in nobody's frame. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(self), geolocation=(), microphone=()',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  'content-type': 'text/html; charset=utf-8',
}

export function page({
  status = 200,
  language,
  title,
  brand,
  logo,
  themeAddress,
  main,
  styles = [],
  scripts = [],
  isOfSession = false,
}: Page): PageAnswer {
  const texts = textsOf(language)
  const sheets = [
    ...['tokens.css', 'base.css', 'page.css', ...styles].map(addressOf),
    ...(themeAddress === undefined ? [] : [themeAddress]),
  ]
  const body = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">${isOfSession ? '\n<meta name="referrer" content="same-origin">' : ''}
<title>${escape(brand === undefined ? title : `${title} – ${brand}`)}</title>
<link rel="icon" href="data:,">
${sheets.map((address) => `<link rel="stylesheet" href="${escape(address)}">`).join('\n')}
${scripts.map((file) => `<script type="module" src="${addressOf(file)}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#main">${texts.skip}</a>
${brand === undefined ? '' : `<header class="top"><p>${logo === undefined ? '' : `<img src="${escape(logo)}" alt="" height="28"> `}${escape(brand)}</p></header>\n`}<main id="main" class="wrap" tabindex="-1">
${main}
</main>
</body>
</html>
`
  return { status, headers: pageHeaders, body }
}

export type GoneReason = keyof ReturnType<typeof textsOf>['gone']

const statusOf: Readonly<Record<GoneReason, number>> = {
  used: 410,
  expired: 410,
  revoked: 410,
  settled: 410,
  unknown: 404,
  forbidden: 403,
  tooLarge: 413,
  busy: 429,
  failed: 500,
}

/** Why there is nothing to see, and what to do about it. */
export function gonePage(reason: GoneReason, language: PageLanguage, status = statusOf[reason], more?: string): PageAnswer {
  const { title, text: usual } = textsOf(language).gone[reason]
  const text = more ?? usual
  return page({ status, language, title, main: `<div class="card">\n<h1>${escape(title)}</h1>\n<p>${escape(text)}</p>\n</div>` })
}
