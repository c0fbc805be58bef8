/** The documents that the API serves: functions from the registry to text. */
import type { Registry } from '#platform/registry.ts'

import { llmsText, type PageEntry } from './llms.ts'
import { openapiDocument } from './openapi.ts'
import { postmanCollection } from './postman.ts'
import { responseShapes } from './response-shapes.ts'
import { productVersion } from './version.ts'

export { ownMarkdown, pageHtml } from './page-html.ts'

/** A text that is served as it is. */
export interface ServedText {
  readonly type: string
  readonly text: string
}

/** By its path on the server what programs and models read, of an installation that is reached at `publicUrl`. Built once, before it is asked for. */
export function servedTexts(
  registry: Registry,
  { pages, publicUrl }: { readonly pages: readonly PageEntry[]; readonly publicUrl: string },
): ReadonlyMap<string, ServedText> {
  const json = (value: unknown): ServedText => ({ type: 'application/json; charset=utf-8', text: JSON.stringify(value) })
  return new Map([
    ['/openapi.json', json(openapiDocument(registry, { publicUrl, version: productVersion() }))],
    ['/postman.json', json(postmanCollection(registry, { publicUrl }))],
    ['/response-shapes.json', json(responseShapes(registry))],
    ['/llms.txt', { type: 'text/plain; charset=utf-8', text: llmsText(registry, pages) }],
  ])
}
