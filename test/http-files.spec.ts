import { Readable } from 'node:stream'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { bytesAnswer } from '#platform/answer.ts'
import type { Call } from '#platform/call.ts'
import { AppError } from '#platform/errors.ts'

import { exchangeRaw, openSocket, startHttpServer, type TestServer } from './support/http-server.ts'
import { eventually } from './support/patience.ts'

const MiB = 1024 * 1024
const asset = '/api/v1/files/0b0f0e0d-0000-4000-8000-000000000001/download'
const key = { authorization: 'Bearer DataView+FileEdit' }

let server: TestServer
let read: TestServer['memory']['receive']
beforeAll(async () => {
  server = await startHttpServer({ timeouts: { drain: 300 } }, { MAX_UPLOAD_BYTES: String(8 * MiB) })
  read = server.memory.receive
})
beforeEach(() => {
  server.memory.receive = read
  server.memory.calls.length = 0
})
afterAll(() => server.close())

type Sendable = NonNullable<RequestInit['body']>

interface Received {
  status: number
  code?: string
  detail?: string
  bytes?: number
  fileName?: string
  mimeType?: string
  input?: Record<string, unknown>
}

async function send(method: string, path: string, body: Sendable, headers: Record<string, string> = key): Promise<Received> {
  const response = await fetch(`${server.url}${path}`, { method, headers, body, duplex: 'half' })
  const answer: Omit<Received, 'status'> = JSON.parse(await response.text())
  return { ...answer, status: response.status }
}

function form(...parts: [string, string | Blob, string?][]): FormData {
  const made = new FormData()
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') made.append(name, value)
    else made.append(name, value, fileName ?? 'a.bin')
  }
  return made
}

const file = (bytes: number) => new Blob([Buffer.alloc(bytes, 7)], { type: 'image/png' })

/** A multipart body by hand, up to a point of our choosing. */
function formBytes(bytes: number, end: string): Buffer {
  const head =
    '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nT\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: image/png\r\n\r\n'
  return Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 7), Buffer.from(end)])
}

const formHeaders = { ...key, 'content-type': 'multipart/form-data; boundary=b' }

describe('multipart uploads', () => {
  it('gives the fields as the schema has them, and the file as a stream', async () => {
    const got = await send(
      'POST',
      '/api/v1/files',
      form(['title', 'Gate'], ['count', '3'], ['tags', 'a'], ['tags', 'b'], ['file', file(5 * MiB), 'gate ü.png']),
    )
    expect(got).toMatchObject({
      status: 200,
      bytes: 5 * MiB,
      fileName: 'gate ü.png',
      mimeType: 'image/png',
      input: { title: 'Gate', count: 3, tags: ['a', 'b'] },
    })
  })

  it('takes the fields of a small file in any order, and asks for them first where the file is large', async () => {
    expect(await send('POST', '/api/v1/files', form(['file', file(1000)], ['title', 'After']))).toMatchObject({
      status: 200,
      bytes: 1000,
      input: { title: 'After' },
    })
    const large = await send('POST', '/api/v1/files', form(['file', file(5 * MiB)], ['title', 'After']))
    expect(large).toMatchObject({ status: 400, code: 'invalid_input', detail: expect.stringContaining('Send the fields first') })
  })

  it('takes JSON with the bytes in it on the same route, and nothing else', async () => {
    const json = await fetch(`${server.url}/api/v1/files`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: '{"fileName":"a","contentBase64":"YQ=="}',
    })
    expect(json.status).toBe(200)
    expect(server.memory.calls.map(({ input, upload }) => [input, upload])).toEqual([[{ fileName: 'a', contentBase64: 'YQ==' }, undefined]])
    expect(await send('POST', '/api/v1/files', file(10))).toMatchObject({ status: 415 })
  })

  it('refuses no file, two files, and an unknown field', async () => {
    expect(await send('POST', '/api/v1/files', form(['title', 'x']))).toMatchObject({
      status: 400,
      detail: expect.stringContaining('no file'),
    })
    expect(await send('POST', '/api/v1/files', form(['one', file(10)], ['two', file(10)]))).toMatchObject({
      status: 400,
      detail: expect.stringContaining('more than one file'),
    })
    expect(await send('POST', '/api/v1/files', form(['titel', 'x'], ['file', file(10)]))).toMatchObject({ status: 400 })
    expect(await send('POST', '/api/v1/files', form(['title', 'a\u0000b'], ['file', file(10)]))).toMatchObject({ status: 400 })
    expect(await send('POST', '/api/v1/files', form(['__proto__', 'x'], ['file', file(10)]))).toMatchObject({ status: 400 })
    expect(
      await send('POST', '/api/v1/files', form(...Array.from({ length: 300 }, (_, n): [string, string] => [`f${n}`, 'x']))),
    ).toMatchObject({ status: 413 })
  })

  it('never answers 200 to a form that lacks its last boundary, however large its file', async () => {
    for (const bytes of [10, 3 * MiB]) {
      for (const end of ['', '\r\n--', '\r\n--b']) {
        const got = await send('POST', '/api/v1/files', formBytes(bytes, end), formHeaders)
        expect([bytes, end, got.status, got.code]).toEqual([bytes, end, 400, 'invalid_input'])
      }
    }
    expect(await send('POST', '/api/v1/files', formBytes(3 * MiB, '\r\n--b--\r\n'), formHeaders)).toMatchObject({
      status: 200,
      bytes: 3 * MiB,
    })
    expect(await send('POST', '/api/v1/files', 'nonsense', formHeaders)).toMatchObject({ status: 400 })
    expect(await send('POST', '/api/v1/files', formBytes(10, ''), { ...key, 'content-type': 'multipart/form-data' })).toMatchObject({
      status: 400,
    })
  })

  it('refuses a file that is too large, whether its size is announced or not', async () => {
    expect(await send('POST', '/api/v1/files', form(['file', file(10 * MiB)]))).toMatchObject({ status: 413, code: 'too_large' })
    const chunks = Readable.toWeb(Readable.from([formBytes(9 * MiB, '\r\n--b--\r\n')]))
    expect(await send('POST', '/api/v1/files', chunks, formHeaders)).toMatchObject({
      status: 413,
      code: 'too_large',
    })
    expect(await send('POST', '/api/v1/files', form(['file', file(8 * MiB)]))).toMatchObject({ status: 200, bytes: 8 * MiB })
  })

  it('does not answer 200 although the operation overlooked that its file broke off', async () => {
    const body = formBytes(1.5 * MiB, '\r\n--b\r\nContent-Disposition: form-data; name="late"\r\n\r\nx\r\n--b--\r\n')
    server.memory.receive = async (call: Call) => {
      call.upload?.stream.resume()
      await eventually(() => call.upload?.isTruncated() === true, 'the cut')
      return {}
    }
    expect(await send('POST', '/api/v1/files', body, formHeaders)).toMatchObject({ status: 400 })
  })

  it('fails the stream of an upload whose connection breaks', async () => {
    let seen: unknown
    let upload: Call['upload']
    server.memory.receive = async (call) => {
      upload = call.upload
      return read(call).catch((error: unknown) => {
        seen = error
        throw error
      })
    }
    for (const path of ['/api/v1/files', '/api/v1/uploads/t']) {
      const isForm = path === '/api/v1/files'
      seen = undefined
      const type = isForm ? formHeaders['content-type'] : 'application/octet-stream'
      const { socket } = await openSocket(server.port)
      socket.write(
        `${isForm ? 'POST' : 'PUT'} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer FileEdit\r\nContent-Type: ${type}\r\nContent-Length: 5000000\r\n\r\n`,
      )
      socket.write(formBytes(3 * MiB, ''))
      await eventually(() => server.memory.calls.length > 0, 'the call')
      socket.destroy()
      await eventually(() => seen !== undefined, `the failure of ${path}`)
      expect(seen).toBeInstanceOf(AppError)
      expect(upload?.isTruncated()).toBe(true)
      server.memory.calls.length = 0
    }
  })

  it('refuses a stranger, and whoever lacks the role, without waiting for the bytes', async () => {
    server.memory.receive = () => Promise.reject(new AppError('forbidden', 'Not you.'))
    const cases = [
      ['', '401'],
      ['Authorization: Bearer DataView\r\n', '403'],
    ] as const
    for (const [authorization, status] of cases) {
      const { socket, text, closed } = await openSocket(server.port)
      socket.write(
        `POST /api/v1/files HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: ${formHeaders['content-type']}\r\nContent-Length: 8000000\r\n\r\n`,
      )
      socket.write(formBytes(3 * MiB, ''))
      await eventually(() => text().includes('\r\n\r\n'), 'the answer')
      expect(text().slice(9, 12)).toBe(status)
      // The rest is never sent, so the server gives up on the connection.
      await closed
    }
  })
})

describe('raw bytes', () => {
  it('streams a PUT, and refuses one that is too large', async () => {
    const headers = { 'content-type': 'image/heic' }
    expect(await send('PUT', '/api/v1/uploads/abc', file(6 * MiB), headers)).toMatchObject({
      status: 200,
      bytes: 6 * MiB,
      mimeType: 'image/heic',
      input: { token: 'abc' },
    })
    expect(await send('PUT', '/api/v1/uploads/abc', file(9 * MiB), headers)).toMatchObject({ status: 413 })
    const chunks = Readable.toWeb(Readable.from([Buffer.alloc(5 * MiB), Buffer.alloc(5 * MiB)]))
    expect(await send('PUT', '/api/v1/uploads/abc', chunks, headers)).toMatchObject({ status: 413 })
    expect(await send('PUT', '/api/v1/uploads/abc', '', headers)).toMatchObject({ status: 200, bytes: 0 })
  })

  it('hands a webhook over as it came, and answers what its operation answers', async () => {
    const response = await fetch(`${server.url}/api/v1/webhooks/k1?bodySHA256=ab`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'X-Vendor-Signature': 'S' },
      body: 'Body=a%20b&From=%2B1',
    })
    expect([response.status, response.headers.get('x-vendor'), await response.text()]).toEqual([202, 'yes', '<Response/>'])
    const [call] = server.memory.calls
    expect(call?.input).toEqual({ hookKey: 'k1' })
    expect(call?.raw).toMatchObject({
      body: Buffer.from('Body=a%20b&From=%2B1'),
      url: '/api/v1/webhooks/k1?bodySHA256=ab',
      headers: { 'x-vendor-signature': 'S' },
    })
    expect((await fetch(`${server.url}/api/v1/webhooks/k1`, { method: 'POST', body: Buffer.alloc(MiB + 1) })).status).toBe(413)
  })
})

describe('downloads', () => {
  const content = Buffer.from('0123456789'.repeat(30_000))
  const stream = () => Readable.from([content.subarray(0, 100_000), content.subarray(100_000)])
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${server.url}${asset}`, { method, headers: { ...key, ...headers } })
  const whole = () =>
    bytesAnswer({ body: stream(), mimeType: 'image/png', sizeBytes: content.length, fileName: 'gäte "1"/x.png', etag: 'v1' })

  it('carries type, length, name and tag, and is never guessed at', async () => {
    server.memory.download = whole
    const response = await get()
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(content.length),
      'content-disposition': `attachment; filename="g_te _1__x.png"; filename*=UTF-8''g%C3%A4te%20%221%22_x.png`,
      etag: '"v1"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
  })

  it('answers HEAD without the bytes and a known tag with 304, and lets go of the stream', async () => {
    let opened = stream()
    server.memory.download = () => ({ ...whole(), body: (opened = stream()) })
    const head = await get({}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(content.length), ''])
    expect(opened.destroyed).toBe(true)
    const cached = await get({ 'if-none-match': '"v0", W/"v1"' })
    expect([cached.status, cached.headers.get('etag'), await cached.text()]).toEqual([304, '"v1"', ''])
    expect(opened.destroyed).toBe(true)
  })

  it('answers one range, and the whole where the range is none', async () => {
    server.memory.download = whole
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 9],
      ['bytes=99995-100004', 99_995, 100_004],
      ['bytes=299990-', 299_990, 299_999],
      ['bytes=-5', 299_995, 299_999],
      ['bytes=5-999999999', 5, 299_999],
    ] as const) {
      const response = await get({ range })
      expect([range, response.status, response.headers.get('content-range')]).toEqual([range, 206, `bytes ${from}-${to}/300000`])
      expect(Buffer.from(await response.arrayBuffer()).equals(content.subarray(from, to + 1))).toBe(true)
    }
    for (const range of ['bytes=9-5', 'bytes=0-1,3-4', 'lines=1-2']) {
      const response = await get({ range })
      expect([range, response.status, (await response.arrayBuffer()).byteLength]).toEqual([range, 200, content.length])
    }
    expect((await get({ range: 'bytes=0-1', 'if-range': '"v0"' })).status).toBe(200)
  })

  it.each(['bytes=300000-', 'bytes=400000-500000', 'bytes=-0', `bytes=${'9'.repeat(40)}-`])(
    'answers 416 and the size to a range that begins behind its end: %s',
    async (range) => {
      server.memory.download = whole
      const response = await get({ range })
      expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */300000'])
      expect(response.headers.get('content-type')).toContain('application/problem+json')
      expect(await response.json()).toMatchObject({ status: 416, code: 'invalid_input', detail: expect.stringContaining('300000') })
    },
  )

  it('is a problem when the stream fails before its first byte, and a broken connection afterwards', async () => {
    const failing = (after: Buffer[]) =>
      Readable.from(
        (async function* () {
          yield* after
          throw new Error('disk /dev/sdb1 is gone')
        })(),
        { objectMode: false },
      )
    server.memory.download = () => bytesAnswer({ body: failing([]), mimeType: 'image/png', sizeBytes: 100, fileName: 'a.png', etag: 'x' })
    const problem = await get()
    const text = await problem.text()
    expect([problem.status, problem.headers.get('content-disposition'), problem.headers.get('etag')]).toEqual([500, null, null])
    expect(text).not.toContain('sdb1')
    server.memory.download = () => bytesAnswer({ body: failing([Buffer.alloc(70_000)]), mimeType: 'image/png', sizeBytes: 100_000 })
    await expect(get().then((response) => response.arrayBuffer())).rejects.toThrow()
    server.memory.download = () => bytesAnswer({ body: Readable.from([Buffer.alloc(10)]), mimeType: 'image/png', sizeBytes: 20 })
    await expect(get().then((response) => response.arrayBuffer())).rejects.toThrow()
  })

  it('lets go of the stream when the caller leaves, whether bytes flow or not', async () => {
    for (const isStalled of [false, true]) {
      let chunks = 0
      const endless = new Readable({
        read() {
          if (!isStalled || chunks++ === 0) this.push(Buffer.alloc(65_536))
        },
      })
      server.memory.download = () => bytesAnswer({ body: endless, mimeType: 'application/octet-stream' })
      const leaving = new AbortController()
      const response = await fetch(`${server.url}${asset}`, { headers: key, signal: leaving.signal })
      expect(response.status).toBe(200)
      leaving.abort()
      await eventually(() => endless.destroyed, 'the end of the stream')
    }
  })

  it('keeps what an uploader wrote out of the header lines', async () => {
    server.memory.download = () =>
      bytesAnswer({ body: 'x', mimeType: 'text/html\r\nSet-Cookie: a=b', fileName: 'a\r\nSet-Cookie: c=d\u0000.txt', etag: 'v"\r\n1' })
    const text = await exchangeRaw(
      server.port,
      `GET ${asset} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer DataView\r\nConnection: close\r\n\r\n`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toContain('application/octet-stream')
    expect(text).not.toMatch(/^set-cookie/im)
  })
})
