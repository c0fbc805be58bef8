/** Everything that is generated from the registry, by its path in the corpus. */
import type { Registry } from '#platform/registry.ts'
import { corpus, readPage } from '#tools/docs/service.ts'

import { catalogPage } from './catalog-page.ts'
import { errorsPage, rolesPage, settingsPage } from './fact-pages.ts'
import { llmsText } from './llms.ts'
import { openapiDocument } from './openapi.ts'
import { postmanCollection } from './postman.ts'
import { responseShapes } from './response-shapes.ts'
import { toolPages } from './tool-pages.ts'

const exampleUrl = 'http://localhost:4000'

/** Path below docs-corpus/ to text. The same registry and guides give the same bytes. */
export function referenceFiles(registry: Registry, version: string): Map<string, string> {
  const pages = new Map([
    ['reference/catalog.md', catalogPage()],
    ['reference/errors.md', errorsPage(registry)],
    ['reference/roles.md', rolesPage(registry)],
    ['reference/settings.md', settingsPage()],
    ...toolPages(registry),
  ])
  const written = corpus.pages().filter(({ path }) => !path.startsWith('reference/'))
  const generated = [...pages].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => readPage(path, text))
  const json = (value: unknown) => `${JSON.stringify(value, undefined, 1)}\n`
  return new Map([
    ...pages,
    ['reference/openapi.json', json(openapiDocument(registry, { publicUrl: exampleUrl, version }))],
    ['reference/postman.json', json(postmanCollection(registry, { publicUrl: exampleUrl }))],
    ['reference/response-shapes.json', json(responseShapes(registry))],
    ['reference/llms.txt', llmsText(registry, [...written, ...generated])],
  ])
}
