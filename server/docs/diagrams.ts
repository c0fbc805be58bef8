/** The diagrams of the pages: written as Mermaid, drawn by `npm run docs` into the corpus, shown as they were drawn. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const corpus = resolve(import.meta.dirname, '../../docs-corpus')

/** Below the corpus: the same text has the same file. */
export function diagramPath(source: string): string {
  return `reference/diagrams/${createHash('sha256').update(source.trim()).digest('hex').slice(0, 16)}.svg`
}

/** The Mermaid texts of a page. */
export function diagramsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '')
}

/** The drawn diagram; undefined where nobody has drawn it. */
export function drawnDiagram(source: string): string | undefined {
  try {
    return readFileSync(join(corpus, diagramPath(source)), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
