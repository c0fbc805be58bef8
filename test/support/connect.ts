/** The API with `/mcp` over a world, at the address that it tells applications, for hosts to connect to. */
import { request } from 'node:http'

import { createLog } from '#platform/log.ts'
import { resourcesOf } from '#platform/resources.ts'
import { createHttpServer } from '#server/http/server.ts'
import { createMcpEndpoint } from '#server/mcp/endpoint.ts'

import { noBacklog } from './backlog.ts'
import { allUp } from './http-server.ts'
import { corpus } from './mcp-server.ts'
import { freePort } from './ports.ts'
import { openWorld, type World } from './world.ts'

export interface ApiWorld {
  readonly world: World
  /** `http://localhost:<port>/mcp` */
  readonly resource: string
  readonly origin: string
  close(): Promise<void>
}

/** The world with the API at http://localhost on a port of its own. */
export async function openApi(env: Record<string, string> = {}): Promise<ApiWorld> {
  const port = await freePort()
  const world = await openWorld({ HOST: '127.0.0.1', PORT: String(port), SHUTDOWN_SECONDS: '1', ...env })
  const { pipeline, services } = world.platform
  const log = createLog('silent')
  const resources = resourcesOf(services)
  const mcp = createMcpEndpoint({ pipeline, config: world.config, log, corpus, resources })
  const http = await createHttpServer({
    pipeline,
    config: world.config,
    log,
    readiness: () => Promise.resolve(allUp),
    backlog: () => Promise.resolve(noBacklog),
    mcp,
    resources,
    docs: { texts: new Map() },
  })
  await http.listen()
  const origin = `http://localhost:${port}`
  return {
    world,
    origin,
    resource: `${origin}/mcp`,
    async close() {
      await mcp.close()
      await http.close()
      await world.close()
    },
  }
}

export interface McpAnswer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows
  readonly body: any
}

/** One message to an `/mcp`, as a host sends it. `host` is the Host that it names, where that is another than the address. */
export async function send(
  url: string,
  token: string | undefined,
  method: string,
  params: Record<string, unknown> = {},
  host?: string,
): Promise<McpAnswer> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  return exchange(url, 'POST', headers, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), host)
}

/** By hand where another Host is named, which fetch does not let through. */
export async function exchange(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
  host?: string,
): Promise<McpAnswer> {
  const target = new URL(url)
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port: target.port,
        path: target.pathname + target.search,
        method,
        headers: { host: host ?? target.host, ...headers },
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const given = new Headers()
          for (const [name, value] of Object.entries(answer.headers)) for (const one of [value ?? []].flat()) given.append(name, one)
          const isJson = /json/.test(given.get('content-type') ?? '')
          resolve({ status: answer.statusCode ?? 0, headers: given, body: isJson ? JSON.parse(text) : text })
        })
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}
