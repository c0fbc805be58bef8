import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { errorCatalogue } from '#platform/errors.ts'

import { exchangeRaw, openSocket, startHttpServer, type TestServer } from './support/http-server.ts'
import { eventually } from './support/patience.ts'

let server: TestServer
beforeAll(async () => {
  server = await startHttpServer({}, { MAX_JSON_BYTES: '100000' })
})
afterAll(() => server.close())

/** As much of the bodies' shapes as these tests look into. */
interface Body {
  code?: string
  detail?: string
  operation?: string
  input?: Record<string, unknown>
  issues?: { path: string; suggestion?: string }[]
}

interface Answer {
  status: number
  headers: Headers
  body: Body
  text: string
}

async function call(
  method: string,
  path: string,
  init: { body?: string | Buffer; type?: string | null; key?: string | null; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { body: sent, type = 'application/json', key = 'DataView+DataEdit+FileEdit', headers = {} } = init
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(sent === undefined || type === null ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: typeof sent === 'string' && type === null ? Buffer.from(sent) : sent }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const body: Body = isJson ? JSON.parse(text) : {}
  return { status: response.status, headers: response.headers, text, body }
}

const post = (path: string, body?: unknown, init: Parameters<typeof call>[2] = {}) =>
  call('POST', path, {
    ...(body === undefined ? {} : { body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    ...init,
  })

describe('input of a call', () => {
  it('takes an absent, an empty, a blank and an empty-object body as the same', async () => {
    const answers = await Promise.all([
      post('/api/v1/schema/whoami'),
      post('/api/v1/schema/whoami', ''),
      post('/api/v1/schema/whoami', ' \r\n'),
      post('/api/v1/schema/whoami', {}),
      call('POST', '/api/v1/schema/whoami', { headers: { 'content-type': 'application/json' } }),
    ])
    expect(answers.map(({ status, body }) => [status, body.input])).toEqual(answers.map(() => [200, {}]))
  })

  it('merges path, query and body, each query value as the schema has it', async () => {
    const { status, body } = await post('/api/v1/things/12/echo?count=3&isOpen=true&weight=1.5&tags=a&tags=b&ids=4', { note: 'both' })
    expect(status).toBe(200)
    expect(body.input).toEqual({ thing: 12, count: 3, isOpen: true, weight: 1.5, tags: ['a', 'b'], ids: [4], note: 'both' })
  })

  it('leaves a name in the path a text and takes digits for an id', async () => {
    const texts = await Promise.all(['Meter', '007', '42'].map((name) => post(`/api/v1/things/${name}/echo`)))
    expect(texts.map(({ body }) => body.input?.['thing'])).toEqual(['Meter', '007', 42])
  })

  it('refuses a query value that the schema does not take, a parameter given twice, and an unknown one', async () => {
    for (const query of [
      'count=three',
      'count=9007199254740993',
      'isOpen=yes',
      'count=1&count=1',
      'colour=red',
      'note=%ff',
      'note=a%00b',
    ]) {
      const { status, body } = await post(`/api/v1/things/a/echo?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 'invalid_input'])
    }
  })

  it('refuses a value that the query and the body give differently, and takes one that they agree on', async () => {
    const differing = await post('/api/v1/things/a/echo?count=3', { count: 4 })
    expect([differing.status, differing.body.issues?.[0]?.path]).toEqual([400, '$.count'])
    expect((await post('/api/v1/things/a/echo?count=3', { count: 3 })).status).toBe(200)
    expect((await post('/api/v1/things/a/echo', { thing: 'b' })).status).toBe(400)
    expect((await post('/api/v1/things/a/echo', { thing: 'a' })).status).toBe(200)
  })

  it('answers 404 for an id that is none, an empty segment, an encoded slash and a NUL in a path', async () => {
    const paths = [
      '/api/v1/things/abc',
      '/api/v1/things/1.5',
      '/api/v1/things/9007199254740993',
      '/api/v1/things/%31%2F2',
      '/api/v1/things/',
      '/api/v1/things/%00',
    ]
    const answers = await Promise.all(paths.map((path) => call('GET', path)))
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(paths.map(() => [404, 'not_found']))
    const encoded = await post('/api/v1/things/a/rows/one%2Ftwo')
    expect([encoded.status, encoded.body.detail]).toEqual([404, expect.stringContaining('encoded slash')])
    expect((await post('/api/v1/things//echo')).status).toBe(404)
    expect((await call('GET', '/api/v1/files/not-a-uuid/download')).status).toBe(404)
  })

  it('does not decode a path twice', async () => {
    const { status, body } = await post('/api/v1/things/a/rows/x%252Fy')
    expect([status, body.input?.['record']]).toEqual([200, 'x%2Fy'])
  })

  it('takes keys of three parts of 200 characters, also of those that encode to twelve bytes', async () => {
    const key = `${'😀'.repeat(100)}|${'😀'.repeat(100)}|${'é'.repeat(200)}`
    const { status, body } = await post(`/api/v1/things/a/rows/${encodeURIComponent(key)}`)
    expect([status, body.input?.['record']]).toEqual([200, key])
  })

  it('gives a shared path to the operation that the body names, and refuses what names none', async () => {
    const path = '/api/v1/things/a/rows/b'
    expect((await post(path)).body.operation).toBe('get_row')
    expect((await post(path, {})).body.operation).toBe('get_row')
    expect((await post(path, { properties: ['a'] })).body.operation).toBe('get_row')
    expect((await post(path, { data: { a: 1 } })).body.operation).toBe('upsert_row')
    expect((await post(path, { dataJson: '{}' })).body.operation).toBe('upsert_row')
    const other = await post(path, { dta: {}, properties: ['a'] })
    expect([other.status, other.body.issues?.[0]?.suggestion, other.body.detail]).toEqual([400, 'data', expect.stringContaining('get_row')])
  })

  it('reads the query alone of a GET, and takes a DELETE without a body', async () => {
    expect((await call('GET', '/api/v1/things/5?isOpen=false')).body.input).toEqual({ thingId: 5, isOpen: false })
    expect((await call('DELETE', '/api/v1/things/5')).body.input).toEqual({ thingId: 5 })
    expect((await call('DELETE', '/api/v1/things/5', { body: '{}' })).status).toBe(200)
  })
})

describe('bodies that must not pass', () => {
  it('answers each with its status, and never 500', async () => {
    const cases: [string, string | Buffer, string | null, number, string][] = [
      ['no JSON', '{"a":', 'application/json', 400, 'invalid_json'],
      ['an array', '[1]', 'application/json', 400, 'invalid_input'],
      ['null', 'null', 'application/json', 400, 'invalid_input'],
      ['a number', '5', 'application/json', 400, 'invalid_input'],
      ['deep nesting', `{"note":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'application/json', 400, 'invalid_json'],
      ['a NUL', '{"note":"a\\u0000b"}', 'application/json', 400, 'invalid_input'],
      ['half a surrogate pair', '{"note":"\\ud800"}', 'application/json', 400, 'invalid_input'],
      ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'application/json', 400, 'invalid_json'],
      ['a number that would change', '{"weight":9007199254740993}', 'application/json', 400, 'invalid_input'],
      ['a number that is none', '{"weight":1e400}', 'application/json', 400, 'invalid_input'],
      ['a prototype', '{"__proto__":{"note":"x"}}', 'application/json', 400, 'invalid_input'],
      ['an unknown field', '{"nte":"x"}', 'application/json', 400, 'invalid_input'],
      ['too many bytes', JSON.stringify({ note: 'x'.repeat(100_001) }), 'application/json', 413, 'too_large'],
      ['a form', 'note=x', 'application/x-www-form-urlencoded', 415, 'unsupported_type'],
      ['plain text', '{"note":"x"}', 'text/plain', 415, 'unsupported_type'],
      ['another charset', '{"note":"x"}', 'application/json; charset=latin1', 415, 'unsupported_type'],
      ['no media type at all', '{"note":"x"}', 'json', 415, 'unsupported_type'],
      ['a form with files', 'x', 'multipart/form-data; boundary=y', 415, 'unsupported_type'],
    ]
    for (const [what, body, type, status, code] of cases) {
      const answer = await call('POST', '/api/v1/things/a/echo', { body, type })
      expect([what, answer.status, answer.body.code]).toEqual([what, status, code])
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
    }
  })

  it('takes JSON under its other names, and untyped', async () => {
    for (const type of ['application/json; charset=UTF-8', 'application/vnd.api+json', 'text/json', null]) {
      const { status, body } = await call('POST', '/api/v1/things/a/echo', { body: '{"note":"ü"}', type })
      expect([type, status, body.input?.['note']]).toEqual([type, 200, 'ü'])
    }
  })

  it('refuses a compressed body, and one that grows too large in chunks', async () => {
    expect((await post('/api/v1/things/a/echo', '{}', { headers: { 'content-encoding': 'gzip' } })).status).toBe(415)
    const head =
      'POST /api/v1/things/a/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer DataView\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    const text = await exchangeRaw(server.port, `${head}${`1000\r\n${' '.repeat(4096)}\r\n`.repeat(40)}0\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('tells whoever is not signed in only that', async () => {
    for (const body of ['{"a":', 'x'.repeat(100_001)]) expect((await post('/api/v1/things/a/echo', body, { key: null })).status).toBe(401)
    expect((await call('GET', '/api/v1/things/abc', { key: null })).status).toBe(401)
    expect((await post('/api/v1/things/a/echo', '{}', { key: null, headers: { 'idempotency-key': 'x'.repeat(201) } })).status).toBe(401)
  })

  it('does not read a large body of a stranger', async () => {
    const before = server.memory.calls.length
    const head = 'POST /api/v1/things/a/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n'
    const { socket, text } = await openSocket(server.port)
    socket.write(`${head}{`)
    await eventually(() => text().includes('HTTP/1.1 401 '), 'an answer before the body')
    socket.destroy()
    expect(server.memory.calls.length).toBe(before)
  })
})

describe('errors', () => {
  it('answers every code with its status, as a problem', async () => {
    const codes = Object.entries(errorCatalogue)
    expect(codes.length).toBeGreaterThan(15)
    for (const [code, { status, retryable }] of codes) {
      const answer = await post('/api/v1/fail', { code }, { key: null })
      expect([code, answer.status]).toEqual([code, status])
      expect(answer.body).toMatchObject({
        type: `urn:fieldloop:error:${code}`,
        status,
        code,
        detail: `This is ${code}.`,
        requestId: answer.headers.get('x-request-id'),
      })
      expect([code, answer.headers.get('retry-after') !== null]).toEqual([code, retryable])
      expect([code, answer.headers.get('www-authenticate')]).toEqual([code, status === 401 ? 'Bearer' : null])
    }
    expect((await post('/api/v1/fail', { code: 'rate_limited' })).headers.get('retry-after')).toBe('3')
  })

  it('shows nothing of what failed inside, and logs it', async () => {
    const answer = await post('/api/v1/fail', {}, { key: null, headers: { 'x-request-id': 'inner-1' } })
    expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
    expect(answer.text).not.toMatch(/10\.1\.2\.3|hunter2|at .*\.ts/)
    const line = () => server.memory.logged.find(({ requestId }) => requestId === 'inner-1')
    await eventually(() => line() !== undefined, 'the log line')
    expect(JSON.stringify(line())).toContain('connection to 10.1.2.3')
  })

  it('names the nearest route, and the method that a path takes', async () => {
    const near = await post('/api/v1/thing/a/echo')
    expect([near.status, near.body.code, near.body.detail]).toEqual([
      404,
      'not_found',
      expect.stringContaining('POST /api/v1/things/{thing}/echo'),
    ])
    expect((await post('/api/v1/things/a/echo/')).body.detail).toContain('Did you mean POST /api/v1/things/{thing}/echo?')
    expect((await call('GET', '/nothing/like/it/at/all')).body.detail).toContain('/openapi.json')
    const wrong = await call('GET', '/api/v1/schema/whoami')
    expect([wrong.status, wrong.headers.get('allow'), wrong.body.detail]).toEqual([
      405,
      'POST',
      expect.stringContaining('takes POST, not GET'),
    ])
    expect((await post('/healthz')).headers.get('allow')).toBe('GET, HEAD')
  })

  it.each(['QUERY', 'PATCH', 'OPTIONS'])('answers the method %s, which no route takes, with 405', async (method) => {
    const { status, headers, body } = await call(method, '/api/v1/schema/whoami')
    expect([status, headers.get('allow'), body.code]).toEqual([405, 'POST', 'method_not_allowed'])
  })

  it('answers broken HTTP with 400, and a path that is no text', async () => {
    for (const request of [
      'NONSENSE\r\n\r\n',
      'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
      'GET /%ff/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n',
    ]) {
      const text = await exchangeRaw(server.port, request)
      expect([request, text.split(' ', 2)[1]]).toEqual([request, '400'])
      expect(text).toContain('application/problem+json')
      expect(text.toLowerCase()).toContain('x-request-id')
    }
    const proxied = await exchangeRaw(server.port, 'CONNECT 10.0.0.1:80 HTTP/1.1\r\nHost: x\r\n\r\n')
    expect([proxied.split(' ', 2)[1], proxied.includes('application/problem+json')]).toEqual(['404', true])
    const expecting = await exchangeRaw(server.port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n')
    expect(expecting).toMatch(/^HTTP\/1\.1 200 /)
    const long = await exchangeRaw(server.port, `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(long).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('headers', () => {
  it('takes a bearer token alone for a credential', async () => {
    for (const authorization of ['Basic YTpi', 'Bearer', 'Bearer a b', 'DataView']) {
      const { status, headers } = await post('/api/v1/schema/whoami', undefined, { key: null, headers: { authorization } })
      expect([authorization, status, headers.get('www-authenticate')]).toEqual([authorization, 401, 'Bearer'])
    }
    expect((await post('/api/v1/schema/whoami', undefined, { key: null, headers: { authorization: 'bearer DataView' } })).status).toBe(200)
  })

  it('reads a signed URL only where the operation admits one', async () => {
    const path = '/api/v1/files/0b0f0e0d-0000-4000-8000-000000000001/download'
    const before = server.memory.calls.length
    expect((await call('GET', `${path}?sig=good&exp=1&u=2&width=9`, { key: null })).status).toBe(200)
    const [made] = server.memory.calls.slice(before)
    expect(made?.credential).toEqual({ kind: 'signed', method: 'GET', path, sig: 'good', exp: '1', u: '2' })
    expect(made?.input).toEqual({ assetKey: '0b0f0e0d-0000-4000-8000-000000000001', width: 9 })
    expect((await call('GET', `${path}?sig=bad&exp=1&u=2`)).status).toBe(403)
    expect((await call('GET', `${path}?exp=1`, { key: null })).status).toBe(403)
    expect((await call('GET', path, { key: null })).status).toBe(401)
    expect((await call('GET', '/api/v1/things/5?sig=good&exp=1&u=2', { key: null })).status).toBe(401)
  })

  it('hands over the idempotency key, the address and the request id, and refuses a key that is none', async () => {
    const before = server.memory.calls.length
    const kept = await post(
      '/api/v1/schema/whoami',
      {},
      {
        headers: {
          'idempotency-key': 'order 7',
          'x-request-id': 'abc.1-2_3',
          'x-forwarded-for': '9.9.9.9',
          traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
        },
      },
    )
    expect(kept.headers.get('x-request-id')).toBe('abc.1-2_3')
    expect(server.memory.calls[before]).toMatchObject({
      idempotencyKey: 'order 7',
      requestId: 'abc.1-2_3',
      ip: '127.0.0.1',
      transport: 'rest',
    })
    const line = () => server.memory.logged.find(({ requestId }) => requestId === 'abc.1-2_3')
    await eventually(() => line() !== undefined, 'the log line')
    expect(line()).toMatchObject({ operation: 'whoami', status: 200, traceId: 'a'.repeat(32), ms: expect.any(Number) })
    expect((await post('/api/v1/schema/whoami', {}, { headers: { 'idempotency-key': 'x'.repeat(201) } })).status).toBe(400)
    expect((await post('/api/v1/schema/whoami', {}, { headers: { 'x-request-id': 'not sane!' } })).headers.get('x-request-id')).toMatch(
      /^[0-9a-f-]{36}$/,
    )
  })

  it('puts the page of a list into headers, and allows no other origin', async () => {
    const { text, headers } = await post('/api/v1/things/list', undefined, { headers: { origin: 'https://elsewhere.test' } })
    expect(text).toBe('[{"thingId":1}]')
    expect(['x-next-cursor', 'x-total-count', 'x-total-at-least', 'cache-control'].map((name) => headers.get(name))).toEqual([
      'abc',
      '7',
      '5',
      'no-store',
    ])
    expect([headers.get('access-control-allow-origin'), headers.get('x-content-type-options')]).toEqual([null, 'nosniff'])
  })
})
