/** An application's own site: serves the document that says who the application is, over https with a certificate of the tests. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import tls from 'node:tls'

import { portOf } from './mcp-server.ts'

const file = (name: string) => readFileSync(new URL(`../fixtures/app-host.${name}.pem`, import.meta.url), 'utf8')

export interface AppHost {
  readonly origin: string
  /** Paths that were asked for, in order. */
  readonly asked: string[]
  /** What a path answers; absent: 404. */
  readonly pages: Map<string, (request: IncomingMessage, response: ServerResponse) => void>
  /** Serves the metadata at a path of its own, and answers its address. */
  publish(path: string, metadata?: Record<string, unknown>, headers?: Record<string, string>): string
  close(): Promise<void>
}

/** On a loopback port. This process trusts its certificate from now on. */
export async function startAppHost(): Promise<AppHost> {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), file('cert')])
  const pages: AppHost['pages'] = new Map()
  const asked: string[] = []
  const server = createServer({ key: file('key'), cert: file('cert') }, (request, response) => {
    asked.push(request.url ?? '')
    const page = pages.get(request.url ?? '')
    if (page) page(request, response)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `https://localhost:${portOf(server)}`
  return {
    origin,
    asked,
    pages,
    publish(path, metadata = {}, headers = {}) {
      const body = JSON.stringify({
        client_id: origin + path,
        client_name: 'An app with a document',
        redirect_uris: ['http://127.0.0.1:3334/callback', 'https://app.example/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        ...metadata,
      })
      pages.set(path, (_request, response) => response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body))
      return origin + path
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
