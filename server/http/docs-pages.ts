/** The documentation in a browser: a table of contents, the pages of the corpus, its search, and what is said where there is no such page. */
import { readFileSync } from 'node:fs'

import { escape, type HtmlAnswer, htmlDocument, logo } from './html-page.ts'

/** A page of the corpus. */
export interface DocsPage {
  /** Relative to the corpus: `guides/records.md`. */
  readonly path: string
  readonly title: string
  readonly summary: string
  readonly markdown: string
  /** In their order, the page's title first. */
  readonly sections: readonly { readonly anchor: string; readonly title: string; readonly level: number }[]
  /** Its body as HTML, the title included. */
  html(): Promise<string>
}

/** A section that answers what was asked. */
export interface DocsHit {
  readonly path: string
  readonly title: string
  readonly anchor: string
  readonly section: string
  readonly excerpt: string
}

export interface DocsSite {
  /** In reading order. */
  readonly pages: readonly DocsPage[]
  /** The sections that answer a question, the best first; `hint` says where they may not. */
  search(query: string): Promise<{ readonly hits: readonly DocsHit[]; readonly hint?: string }>
}

const style = readFileSync(new URL('./docs.css', import.meta.url), 'utf8')

export const longestQuery = 500

const folders: readonly (readonly [folder: string, title: string])[] = [
  ['guides/', 'Guides'],
  ['reference/tools/', 'Tools, by area'],
  ['reference/', 'Reference'],
  ['decisions/', 'Decisions'],
]

/** Where a page of the corpus is served. */
export function addressOf(path: string): string {
  return `/docs/${path.replace(/\.md$/, '')}`
}

/** The pages by folder, in their order; a page stands in the first folder that it fits. */
export function byFolder(pages: readonly DocsPage[]): { title: string; pages: DocsPage[] }[] {
  const fits = (page: DocsPage) => folders.find(([folder]) => page.path.startsWith(folder))?.[1]
  return folders
    .map(([, title]) => ({ title, pages: pages.filter((page) => fits(page) === title) }))
    .filter((group) => group.pages.length > 0)
}

/** The tools' pages are all called after the same pattern; in a list under that word the area says it. */
const shortTitle = ({ title }: DocsPage) => title.replace(/: the tools$/, '')

const groupId = (title: string) => title.toLowerCase().replace(/[^a-z]+/g, '-')

export function searchForm(query = ''): string {
  return `<form class="search" action="/docs/search" role="search"><input type="search" name="q" value="${escape(query)}" maxlength="${longestQuery}" required aria-label="Search the documentation" placeholder="Search the documentation"><button>Search</button></form>`
}

function sidebar(pages: readonly DocsPage[], current: DocsPage | undefined): string {
  const line = (page: DocsPage) =>
    `<li><a href="${addressOf(page.path)}"${page === current ? ' aria-current="page"' : ''}>${escape(shortTitle(page))}</a></li>`
  const groups = byFolder(pages).map((group) => `<h2>${group.title}</h2><ul>${group.pages.map(line).join('')}</ul>`)
  return `<details class="pages"><summary>All pages</summary><nav aria-label="All pages">${groups.join('')}</nav></details>`
}

interface Frame {
  readonly title: string
  readonly main: string
  readonly current?: DocsPage
  readonly query?: string
  /** Beside the content, where there is room; HTML. */
  readonly aside?: string
}

function docsFrame(pages: readonly DocsPage[], { title, main, current, query, aside = '' }: Frame): HtmlAnswer {
  const body = `<header class="top"><div class="brand">${logo}<p class="name"><a href="/">Fieldloop</a></p><p><a href="/docs">Documentation</a></p></div>${searchForm(query)}</header>
<div class="columns-of-page">
${sidebar(pages, current)}
<main id="main">
${main}
</main>
${aside}
</div>
<footer><p>Agents read the same pages with <code>docs_index</code>, <code>docs_search</code> and <code>docs_read</code>.</p></footer>`
  return htmlDocument({ title: `${title} · Fieldloop`, body, style })
}

/** The table of contents. */
export function docsIndex(pages: readonly DocsPage[]): HtmlAnswer {
  const line = (page: DocsPage) =>
    `<dt><a href="${addressOf(page.path)}">${escape(shortTitle(page))}</a></dt><dd>${escape(page.summary)}</dd>`
  const groups = byFolder(pages).map(
    (group) =>
      `<section><h2 id="${groupId(group.title)}">${group.title}</h2><dl class="contents">${group.pages.map(line).join('')}</dl></section>`,
  )
  return docsFrame(pages, { title: 'Documentation', main: `<h1>Documentation</h1>\n${groups.join('\n')}` })
}

function onThisPage({ sections }: DocsPage): string {
  const shown = sections.filter(({ level }) => level === 2)
  if (shown.length < 2) return ''
  const lines = shown.map(({ anchor, title }) => `<li><a href="#${escape(anchor)}">${escape(title)}</a></li>`)
  return `<nav class="here" aria-label="On this page"><h2>On this page</h2><ul>${lines.join('')}</ul></nav>`
}

function neighbours(pages: readonly DocsPage[], page: DocsPage): string {
  const order = byFolder(pages).flatMap((group) => group.pages)
  const at = order.indexOf(page)
  const link = (one: DocsPage | undefined, rel: string, word: string) =>
    one ? `<a rel="${rel}" href="${addressOf(one.path)}"><small>${word}</small>${escape(one.title)}</a>` : '<span></span>'
  return `<nav class="neighbours" aria-label="Previous and next page">${link(order[at - 1], 'prev', 'Previous')}${link(order[at + 1], 'next', 'Next')}</nav>`
}

/** One page. */
export async function docsPage(pages: readonly DocsPage[], page: DocsPage): Promise<HtmlAnswer> {
  return docsFrame(pages, {
    title: page.title,
    current: page,
    main: `<article>${await page.html()}</article>
${neighbours(pages, page)}
<p class="source"><a href="${addressOf(page.path)}.md">This page as Markdown</a></p>`,
    aside: onThisPage(page),
  })
}

/** What the search found; without a question the form alone. */
export async function docsSearchPage({ pages, search }: DocsSite, asked: string): Promise<HtmlAnswer> {
  const query = asked.trim().slice(0, longestQuery)
  const { hits, hint } = query === '' ? { hits: [] } : await search(query)
  const line = ({ path, title, anchor, section, excerpt }: DocsHit) =>
    `<li><a href="${addressOf(path)}#${escape(anchor)}">${escape(section)}</a> <small>${escape(title)}</small><p>${escape(excerpt)}</p></li>`
  const found =
    query === ''
      ? '<p>Ask in your own words, or give the name of a tool, field, setting or error code.</p>'
      : hits.length === 0
        ? `<p>Nothing was found for “${escape(query)}”. Try other words, or look through the pages.</p>`
        : `<p role="status">The best ${hits.length} sections for “${escape(query)}”.${hint === undefined ? '' : ` ${escape(hint)}`}</p><ol class="hits">${hits.map(line).join('')}</ol>`
  return docsFrame(pages, { title: 'Search', query, main: `<h1>Search</h1>\n${found}` })
}

/** What a person sees where there is no page: the sentence of the problem, and ways on. */
export function notFoundPage(pages: readonly DocsPage[], sentence: string): HtmlAnswer {
  const main = `<h1>There is no such page</h1>
<p>${escape(sentence)}</p>
<p>Search for what you meant, go to <a href="/docs">the table of contents</a>, or begin <a href="/">at the root</a>.</p>`
  return docsFrame(pages, { title: 'Not found', main })
}
