/** The routes of the documentation: its pages, the same as Markdown, its search, and what a browser sees where there is nothing. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { AppError } from '#platform/errors.ts'

import { addressOf, docsIndex, docsPage, docsSearchPage, type DocsSite, notFoundPage } from './docs-pages.ts'
import type { HtmlAnswer } from './html-page.ts'
import { splitTarget } from './url.ts'

// The sentence model answers one question at a time; whoever asks behind so many others would wait longer than a person does.
const mostSearches = 8

export function sendHtml(reply: FastifyReply, { html, headers }: HtmlAnswer): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('cache-control', 'no-store').headers(headers).send(html)
}

/** Adds the routes and answers their paths. */
export function addDocsRoutes(app: FastifyInstance, site: DocsSite): string[] {
  const { pages } = site
  const paths: string[] = []
  const route = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) => {
    paths.push(url)
    app.route({ method: ['GET', 'HEAD'], url, handler })
  }
  let searches = 0
  route('/docs', async (_request, reply) => sendHtml(reply, docsIndex(pages)))
  route('/docs/search', async (request, reply) => {
    const asked = new URLSearchParams(splitTarget(request.raw.url ?? '/').query).get('q') ?? ''
    if (searches >= mostSearches) throw new AppError('rate_limited', 'Many are searching at this moment. Ask again in a second.')
    searches++
    try {
      return await sendHtml(reply, await docsSearchPage(site, asked))
    } finally {
      searches--
    }
  })
  for (const page of pages) {
    route(addressOf(page.path), async (_request, reply) => sendHtml(reply, await docsPage(pages, page)))
    route(`${addressOf(page.path)}.md`, async (_request, reply) =>
      reply.type('text/markdown; charset=utf-8').header('cache-control', 'no-store').send(page.markdown),
    )
  }
  return paths
}

/** Whether a person is looking: programs ask for JSON, or for anything. */
function isBrowser({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')
}

/** Answers a browser where there is no route, with a page or with the way to one; undefined where a program asks. */
export function answerBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  { site, shown, sentence }: { readonly site: DocsSite; readonly shown: ReadonlySet<string>; readonly sentence: string },
): FastifyReply | undefined {
  if (!isBrowser(request)) return undefined
  const { path } = splitTarget(request.raw.url ?? '/')
  const plain = path.replace(/\/+$/, '')
  if (plain !== path && shown.has(plain)) return reply.header('cache-control', 'no-store').redirect(plain, 308)
  // A folder of the corpus is a part of the table of contents.
  if (site.pages.some((page) => addressOf(page.path).startsWith(`${plain}/`)) && plain.startsWith('/docs'))
    return reply.header('cache-control', 'no-store').redirect('/docs', 302)
  return sendHtml(reply.code(404).header('vary', 'accept'), notFoundPage(site.pages, sentence))
}
