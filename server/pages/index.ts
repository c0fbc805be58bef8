/** The pages for people, and the files that they load. */
import type { PageAnswer, PageRoute } from '#platform/web-page.ts'

import { edition, pageFiles, sentFile } from './files.ts'
import { createHandsetPages, type HandsetPageParts } from './handset-routes.ts'
import { createLinkPages, type LinkPageParts } from './link-routes.ts'

export { createHandsetCalls } from './handset-calls.ts'
export { createLinkCalls, type LinkCalls, type Sending } from './link-calls.ts'

/** Style and script, which stand wherever a page is that loads them. */
export function filePages(): PageRoute[] {
  return [...pageFiles].map(([name, file]) => ({
    method: 'GET',
    path: `/web/${edition}/${name}`,
    answer({ acceptEncoding }): Promise<PageAnswer> {
      const { headers, body } = sentFile(file, acceptEncoding)
      return Promise.resolve({ status: 200, headers: { ...headers, 'x-content-type-options': 'nosniff' }, body })
    },
  }))
}

type PageParts = LinkPageParts & Partial<Pick<HandsetPageParts, 'handsets'>>

export function createPages({ handsets, ...parts }: PageParts): PageRoute[] {
  const { onFailure } = parts
  return [...filePages(), ...createLinkPages(parts), ...(handsets ? createHandsetPages({ handsets, onFailure }) : [])]
}
