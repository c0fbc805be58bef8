/** What the front answers before any operation is asked: methods, headers that stand twice, and pages of other origins. */
import { afterEach, describe, expect, it } from 'vitest'

import { exchangeRaw, startHttpServer, type TestServer } from './support/http-server.ts'
import { startMcpServer } from './support/mcp-server.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

async function start(...parts: Parameters<typeof startHttpServer>): Promise<TestServer> {
  const server = await startHttpServer(...parts)
  running.push(server)
  return server
}

const mcp = async (_request: unknown, response: { end(text: string): unknown }) => void response.end('{}')

describe('a method that a path does not take', () => {
  it('is 405 with those that it takes, whatever the path is', async () => {
    const server = await start({ mcp })
    const asset = '/api/v1/files/0b0f0e0d-0000-4000-8000-000000000001/download'
    const cases: [string, string, string][] = [
      ['GET', '/mcp', 'POST'],
      ['DELETE', '/mcp', 'POST'],
      ['PUT', '/mcp?readonly=1', 'POST'],
      ['POST', '/', 'GET, HEAD'],
      ['DELETE', '/healthz', 'GET, HEAD'],
      ['PUT', '/readyz', 'GET, HEAD'],
      ['POST', '/metrics', 'GET, HEAD'],
      ['GET', '/api/v1/uploads/token', 'PUT'],
      ['POST', '/api/v1/uploads/token', 'PUT'],
      ['POST', `${asset}?sig=a`, 'GET, HEAD'],
      ['PUT', '/api/v1/things/12', 'GET, DELETE, HEAD'],
      ['GET', '/api/v1/files', 'POST'],
      ['OPTIONS', '/api/v1/files', 'POST'],
      ['TRACE', '/api/v1/files', 'POST'],
      ['QUERY', '/api/v1/files', 'POST'],
    ]
    for (const [method, path, allow] of cases) {
      const text = await exchangeRaw(server.port, `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      const found = [/^HTTP\/1\.1 (\d+)/.exec(text)?.[1], /\r\nallow: (.*)\r\n/i.exec(text)?.[1], /"code":"(\w+)"/.exec(text)?.[1]]
      expect([method, path, ...found]).toEqual([method, path, '405', allow, 'method_not_allowed'])
    }
    expect(server.memory.calls).toEqual([])
  })

  it('is 404 where there is no such path, without an Allow', async () => {
    const server = await start()
    for (const path of ['/mcp', '/docs/nothing', '/api/v1/nothing']) {
      const response = await fetch(`${server.url}${path}`, { method: 'POST' })
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, 404, null])
    }
  })
})

describe('what stands twice', () => {
  const key = 'Authorization: Bearer DataView\r\n'
  const send = (server: TestServer, start: string, headers: string) =>
    exchangeRaw(server.port, `${start} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`)

  it('among the headers that say who calls and what is refused, be it the same twice', async () => {
    const server = await start({ mcp })
    for (const path of ['POST /api/v1/schema/whoami', 'POST /mcp', 'GET /metrics']) {
      const doubled = await send(server, path, `${key}authorization: Bearer DataEdit\r\n`)
      expect([path, doubled]).toEqual([
        path,
        expect.stringMatching(/^HTTP\/1\.1 400 [\s\S]*The header authorization is given more than once/),
      ])
    }
    expect(await send(server, 'POST /api/v1/schema/whoami', key + key)).toMatch(/^HTTP\/1\.1 400 /)
    expect(await send(server, 'POST /api/v1/schema/whoami', `${key}Idempotency-Key: a\r\nIdempotency-Key: b\r\n`)).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*idempotency-key/,
    )
    expect(server.memory.calls).toEqual([])
    expect(await send(server, 'POST /api/v1/schema/whoami', `${key}Accept: a/b\r\nAccept: c/d\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('in a signed URL is refused', async () => {
    const server = await start()
    const path = 'GET /api/v1/files/0b0f0e0d-0000-4000-8000-000000000001/download?sig=good&exp=99&u=4'
    for (const more of ['sig=good', 'sig=', 'u=5', 'exp=100', 's%69g=x']) {
      const answer = await send(server, `${path}&${more}`, '')
      expect([more, answer]).toEqual([more, expect.stringMatching(/^HTTP\/1\.1 400 [\s\S]*"code":"invalid_input"/)])
    }
    expect(server.memory.calls).toEqual([])
    expect(await send(server, path, '')).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('pages of other origins', () => {
  const origin = 'https://app.example.com'
  const preflight = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' }
  const corsOf = (response: Response) => [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))

  it('may not call where none are named', async () => {
    const server = await start()
    const asked = await fetch(`${server.url}/api/v1/schema/whoami`, { method: 'OPTIONS', headers: preflight })
    const called = await fetch(`${server.url}/healthz`, { headers: { origin } })
    expect([asked.status, corsOf(asked), called.status, corsOf(called)]).toEqual([405, [], 200, []])
  })

  it('may call where they are named, MCP too, and read what a client needs of the headers', async () => {
    const server = await start({ mcp }, { CORS_ORIGINS: `${origin},http://localhost:5173` })
    for (const path of ['/api/v1/schema/whoami', '/mcp', '/api/v1/things/12']) {
      const { status, headers } = await fetch(`${server.url}${path}`, { method: 'OPTIONS', headers: preflight })
      expect([path, status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]).toEqual([
        path,
        204,
        origin,
        'true',
      ])
      expect(headers.get('access-control-allow-methods')).toContain('DELETE')
      expect(headers.get('access-control-allow-headers')).toMatch(/Authorization.*Idempotency-Key.*Mcp-Protocol-Version/)
      expect(headers.get('vary')).toContain('Origin')
    }
    for (const [path, wanted] of [
      ['/api/v1/things/list', 200],
      ['/api/v1/things/none/at/all', 404],
      ['/mcp', 200],
    ] as const) {
      const { status, headers } = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { origin, authorization: 'Bearer DataView' },
      })
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, wanted, origin])
      const exposed = headers.get('access-control-expose-headers') ?? ''
      for (const name of ['X-Next-Cursor', 'X-Total-Count', 'X-Total-At-Least', 'Retry-After', 'X-Request-Id', 'ETag'])
        expect(exposed).toContain(name)
    }
  })

  it('may read why a request was refused before anybody looked at it', async () => {
    const server = await start({}, { CORS_ORIGINS: origin })
    const head = `POST /api/v1/schema/whoami HTTP/1.1\r\nHost: x\r\nOrigin: ${origin}\r\nConnection: close\r\n`
    const doubled = await exchangeRaw(server.port, `${head}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`)
    expect(doubled).toMatch(/^HTTP\/1\.1 400 /)
    expect(doubled.toLowerCase()).toContain(`access-control-allow-origin: ${origin}`)
  })

  it('that are not among the named may not, and other OPTIONS are 405 still', async () => {
    const server = await start({}, { CORS_ORIGINS: origin })
    for (const foreign of ['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'null']) {
      const asked = await fetch(`${server.url}/api/v1/schema/whoami`, { method: 'OPTIONS', headers: { ...preflight, origin: foreign } })
      expect([foreign, asked.status, corsOf(asked)]).toEqual([foreign, 405, []])
    }
    const plain = await fetch(`${server.url}/api/v1/schema/whoami`, { method: 'OPTIONS' })
    expect([plain.status, plain.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await fetch(`${server.url}/nothing`, { method: 'OPTIONS' })).status).toBe(404)
  })

  it('may all call by a wildcard, and never with credentials', async () => {
    const server = await start({}, { CORS_ORIGINS: '*' })
    const asked = await fetch(`${server.url}/api/v1/schema/whoami`, { method: 'OPTIONS', headers: preflight })
    const called = await fetch(`${server.url}/healthz`, { headers: { origin } })
    expect([asked, called].map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual(['*', '*'])
    expect([asked, called].map(({ headers }) => headers.get('access-control-allow-credentials'))).toEqual([null, null])
  })

  it('pass the guard of the MCP endpoint where they are named', async () => {
    const server = await startMcpServer({}, { CORS_ORIGINS: origin })
    running.push({ close: () => server.stop() })
    const ask = (from: string) =>
      fetch(server.url, {
        method: 'POST',
        headers: { origin: from, authorization: 'Bearer builder', 'content-type': 'application/json', accept: '*/*' },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
    expect([(await ask(origin)).status, (await ask('https://evil.example')).status]).toEqual([200, 403])
  })
})
