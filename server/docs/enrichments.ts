/** What the documents say of each operation beyond its schema: long context out of the guides, what goes with it, errors with what they mean, examples. */
import { errorCatalogue } from '#platform/errors.ts'
import type { RegisteredOperation, Registry } from '#platform/registry.ts'

import { listedDomains, recordOf, restBody, whoMayCall } from './wire.ts'

export interface TextPage {
  readonly path: string
  readonly title: string
  readonly markdown: string
}

interface Passage {
  readonly page: string
  readonly title: string
  readonly section: string
  readonly text: string
}

// A guide says the most of an operation in a few places; more of them is reading without an end.
const mostPassages = 8
const longestPassage = 1_500

/** The paragraphs of the guides with the operations that each names, in backticks or as a call. */
function passagesByName(pages: readonly TextPage[], isName: (word: string) => boolean): ReadonlyMap<string, Passage[]> {
  const found = new Map<string, Passage[]>()
  for (const { path, title, markdown } of pages) {
    let section = title
    for (const paragraph of markdown.split(/\n{2,}/)) {
      section = /^#{1,4} (.+)$/m.exec(paragraph)?.[1] ?? section
      const words = new Set([...paragraph.matchAll(/`(\w+)`|^```json (\w+)$/gm)].map(([, quoted, called]) => quoted ?? called ?? ''))
      for (const word of words) {
        if (!isName(word)) continue
        const passages = found.get(word) ?? []
        if (passages.length < mostPassages) passages.push({ page: path, title, section, text: paragraph.trim().slice(0, longestPassage) })
        found.set(word, passages)
      }
    }
  }
  return found
}

/** Other operations that its description or its passages name, in that order. */
function namedIn(texts: readonly string[], own: string, isName: (word: string) => boolean): string[] {
  const words = texts.flatMap((text) => text.match(/[a-z]+(?:_[a-z]+)+/g) ?? [])
  return [...new Set(words)].filter((word) => word !== own && isName(word)).slice(0, 20)
}

function enrichmentOf(operation: RegisteredOperation, summary: string, passages: readonly Passage[], isName: (word: string) => boolean) {
  const { name, title, description, method, path, domain, roles, isTool, effect, codes } = operation
  return {
    domain,
    title,
    method,
    path,
    roles,
    whoMayCall: whoMayCall(operation),
    isTool,
    effect,
    context: [description, summary, ...passages.map(({ text }) => text)].join('\n\n'),
    crossReferences: {
      operations: namedIn([description, ...passages.map(({ text }) => text)], name, isName),
      pages: [...new Map(passages.map(({ page, title: pageTitle }) => [page, { path: page, title: pageTitle }])).values()],
    },
    errors: codes.map((code) => {
      const { status, retryable, title: meaning } = errorCatalogue[code]
      return { code, status, retryable, meaning }
    }),
    examples: operation.examples.map(({ title: what, input, output }) => ({
      title: what,
      pathParameters: Object.fromEntries(operation.pathParams.map((parameter) => [parameter, recordOf(input)[parameter]])),
      body: restBody(operation, input),
      answer: output,
    })),
  }
}

/** By operation. `pages` are those by hand: the reference would say twice what stands here. */
export function enrichments(registry: Registry, pages: readonly TextPage[]): Record<string, unknown> {
  const domains = listedDomains(registry)
  const names = new Set(domains.flatMap(({ operations }) => operations.map(({ name }) => name)))
  const isName = (word: string) => names.has(word)
  const passages = passagesByName(pages, isName)
  return {
    operations: Object.fromEntries(
      domains.flatMap(({ summary, operations }) =>
        operations.map((operation) => [operation.name, enrichmentOf(operation, summary, passages.get(operation.name) ?? [], isName)]),
      ),
    ),
  }
}
