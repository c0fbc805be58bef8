/** The documentation corpus as resources. */

/** What the endpoint needs of the corpus. Paths are relative, such as `guides/start.md`. */
export interface Corpus {
  pages(): readonly { readonly path: string; readonly title: string; readonly summary: string }[]
  /** The whole page; undefined where there is none. */
  read(path: string): { readonly title: string; readonly markdown: string } | undefined
}

const scheme = 'docs://'
const mimeType = 'text/markdown'

export const pageTemplate = {
  uriTemplate: `${scheme}{+path}`,
  name: 'documentation-page',
  title: 'A page of the documentation',
  description: 'One page as Markdown. Paths are those of docs_index.',
  mimeType,
}

/** Every page, as `resources/list` shows it. */
export function listPages(corpus: Corpus) {
  return corpus.pages().map(({ path, title, summary }) => ({ uri: scheme + path, name: path, title, description: summary, mimeType }))
}

/** The content of one page; undefined where the URI names none. */
export function readPage(corpus: Corpus, uri: string): { uri: string; mimeType: string; text: string } | undefined {
  if (!uri.startsWith(scheme)) return undefined
  const page = corpus.read(uri.slice(scheme.length))
  return page && { uri, mimeType, text: page.markdown }
}

const mostCompletions = 100

/** What completes a typed beginning: the values that start with it, then those that contain it, at most a hundred. */
export function complete(values: readonly string[], typed: string): { values: string[]; total: number; hasMore: boolean } {
  const wanted = typed.toLowerCase()
  const starts = values.filter((value) => value.toLowerCase().startsWith(wanted))
  const contains = values.filter((value) => value.toLowerCase().includes(wanted) && !starts.includes(value))
  const found = [...starts, ...contains]
  return { values: found.slice(0, mostCompletions), total: found.length, hasMore: found.length > mostCompletions }
}
