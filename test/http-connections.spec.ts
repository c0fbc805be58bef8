import { once } from 'node:events'
import { createServer } from 'node:net'
import { Readable } from 'node:stream'

import { afterEach, describe, expect, it } from 'vitest'

import { bytesAnswer } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'
import type { HttpServerParts } from '#server/http/http.types.ts'

import { exchangeRaw, openSocket, startHttpServer, type TestServer } from './support/http-server.ts'
import { eventually } from './support/patience.ts'

const running: TestServer[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})

async function start(...parts: Parameters<typeof startHttpServer>): Promise<TestServer> {
  const server = await startHttpServer(...parts)
  running.push(server)
  return server
}

const wait = (server: TestServer, signal?: AbortSignal) =>
  fetch(`${server.url}/api/v1/wait`, { method: 'POST', headers: { authorization: 'Bearer DataView' }, ...(signal ? { signal } : {}) })
const postHead = 'POST /api/v1/schema/whoami HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer DataView\r\n'

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now()
  const result = await work
  return { result, ms: performance.now() - startedAt }
}

describe('slow and absent callers', () => {
  it('ends a request whose headers never come, with the reason', async () => {
    const server = await start({ timeouts: { headers: 200 } })
    const text = await exchangeRaw(server.port, 'POST /api/v1/schema/whoami HTTP/1.1\r\nHost: x\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"timeout"/)
  })

  it('ends a request whose body never comes, with the reason', async () => {
    const server = await start({ timeouts: { body: 200, drain: 100 } })
    const text = await exchangeRaw(server.port, `${postHead}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`)
    expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"timeout"/)
    expect(server.memory.calls).toEqual([])
  })

  it('cuts off a caller that never reads, and lets go of what it was sent', async () => {
    const server = await start({ timeouts: { stall: 300 } })
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536))
      },
    })
    server.memory.download = () => bytesAnswer({ body: endless, mimeType: 'application/octet-stream' })
    const { socket, closed } = await openSocket(server.port)
    socket.pause()
    socket.write(
      'GET /api/v1/files/0b0f0e0d-0000-4000-8000-000000000001/download HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer DataView\r\n\r\n',
    )
    await eventually(() => endless.destroyed, 'the end of the stream')
    socket.resume()
    await closed
  })

  it('tells a call that its caller has left, and does not tell one that was answered', async () => {
    const server = await start()
    const leaving = new AbortController()
    const left = wait(server, leaving.signal).catch((error: unknown) => error)
    await eventually(() => server.memory.waiting.length === 1, 'the call')
    leaving.abort()
    await left
    await eventually(() => server.memory.calls[0]?.signal.aborted === true, 'the signal')
    await eventually(
      () => server.memory.logged.some(({ operation, aborted }) => operation === 'wait_for_thing' && aborted === true),
      'the log line',
    )
    const answered = wait(server)
    await eventually(() => server.memory.waiting.length === 2, 'the second call')
    server.memory.waiting[1]?.release()
    expect(await (await answered).json()).toEqual({ released: true })
    expect(server.memory.calls[1]?.signal.aborted).toBe(false)
  })

  it('answers several requests on one connection, also after a refused body', async () => {
    const server = await start()
    const refused = `${postHead}Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello`
    const last = `${postHead}Connection: close\r\n\r\n`
    const text = await exchangeRaw(server.port, `${postHead}\r\n${refused}${last}`)
    expect(text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 415', 'HTTP/1.1 200'])
  })
})

describe('closing', () => {
  it('lets an answer under way end, and takes no new connection', async () => {
    const server = await start({}, { SHUTDOWN_SECONDS: '20' })
    const answer = wait(server)
    await eventually(() => server.memory.waiting.length === 1, 'the call')
    const closing = server.close()
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
    server.memory.waiting[0]?.release()
    const { result, ms } = await timed(
      answer.then(async (response) => [response.status, response.headers.get('connection'), await response.json()]),
    )
    expect(result).toEqual([200, 'close', { released: true }])
    await closing
    expect(ms).toBeLessThan(15_000)
  })

  it('ends at once with idle and half-sent requests alone', async () => {
    const server = await start({}, { SHUTDOWN_SECONDS: '20' })
    const idle = await openSocket(server.port)
    const half = await openSocket(server.port)
    half.socket.write('POST /api/v1/schema/whoami HTTP/1.1\r\nHo')
    const kept = await openSocket(server.port)
    kept.socket.write(`${postHead}\r\n`)
    await eventually(() => kept.text().includes('whoami'), 'the first answer')
    const { ms } = await timed(server.close())
    expect(ms).toBeLessThan(15_000)
    await Promise.all([idle.closed, half.closed, kept.closed])
  })

  it('ends within its time with open waits and half-sent bodies, and tells their calls', async () => {
    const server = await start({}, { SHUTDOWN_SECONDS: '1' })
    const waiting = wait(server).catch((error: unknown) => error)
    const half = await openSocket(server.port)
    half.socket.write(`${postHead}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`)
    await eventually(() => server.memory.waiting.length === 1, 'the call')
    const { ms } = await timed(server.close())
    expect(ms).toBeGreaterThan(900)
    expect(ms).toBeLessThan(15_000)
    expect(await waiting).toBeInstanceOf(Error)
    expect(server.memory.calls[0]?.signal.aborted).toBe(true)
    await half.closed
  })

  it('may be asked twice, and before it ever listened', async () => {
    const server = await start()
    await Promise.all([server.close(), server.close()])
  })

  it('says that the port is taken to whoever starts it, who knows which setting to name', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' ? address?.port : undefined
    await expect(startHttpServer({}, { PORT: String(port) })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    other.close()
  })
})

describe('the MCP mount', () => {
  const echo: NonNullable<HttpServerParts['mcp']> = async (request, response, body) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ method: request.method, url: request.url, body: Buffer.concat(chunks).toString(), given: body === undefined }),
    )
  }

  it('hands over a POST with its body unread, under the same request id', async () => {
    const server = await start({ mcp: echo })
    const body = '{"jsonrpc":"2.0"}'
    const headers = { 'content-type': 'application/json', 'x-request-id': 'mcp-1' }
    const response = await fetch(`${server.url}/mcp?readonly=1`, { method: 'POST', headers, body })
    expect(response.headers.get('x-request-id')).toBe('mcp-1')
    expect(await response.json()).toEqual({ method: 'POST', url: '/mcp?readonly=1', body, given: true })
  })

  it('answers what it throws as a problem, and without it there is no such route', async () => {
    const failing = await start({ mcp: () => Promise.reject(new AppError('unauthenticated', 'Send a key.')) })
    const denied = await fetch(`${failing.url}/mcp`, { method: 'POST', body: '{}' })
    expect([denied.status, denied.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    const broken = await start({ mcp: () => Promise.reject(new Error('select * from secrets')) })
    const failed = await fetch(`${broken.url}/mcp`, { method: 'POST', body: '{}' })
    expect([failed.status, await failed.text()]).toEqual([500, expect.not.stringContaining('secrets')])
    const without = await start()
    expect((await fetch(`${without.url}/mcp`, { method: 'POST', body: '{}' })).status).toBe(404)
  })
})
