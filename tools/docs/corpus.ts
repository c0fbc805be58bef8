/** The documentation as it is committed, read from disk once. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

import { type Page, readPage } from './markdown.rules.ts'

export const corpusFolder = join(import.meta.dirname, '..', '..', 'docs-corpus')

/** Every page below `folder`: those that its README.md links, in the order of the links, then the rest by path. README.md itself is no page. */
export function readCorpus(folder: string): Page[] {
  const contents = readFileSync(join(folder, 'README.md'), 'utf8')
  const order = [...contents.matchAll(/\]\(([^)#]+\.md)\)/g)].map((match) => match[1] ?? '')
  const rank = (path: string) => (order.includes(path) ? order.indexOf(path) : order.length)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => path !== 'README.md')
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((path) => readPage(path, readFileSync(join(folder, path), 'utf8')))
}

let pages: readonly Page[] | undefined

/** The committed pages, in reading order. */
export function corpusPages(): readonly Page[] {
  pages ??= readCorpus(corpusFolder)
  return pages
}

/**
 * By path and anchor (`guides/records.md#delete`) the questions that a section answers, in people's words and languages: the files below
 * `asked/`, one for each page, with a line for each section: its anchor, a tab, the questions with semicolons between them.
 */
export function readAsked(folder: string): Map<string, readonly string[]> {
  const asked = new Map<string, readonly string[]>()
  for (const entry of readdirSync(join(folder, 'asked'), { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.tsv')) continue
    const path = relative(join(folder, 'asked'), join(entry.parentPath, entry.name))
      .split(sep)
      .join('/')
      .replace(/\.tsv$/, '.md')
    for (const line of readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n')) {
      const [anchor = '', questions = ''] = line.split('\t')
      if (anchor === '') continue
      const apart = questions.split(';').map((question) => question.trim())
      asked.set(`${path}#${anchor}`, [...new Set(apart.filter(Boolean))])
    }
  }
  return asked
}
