/** Callers that send drop by drop, and callers that do not take what they asked for: told so, or let go, and nobody else pays. */
import { setTimeout as delay } from 'node:timers/promises'

import { afterEach, describe, expect, it } from 'vitest'

import { listing, rawJson } from '#platform/answer.ts'

import { openSocket, startHttpServer, type TestServer } from './support/http-server.ts'
import { type McpServer, startMcpServer } from './support/mcp-server.ts'
import { eventually } from './support/patience.ts'

const MiB = 1024 * 1024
const servers: (TestServer | { close(): Promise<void> })[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function start(...parts: Parameters<typeof startHttpServer>): Promise<TestServer> {
  const server = await startHttpServer(...parts)
  servers.push(server)
  return server
}

/** Sends the head, then a drop now and then, until the other end answers. */
async function drip(port: number, head: string, drop: string | Buffer = ' ', everyMs = 20): Promise<string> {
  const { socket, text, closed } = await openSocket(port)
  socket.write(head.replaceAll('\n', '\r\n'))
  const more = setInterval(() => socket.write(drop), everyMs)
  await Promise.race([closed, eventually(() => /^HTTP\/1\.1 \d{3} [\s\S]*\r\n\r\n[\s\S]*\}/.test(text()), 'an answer')])
  clearInterval(more)
  socket.destroy()
  return text()
}

const keyed = 'Authorization: Bearer DataView+FileEdit\n'
const json = (more = keyed, length = 500_000) =>
  `POST /api/v1/things/a/echo HTTP/1.1\nHost: x\n${more}Content-Type: application/json\nContent-Length: ${length}\n\n{`
const late = /^HTTP\/1\.1 408 [\s\S]*retry-after: 1\r\n[\s\S]*stalled[\s\S]*"code":"timeout"/i

describe('a body', () => {
  it('that drips is ended with 408, whatever carries it', async () => {
    const server = await start({ timeouts: { stall: 200, drain: 50 } })
    const heads = {
      json: json(),
      'json in chunks': json().replace('Content-Length: 500000\n\n{', 'Transfer-Encoding: chunked\n\n'),
      form: `POST /api/v1/files HTTP/1.1\nHost: x\n${keyed}Content-Type: multipart/form-data; boundary=b\nContent-Length: 500000\n\n--b\nContent-Disposition: form-data; name="file"; filename="a"\n\n`,
      bytes: 'PUT /api/v1/uploads/t HTTP/1.1\nHost: x\nContent-Length: 500000\n\n',
      webhook: 'POST /api/v1/webhooks/h HTTP/1.1\nHost: x\nContent-Length: 500000\n\n',
    }
    for (const [what, head] of Object.entries(heads)) {
      const drop = what === 'json in chunks' ? '1\r\n \r\n' : ' '
      expect([what, await drip(server.port, head, drop)]).toEqual([what, expect.stringMatching(late)])
    }
    expect(server.room.stats()).toEqual({ taken: 0, waiting: 0 })
  })

  it('of which nothing ever comes is ended likewise', async () => {
    const server = await start({ timeouts: { stall: 200, drain: 50 } })
    expect(await drip(server.port, json().slice(0, -1), '')).toMatch(late)
  })

  it('that drips into the MCP endpoint is ended likewise', async () => {
    const server: McpServer = await startMcpServer({}, { STALL_SECONDS: '1' })
    servers.push({ close: () => server.stop() })
    const head =
      'POST /mcp HTTP/1.1\nHost: localhost\nAuthorization: Bearer builder\nContent-Type: application/json\nContent-Length: 5000\n\n{'
    expect(await drip(server.port, head)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"timeout"/)
  })

  it('that comes fast enough goes on for longer than a stall may last, but not for ever', async () => {
    // A stall is longer than a busy machine keeps a process waiting.
    const server = await start({ timeouts: { stall: 1_000, body: 3_000, drain: 50 } }, { MIN_BYTES_PER_SECOND: '1000' })
    const startedAt = performance.now()
    const text = await drip(server.port, json(), ' '.repeat(1_000))
    expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*did not arrive within 3 seconds/)
    expect(performance.now() - startedAt).toBeGreaterThan(2_900)
  })

  it('of nobody is asked sooner whose it is', async () => {
    const server = await start({ timeouts: { stall: 60_000 } })
    const startedAt = performance.now()
    const text = await drip(server.port, json('', 5_000))
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
  })

  it('that waits for us is not taken for one that stalls', async () => {
    const server = await start({ timeouts: { stall: 500 } }, { MIN_BYTES_PER_SECOND: '1000' })
    const readAll = server.memory.receive
    // Longer than several stalls nobody reads; the file is larger than every buffer on the way.
    server.memory.receive = async (call) => {
      await delay(1_500)
      return readAll(call)
    }
    const response = await fetch(`${server.url}/api/v1/uploads/t`, { method: 'PUT', body: Buffer.alloc(8 * MiB) })
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ bytes: 8 * MiB })])
  })
})

describe('answers that nobody takes', () => {
  const ask = (key: string) => `POST /api/v1/things/list HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  // Larger than what the system buffers for a connection that nobody reads.
  const text = JSON.stringify('x'.repeat(12 * MiB))
  const large = () => listing(rawJson(text))

  async function unread(server: TestServer, key: string, count: number) {
    const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(server.port)))
    for (const { socket } of sockets) {
      socket.pause()
      socket.write(ask(key))
    }
    return sockets
  }

  it('are no more in memory than there is room for, and their callers are let go', async () => {
    const server = await start({ timeouts: { stall: 5_000 } }, { MAX_BYTES_IN_FLIGHT: String(48 * MiB) })
    let made = 0
    server.memory.list = () => {
      made++
      return large()
    }
    const before = server.memory.calls.length
    const sockets = await unread(server, 'DataView', 40)
    await eventually(() => server.memory.calls.length === before + 40, 'the calls')
    // Those that were running before the first answer was there have come; the others wait, having asked nothing.
    await eventually(() => server.room.stats().waiting > 0, 'calls that wait')
    const first = made
    expect(first).toBeLessThanOrEqual(12)
    // Another tenant's call goes on meanwhile.
    server.memory.list = () => listing(rawJson('[]'))
    const other = await fetch(`${server.url}/api/v1/things/list`, { method: 'POST', headers: { authorization: 'Bearer DataEdit' } })
    expect(other.status).toBe(200)
    for (const { socket } of sockets) socket.resume()
    await eventually(() => server.room.stats().waiting === 0, 'the end of the line')
    for (const { socket } of sockets) socket.destroy()
    await eventually(() => server.room.stats().taken === 0, 'all room free')
  })

  it('are dropped with the connection after a while, and their room is free again', async () => {
    const server = await start({ timeouts: { stall: 1_500 } })
    server.memory.list = large
    const sockets = await unread(server, 'DataView', 3)
    await eventually(() => server.room.stats().taken >= 3 * 12 * MiB, 'the answers')
    await eventually(() => server.room.stats().taken === 0, 'the end of the connections')
    for (const { socket } of sockets) socket.resume()
    await Promise.all(sockets.map(({ closed }) => closed))
  })

  /** Reads half a MiB every 60 ms, which takes longer than a stall may last. Answers how much came before the end. */
  async function sip(server: TestServer): Promise<number> {
    const { socket, closed } = await openSocket(server.port)
    let bytes = 0
    let sipped = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      sipped += chunk.length
      if (sipped > MiB / 2) socket.pause()
    })
    const sips = setInterval(() => {
      sipped = 0
      socket.resume()
    }, 60)
    socket.write(ask('DataView').replace('Host', 'Connection: close\r\nHost'))
    await closed
    clearInterval(sips)
    return bytes
  }

  it('are kept for a reader that is slow but takes some', async () => {
    const server = await start({ timeouts: { stall: 1_000 } })
    server.memory.list = large
    expect(await sip(server)).toBeGreaterThan(12 * MiB)
  })

  it('are kept no longer than their time, however steadily they are taken', async () => {
    const server = await start({ timeouts: { stall: 5_000, answer: 100 } })
    server.memory.list = large
    expect(await sip(server)).toBeLessThan(12 * MiB)
    expect(server.room.stats()).toEqual({ taken: 0, waiting: 0 })
  })
})
