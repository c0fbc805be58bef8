/**
 * The application for browsers over a world, without the portal's sign-in: a small server that gives its files, its page at every path, and the API in the session
 * that the test chose. What it does not do is the portal's, which has tests of its own.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'

import { openWeb } from '#server/boot/web.ts'
import { createHttpServer } from '#server/http/server.ts'
import { pageHeaders } from '#server/pages/page.ts'

import { noBacklog } from './backlog.ts'
import type { World } from './world.ts'

export interface ApplicationServer {
  readonly url: string
  /** As whom the API is called; undefined: as nobody. */
  session: string | undefined
  language: 'en' | 'de'
  /** What the sign-in page answers: the page, and the session that its form gives. */
  readonly signInAgain: (session: string) => void
  close(): Promise<void>
}

const signInPage = `<!doctype html><html lang="en"><title>Sign in</title><main><h1>Sign in</h1><form method="post" action="/login">
<label for="password">Password of the test</label><input id="password" name="password" type="password"><button>Sign in</button></form></main></html>`

export async function startApplication(world: World, subDomain = 'demo'): Promise<ApplicationServer> {
  const { pipeline, services } = world.platform
  const api = await createHttpServer({
    pipeline,
    config: { ...world.config, port: 0 },
    log: services.log,
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    backlog: async () => noBacklog,
    docs: { texts: new Map() },
  })
  const { port } = await api.listen()
  const web = await openWeb({ cacheDir: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'fieldloop') })
  let nextSession: string | undefined

  function relay(incoming: IncomingMessage, answer: ServerResponse, path: string): void {
    const headers = { ...incoming.headers, ...(state.session === undefined ? {} : { authorization: `Bearer ${state.session}` }) }
    const outgoing = request({ port, path, method: incoming.method ?? 'GET', headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    incoming.pipe(outgoing)
  }

  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? '/'
    const file = web.files.get(path)
    const called = /^\/t\/[^/]+(\/api\/v1\/.*)$/.exec(path)?.[1]
    if (file) answer.writeHead(200, { 'content-type': file.type, 'content-encoding': 'gzip' }).end(file.compressed)
    else if (called !== undefined) relay(incoming, answer, called)
    else if (path.startsWith('/login') && incoming.method === 'POST' && nextSession !== undefined) {
      state.session = nextSession
      incoming.resume()
      answer.writeHead(303, { location: '/' }).end()
    } else if (path.startsWith('/login')) answer.writeHead(200, pageHeaders).end(signInPage)
    else answer.writeHead(200, pageHeaders).end(web.page({ language: state.language, subDomain }))
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo.
  const own = server.address() as AddressInfo
  const state: ApplicationServer = {
    url: `http://127.0.0.1:${own.port}`,
    session: undefined,
    language: 'en',
    signInAgain: (session) => void (nextSession = session),
    async close() {
      server.closeAllConnections()
      server.close()
      await api.close()
    },
  }
  return state
}
