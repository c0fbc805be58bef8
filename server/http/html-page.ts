/** The frame of every page that people see in a browser. It asks for nothing from elsewhere and is whole without its script. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

const style = ['../web/tokens.css', './page.css'].map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('')

export const logo = `<svg viewBox="0 0 48 48" fill="none" stroke="currentColor" stroke-width="4" stroke-linecap="round" aria-hidden="true"><path d="M40 24a16 16 0 1 1-6-12.5"/><path d="M34 4v8h-8"/><path d="M17 25l5 5 9-11"/></svg>`
const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48" fill="none" stroke="#1f8a66" stroke-width="5" stroke-linecap="round"><path d="M40 24a16 16 0 1 1-6-12.5M34 4v8h-8M17 25l5 5 9-11"/></svg>`)}`

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A page as HTML, and the headers that let its own style and script run and nothing else. */
export interface HtmlAnswer {
  readonly html: string
  readonly headers: Record<string, string>
}

export interface HtmlDocument {
  readonly title: string
  /** What stands behind the link that skips to `#main`; HTML. */
  readonly body: string
  /** Beside the style of every page. */
  readonly style?: string
  readonly script?: string
}

export function htmlDocument(page: HtmlDocument): HtmlAnswer {
  const nonce = randomBytes(16).toString('base64')
  const own = `'nonce-${nonce}'`
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(page.title)}</title>
<link rel="icon" href="${icon}">
<style nonce="${nonce}">${style}${page.style ?? ''}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${page.body}
${page.script === undefined ? '' : `<script nonce="${nonce}">${page.script}</script>\n`}</body>
</html>
`
  return {
    html,
    headers: {
      'content-security-policy': `default-src 'none'; style-src ${own}; script-src ${own}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    },
  }
}

export interface HtmlPage {
  readonly title: string
  /** What stands under the name of the product; HTML. */
  readonly header: string
  /** What fills the page; HTML. */
  readonly main: string
  readonly footer: string
  readonly script?: string
}

/** A page of one column. */
export function htmlPage({ title, header, main, footer, ...rest }: HtmlPage): HtmlAnswer {
  const body = `<div class="wrap">
<header><div class="brand">${logo}${header}</div></header>
<main id="main">
${main}
</main>
<footer><p id="said" role="status"></p>${footer}</footer>
</div>`
  return htmlDocument({ title, body, ...rest })
}
