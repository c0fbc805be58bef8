/**
 * What people read of the registry, by its path in the corpus. It is committed, so that a change of a tool shows in the diff that makes it; the JSON
 * for programs is built where it is served.
 */
import type { Registry } from '#platform/registry.ts'
import { corpus, readPage } from '#tools/docs/service.ts'

import { catalogPage } from './catalog-page.ts'
import { errorsPage, rolesPage, settingsPage } from './fact-pages.ts'
import { stepTypesPage, triggerTypesPage } from './flow-pages.ts'
import { llmsText } from './llms.ts'
import { toolPages } from './tool-pages.ts'

/** Path below docs-corpus/ to text. The same registry and guides give the same bytes. */
export function referenceFiles(registry: Registry): Map<string, string> {
  const pages = new Map([
    ['reference/catalog.md', catalogPage()],
    ['reference/errors.md', errorsPage(registry)],
    ['reference/roles.md', rolesPage(registry)],
    ['reference/settings.md', settingsPage()],
    ['reference/step-types.md', stepTypesPage()],
    ['reference/trigger-types.md', triggerTypesPage()],
    ...toolPages(registry),
  ])
  const written = corpus.pages().filter(({ path }) => !path.startsWith('reference/'))
  const generated = [...pages].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => readPage(path, text))
  return new Map([...pages, ['reference/llms.txt', llmsText(registry, [...written, ...generated])]])
}
