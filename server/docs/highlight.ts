/** Colours of code, as classes that the page's own style gives colours to. */
import { createRequire } from 'node:module'

interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): unknown
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals: boolean }): { readonly value: string }
}

// Its types bring those of a browser into every file of the product, so it comes without them. It is plain CommonJS.
const load = createRequire(import.meta.url)
const highlighter = load('highlight.js/lib/core') as Highlighter

for (const name of ['bash', 'ini', 'javascript', 'json', 'sql', 'typescript'])
  highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${name}`))

/** The code as HTML; undefined where its language has no colours here. An alias of a language (sh, js, toml) is one of its names. */
export function highlighted(code: string, language: string): string | undefined {
  return highlighter.getLanguage(language) ? highlighter.highlight(code, { language, ignoreIllegals: true }).value : undefined
}
