/** The documentation in a browser: a table of contents, and each page of the corpus in the same frame. */
import { escape, htmlPage } from './html-page.ts'

/** A page of the corpus. */
export interface DocsPage {
  /** Relative to the corpus: `guides/records.md`. */
  readonly path: string
  readonly title: string
  readonly summary: string
  readonly markdown: string
  /** Its body as HTML, the title included. */
  html(): string
}

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

const footer = '<p>Agents read the same pages with <code>docs_index</code>, <code>docs_search</code> and <code>docs_read</code>.</p>'

/** The table of contents. */
export function docsIndex(pages: readonly DocsPage[]): ReturnType<typeof htmlPage> {
  const line = ({ path, title, summary }: DocsPage) =>
    `<dt><a href="${addressOf(path)}">${escape(title)}</a></dt><dd>${escape(summary)}</dd>`
  const groups = byFolder(pages).map(
    (group) => `<section><h2>${group.title}</h2><dl class="contents">${group.pages.map(line).join('')}</dl></section>`,
  )
  return htmlPage({
    title: 'Documentation · Fieldloop',
    header: '<p class="name"><a href="/">Fieldloop</a></p>',
    main: `<h1>Documentation</h1>\n${groups.join('\n')}`,
    footer,
  })
}

/** One page. */
export function docsPage(page: DocsPage): ReturnType<typeof htmlPage> {
  return htmlPage({
    title: `${page.title} · Fieldloop`,
    header: '<p class="name"><a href="/">Fieldloop</a></p><p><a href="/docs">Documentation</a></p>',
    main: `<article>${page.html()}</article>`,
    footer: `<p><a href="${addressOf(page.path)}.md">This page as Markdown</a></p>${footer}`,
  })
}
