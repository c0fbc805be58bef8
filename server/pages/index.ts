/** The pages for people, and the files that they load. */
import type { PageAnswer, PageRoute } from '#platform/web-page.ts'

import { edition, pageFiles } from './files.ts'
import { createHandsetPages, type HandsetPageParts } from './handset-routes.ts'
import { createLinkPages, type LinkPageParts } from './link-routes.ts'

export { createHandsetCalls } from './handset-calls.ts'
export { createLinkCalls, type LinkCalls, type Sending } from './link-calls.ts'

/** Style and script, which stand wherever a page is that loads them. */
export function filePages(): PageRoute[] {
  return [...pageFiles].map(([name, { bytes, type }]) => ({
    method: 'GET',
    path: `/web/${edition}/${name}`,
    answer: (): Promise<PageAnswer> =>
      Promise.resolve({
        status: 200,
        headers: { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' },
        body: bytes,
      }),
  }))
}

type PageParts = LinkPageParts & Partial<Pick<HandsetPageParts, 'handsets'>>

export function createPages({ handsets, ...parts }: PageParts): PageRoute[] {
  const { onFailure } = parts
  return [...filePages(), ...createLinkPages(parts), ...(handsets ? createHandsetPages({ handsets, onFailure }) : [])]
}
