/** A page of the corpus as HTML. */
import { dirname, join } from 'node:path/posix'
import { setImmediate } from 'node:timers/promises'

import MarkdownIt from 'markdown-it'

import { drawnDiagram } from './diagrams.ts'
import { highlighted } from './highlight.ts'

export interface CorpusPage {
  /** Relative to the corpus: `guides/records.md`. */
  readonly path: string
  readonly title: string
  readonly markdown: string
  /** In their order, the page's title first; `own` is a section's Markdown with its heading, without its subsections. */
  readonly sections: readonly { readonly anchor: string; readonly title: string; readonly level: number; readonly own: string }[]
}

/** What the rules below know of the page. */
interface Rendering {
  readonly path: string
  /** Of the headings that are still to come. */
  readonly anchors: string[]
}

/** The address that the pages show where an installation's own is meant. */
const exampleUrl = 'http://localhost:4000'

/** A page as its installation shows it: with its own address in the samples. */
export function ownMarkdown(markdown: string, publicUrl: string): string {
  return markdown.replaceAll(exampleUrl, publicUrl)
}

/** Where a link of a page leads on the server; undefined where nothing is served for it. */
function addressOf(from: string, target: string): string | undefined {
  if (/^https?:\/\//.test(target)) return target
  const [file = '', anchor] = target.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (file === '') return hash
  const path = join(dirname(from), decodeURI(file))
  if (path.startsWith('..')) return undefined
  if (path === 'reference/llms.txt') return '/llms.txt'
  if (path === 'reference/tools') return '/docs#tools-by-area'
  return path.endsWith('.md') ? `/docs/${path.slice(0, -'.md'.length)}${hash}` : undefined
}

// Raw HTML stays text: a page says everything in Markdown.
const markdown = new MarkdownIt({ html: false, linkify: false })
const { escapeHtml } = markdown.utils
const { rules } = markdown.renderer

/** What a page passes to the rules below; set by pageHtml alone. */
const renderingOf = (env: unknown) => env as Rendering

rules.heading_open = (tokens, at, _options, env) => {
  const anchor = escapeHtml(renderingOf(env).anchors.shift() ?? '')
  const { tag = 'h2' } = tokens[at] ?? {}
  return tag === 'h1' ? `<h1 id="${anchor}">` : `<${tag} id="${anchor}"><a class="anchor" href="#${anchor}">`
}
rules.heading_close = (tokens, at) => {
  const { tag = 'h2' } = tokens[at] ?? {}
  return tag === 'h1' ? '</h1>\n' : `</a></${tag}>\n`
}

// A link to what is not served is its words.
const links: boolean[] = []
rules.link_open = (tokens, at, _options, env) => {
  const address = addressOf(renderingOf(env).path, String(tokens[at]?.attrGet('href') ?? ''))
  links.push(address !== undefined)
  return address === undefined ? '' : `<a href="${escapeHtml(address)}">`
}
rules.link_close = () => (links.pop() === true ? '</a>' : '')

rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
rules.table_close = () => '</table></div>\n'

rules.fence = (tokens, at) => {
  const { info = '', content = '' } = tokens[at] ?? {}
  const [language = '', tool] = info.trim().split(' ')
  const drawing = language === 'mermaid' ? drawnDiagram(content) : undefined
  if (drawing !== undefined) return `<figure class="drawing" tabindex="0" role="group" aria-label="Diagram">${drawing}</figure>\n`
  const caption = tool === undefined ? '' : `<figcaption><code>${escapeHtml(tool)}</code></figcaption>`
  const label = tool === undefined ? 'Code' : `A call of ${escapeHtml(tool)}`
  const code = highlighted(content, language) ?? escapeHtml(content)
  return `<figure>${caption}<pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre></figure>\n`
}

/** The page's body, its title included, without a frame around it. A page is long, and others are waiting: between two sections they get their turn. */
export async function pageHtml(page: CorpusPage, publicUrl: string = exampleUrl): Promise<string> {
  const rendering = { path: page.path, anchors: page.sections.map(({ anchor }) => anchor) }
  const parts: string[] = []
  for (const { own } of page.sections) {
    parts.push(markdown.render(ownMarkdown(own, publicUrl), rendering))
    await setImmediate()
  }
  return parts.join('')
}
