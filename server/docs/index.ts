/** The documents that the API serves: functions from the registry to text. */
import type { Registry } from '#platform/registry.ts'

import { llmsText, type PageEntry } from './llms.ts'
import { openapiDocument } from './openapi.ts'
import { productVersion } from './version.ts'

export { pageHtml } from './page-html.ts'

/** `/openapi.json` of an installation that is reached at `publicUrl`. */
export function openapi(registry: Registry, { publicUrl }: { readonly publicUrl: string }): string {
  return JSON.stringify(openapiDocument(registry, { publicUrl, version: productVersion() }))
}

/** `/llms.txt` over the registry and the pages of the corpus, in their order. */
export function llmsTxt(registry: Registry, corpus: { pages(): readonly PageEntry[] }): string {
  return llmsText(registry, corpus.pages())
}
