/** The documents that the API serves: functions from the registry to text. */
import type { Registry } from '#platform/registry.ts'

import { enrichments, type TextPage } from './enrichments.ts'
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

/** The same of the portal, whose documents say where the API is. What both serve is built once. */
export function portalTexts(
  registry: Registry,
  {
    pages,
    publicUrl,
    served,
  }: { readonly pages: readonly (PageEntry & TextPage)[]; readonly publicUrl: string; readonly served: ReadonlyMap<string, ServedText> },
): ReadonlyMap<string, ServedText> {
  const same = (path: string): ServedText => {
    const text = served.get(path)
    if (!text) throw new Error(`The API serves no ${path}`)
    return text
  }
  const written = pages.filter(({ path }) => !path.startsWith('reference/'))
  const plain = (text: string): ServedText => ({ type: 'text/plain; charset=utf-8', text })
  return new Map([
    ['/llms.txt', plain(llmsText(registry, pages, publicUrl))],
    ['/llms-full.txt', plain(pages.map(({ path, markdown }) => `<!-- ${publicUrl}/docs/${path} -->\n\n${markdown.trim()}\n`).join('\n'))],
    ['/api/postman.json', same('/postman.json')],
    ['/api/enrichments.json', { type: 'application/json; charset=utf-8', text: JSON.stringify(enrichments(registry, written)) }],
    ['/api/response-shapes.json', same('/response-shapes.json')],
  ])
}
