/** The MCP endpoint: who may connect, what a call answers, and what becomes of bad messages. */
import { request as httpRequest } from 'node:http'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import { bodyOf, callTool, headersOf, post, problemBody, send, toolResult } from './support/mcp-client.ts'
import { type McpServer, startMcpServer } from './support/mcp-server.ts'

let server: McpServer

beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.calls.length = 0
})

const whoami = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } })

/** Posts with a Host of one's own, which fetch does not allow. */
function statusWith(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const base = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: 'Bearer builder' }
    const sent = httpRequest(
      { host: '127.0.0.1', port: server.port, path: '/mcp', method: 'POST', headers: { ...base, ...headers } },
      (answer) => {
        answer.resume()
        answer.once('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.once('error', reject)
    sent.end(whoami)
  })
}

describe('who may connect', () => {
  it.each(['', 'unknown'])('answers 401 with a challenge and the problem body to the key %j', async (key) => {
    const reply = await send(server, 'tools/list', {}, { key })
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toBe(key === '' ? 'Bearer' : 'Bearer error="invalid_token"')
    const problem = problemBody.parse(JSON.parse(reply.text))
    expect(problem).toMatchObject({ code: 'unauthenticated', status: 401, requestId: reply.headers.get('x-request-id') })
  })

  it('answers 403 to a key of a suspended tenant, and 503 with Retry-After while keys cannot be looked up', async () => {
    const suspended = await send(server, 'tools/list', {}, { key: 'suspended' })
    expect([suspended.status, problemBody.parse(JSON.parse(suspended.text)).code]).toEqual([403, 'tenant_suspended'])
    const away = await send(server, 'tools/list', {}, { key: 'database-away' })
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '2'])
  })

  it.each([
    ['localhost', 200],
    ['127.0.0.1:4000', 200],
    ['[::1]:4000', 200],
    ['field.example.org', 200],
    ['evil.example.com', 403],
    ['localhost.evil.example.com', 403],
  ])('answers the host %s with %i', async (host, status) => {
    expect(await statusWith({ host })).toBe(status)
  })

  it.each([
    ['http://localhost:6274', 200],
    ['https://field.example.org', 200],
    ['https://evil.example.com', 403],
    ['null', 403],
  ])('answers a page of %s with %i', async (origin, status) => {
    expect(await statusWith({ origin })).toBe(status)
  })
})

describe.each(['legacy', 'modern'] as const)('a call on the %s wire', (era) => {
  it('answers structured content and the same JSON as text', async () => {
    const { structuredContent, text, isError } = await callTool(server, 'list_instances', { entity: 'pump' }, { era })
    const page = { items: [{ eiRecordId: 1, note: 'said "yes" – ünïcode' }], nextCursor: 'next', totalAtLeast: 3 }
    expect({ structuredContent, text: JSON.parse(text), isError }).toEqual({ structuredContent: page, text: page, isError: false })
  })

  it('hands input, idempotency key, request id and credential to the pipeline', async () => {
    const { reply } = await callTool(server, 'save_instance', { entity: 'pump', note: 'x' }, { era, meta: { idempotencyKey: 'k-1' } })
    expect(server.calls).toHaveLength(1)
    expect(server.calls[0]).toMatchObject({
      transport: 'mcp',
      input: { entity: 'pump', note: 'x' },
      idempotencyKey: 'k-1',
      requestId: reply.headers.get('x-request-id'),
      credential: { kind: 'bearer', token: 'builder' },
    })
  })

  it('answers a missing role with the problem that REST answers, naming the role', async () => {
    const { problem, structuredContent } = await callTool(server, 'create_entity', { internalName: 'pump' }, { era, key: 'viewer' })
    expect(problem).toMatchObject({ code: 'forbidden', status: 403, detail: 'create_entity needs BuilderAdmin; this key has DataView.' })
    expect(structuredContent).toBeUndefined()
  })

  it('answers input that does not fit as a result with its issues', async () => {
    const { problem } = await callTool(server, 'save_instance', { entity: 'pump' }, { era })
    expect(problem).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.note', severity: 'error' }] })
  })

  it.each([
    ['lst_instances', 'Did you mean list_instances?'],
    ['login', 'See tools/list'],
  ])('answers the unknown tool %s with a protocol error that helps', async (name, help) => {
    const { error } = await send(server, 'tools/call', { name }, { era })
    expect(error?.code).toBe(-32602)
    expect(error?.message).toContain(help)
    expect(server.calls).toHaveLength(0)
  })

  it('answers numbers that could not be kept as a result of the call', async () => {
    const params = { name: 'save_instance', arguments: { entity: 'pump', note: 'x', weight: 0 } }
    const body = bodyOf('tools/call', params, { era }).replace('"weight":0', '"weight":9007199254740993')
    const { result } = await post(server, body, { headers: headersOf('tools/call', params, { era }) })
    const { isError, content } = toolResult.parse(result)
    expect(isError).toBe(true)
    const problem = problemBody.parse(JSON.parse(content[0]?.text ?? ''))
    expect(problem.code).toBe('invalid_input')
    expect(problem.issues?.[0]?.message).toContain('9007199254740993')
    expect(server.calls).toHaveLength(0)
  })
})

describe.each(['legacy', 'modern'] as const)('arguments that are no object, on the %s wire', (era) => {
  it.each([
    ['an array', '["x"]', /not an array/],
    ['a text', '"{}"', /not "\{\}"/],
    ['a number', '5', /not 5/],
  ])('are answered to the model where they are %s', async (_, given, sentence) => {
    const params = { name: 'whoami', arguments: {} }
    const body = bodyOf('tools/call', params, { era }).replace('"arguments":{}', `"arguments":${given}`)
    expect(body).toContain(given)
    const { result } = await post(server, body, { headers: headersOf('tools/call', params, { era }) })
    const { isError, content } = toolResult.parse(result)
    expect(isError).toBe(true)
    expect(problemBody.parse(JSON.parse(content[0]?.text ?? ''))).toMatchObject({
      code: 'invalid_input',
      detail: expect.stringMatching(sentence),
    })
    expect(server.calls).toHaveLength(0)
  })

  it('count as none where they are null', async () => {
    const params = { name: 'whoami', arguments: {} }
    const body = bodyOf('tools/call', params, { era }).replace('"arguments":{}', '"arguments":null')
    const { result } = await post(server, body, { headers: headersOf('tools/call', params, { era }) })
    expect(toolResult.parse(result).isError).not.toBe(true)
    expect(server.calls).toHaveLength(1)
  })

  it.each([
    ['prompts/get', { name: 'connect_and_explore', arguments: { goal: 5 } }, '$.params.arguments.goal'],
    ['resources/read', { uri: 7 }, '$.params.uri'],
    ['tools/call', { arguments: {} }, '$.params.name'],
    ['tools/list', { cursor: null }, '$.params.cursor'],
    ['prompts/list', { cursor: 1 }, '$.params.cursor'],
    ['resources/list', { cursor: {} }, '$.params.cursor'],
    ['resources/templates/list', { cursor: true }, '$.params.cursor'],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'connect_and_explore' }, argument: { name: 'goal' } },
      '$.params.argument.value',
    ],
  ])('of %s are an error of the caller, in our words', async (method, params, path) => {
    const { error } = await send(server, method, params, { era })
    expect(error).toMatchObject({ code: -32602, data: { code: 'invalid_input', issues: [expect.objectContaining({ path })] } })
    expect(error?.message).not.toContain('{')
  })
})

describe('a call', () => {
  it('refuses an idempotency key that is none', async () => {
    for (const idempotencyKey of [7, '', 'x'.repeat(201), 'a\nb']) {
      const { problem } = await callTool(server, 'whoami', {}, { meta: { idempotencyKey } })
      expect(problem).toMatchObject({ code: 'invalid_input', issues: [{ path: '$._meta.idempotencyKey' }] })
    }
  })

  it.each(['fail_unexpectedly', 'answer_bytes'])('tells nothing of the inside when %s', async (name) => {
    const { problem, text } = await callTool(server, name)
    expect(problem?.code).toBe('internal')
    expect(text).not.toContain('secret')
  })

  it.each([
    ['photograph', { type: 'image', mimeType: 'image/png' }],
    ['table', { type: 'resource', resource: { uri: 'https://files.test/download', mimeType: 'text/csv', text: 'a,b\n1,2\n' } }],
    ['archive', { type: 'resource', resource: { mimeType: 'application/zip', blob: 'UEv/AA==' } }],
  ])('carries the bytes of a %s beside its record', async (assetKey, block) => {
    const { content, structuredContent } = await callTool(server, 'download_asset', { assetKey })
    expect(content).toHaveLength(2)
    expect(content[1]).toMatchObject(block)
    expect(structuredContent).toEqual({ url: 'https://files.test/download' })
  })

  it('tells the pipeline when its caller goes away', async () => {
    const gone = new AbortController()
    const pending = callTool(server, 'await_forever', {}, { signal: gone.signal }).catch((error: unknown) => error)
    await vi.waitFor(() => expect(server.calls).toHaveLength(1))
    expect(server.calls[0]?.signal.aborted).toBe(false)
    gone.abort()
    expect(await pending).toMatchObject({ name: 'AbortError' })
    await vi.waitFor(() => expect(server.calls[0]?.signal.aborted).toBe(true))
  })

  it('gives each of a hundred concurrent callers its own answer', async () => {
    const notes = Array.from({ length: 100 }, (_, index) => `note ${index}`)
    const answers = await Promise.all(
      notes.map((note, index) =>
        callTool(server, 'save_instance', { entity: 'pump', note }, { id: index, era: index % 2 ? 'legacy' : 'modern' }),
      ),
    )
    expect(answers.map((answer) => answer.structuredContent?.['note'])).toEqual(notes)
    expect(answers.map((answer) => answer.reply.id)).toEqual(notes.map((_, index) => index))
  })

  it.each([
    ['list_instances', { entity: 'pump' }],
    ['download_asset', { assetKey: 'photograph' }],
    ['delete_instance', { entity: 'pump', record: '1' }],
  ])('answers %s the same by the short way and by the protocol library', async (name, input) => {
    const short = (await callTool(server, name, input)).reply
    // A name in its encoded form is equally right, and one that the short way leaves alone.
    const encoded = { 'mcp-name': `=?base64?${Buffer.from(name).toString('base64')}?=` }
    const long = (await callTool(server, name, input, { headers: encoded })).reply
    const plain = (result: unknown) => JSON.stringify(result).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    expect(JSON.parse(plain(short.result))).toEqual(JSON.parse(plain(long.result)))

    const message = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name, arguments: input } }
    const alone = await post(server, JSON.stringify(message))
    const batch = await post(server, JSON.stringify([message]))
    expect(batch.headers.get('content-type')).toContain('text/event-stream')
    expect(alone.headers.get('content-type')).toContain('application/json')
    expect(plain(alone.result)).not.toBe('undefined')
    expect(JSON.parse(plain(alone.result))).toEqual(JSON.parse(plain(batch.result)))
  })
})

describe('the limit of calls', () => {
  afterEach(() => {
    server.budget.limit = Number.POSITIVE_INFINITY
  })

  const spentBy = async (work: () => Promise<unknown>) => {
    const before = server.budget.spent
    await work()
    return server.budget.spent - before
  }

  it('refuses a batch of more than 20 messages before it counts any, since all of them are one answer', async () => {
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const refused = await post(server, `[${Array.from({ length: 21 }, () => list).join(',')}]`)
    expect(refused.status).toBe(400)
    expect(refused.error?.message).toContain('at most 20 messages, and this has 21')
    expect((await post(server, `[${Array.from({ length: 20 }, () => list).join(',')}]`)).status).toBe(200)
  })

  it('counts what runs no operation too: lists, resources, prompts, unknown tools and each message of a batch', async () => {
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const call = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } })
    const spent: [string, number][] = []
    for (const [what, work] of [
      ['tools/list', () => send(server, 'tools/list')],
      ['resources/list', () => send(server, 'resources/list')],
      ['prompts/list', () => send(server, 'prompts/list', {}, { era: 'legacy' })],
      ['whoami', () => callTool(server, 'whoami', {})],
      ['unknown tool', () => send(server, 'tools/call', { name: 'who_am_i', arguments: {} })],
      ['search_tools', () => callTool(server, 'search_tools', { query: 'records' }, { query: '?surface=catalog' })],
      ['describe_tool', () => callTool(server, 'describe_tool', { name: 'whoami' }, { query: '?surface=catalog' })],
      ['call_read_tool', () => callTool(server, 'call_read_tool', { name: 'whoami' }, { query: '?surface=catalog' })],
      ['batch', () => post(server, `[${list},${list},${call}]`)],
    ] as const)
      spent.push([what, await spentBy(work)])
    expect(Object.fromEntries(spent)).toEqual({
      'tools/list': 1,
      'resources/list': 1,
      'prompts/list': 1,
      whoami: 1,
      'unknown tool': 1,
      search_tools: 1,
      describe_tool: 1,
      call_read_tool: 1,
      batch: 3,
    })
  })

  it('answers 429 with Retry-After to a list, and to a call a tool result that says the same', async () => {
    server.budget.limit = server.budget.spent
    const list = await send(server, 'tools/list')
    expect([list.status, list.headers.get('retry-after'), list.headers.get('content-type')]).toEqual([429, '7', 'application/problem+json'])
    expect(problemBody.parse(JSON.parse(list.text))).toMatchObject({ code: 'rate_limited' })
    const call = await callTool(server, 'whoami', {})
    expect(call).toMatchObject({ isError: true })
    expect(problemBody.parse(JSON.parse(call.content[0]?.text ?? ''))).toMatchObject({ code: 'rate_limited', status: 429 })
  })
})

describe('bad messages', () => {
  it('answers 413 past the limit, declared or not, and takes the next message', async () => {
    const large = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'whoami', arguments: { pad: 'x'.repeat(70_000) } },
    })
    const declared = await post(server, large)
    expect([declared.status, problemBody.parse(JSON.parse(declared.text)).code]).toEqual([413, 'too_large'])
    const chunked = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer builder' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    })
    expect(chunked.status).toBe(413)
    expect((await post(server, whoami)).status).toBe(200)
    expect(server.calls).toHaveLength(1)
  })

  it.each([
    ['cut off', '{"jsonrpc":"2.0"'],
    ['empty', ''],
    ['nested a thousand deep', '['.repeat(1000) + ']'.repeat(1000)],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('answers JSON that is %s with a parse error', async (_what, body) => {
    const reply = await post(server, body)
    expect([reply.status, reply.error?.code]).toEqual([400, -32700])
    expect(problemBody.parse(reply.error?.data).code).toBe('invalid_json')
  })

  it('answers values that could not be kept outside of a call with a protocol error', async () => {
    const reply = await post(server, '{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"a\\u0000"}}')
    expect([reply.status, reply.error?.code, reply.id]).toEqual([400, -32602, 4])
  })

  it.each(['GET', 'DELETE'])('answers %s with 405, since there are no sessions', async (method) => {
    const response = await fetch(server.url, { method, headers: { accept: 'text/event-stream', authorization: 'Bearer builder' } })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it.each([
    ['a body that is no JSON-RPC', '{"hello":1}', {}, 400],
    ['another content type', whoami, { 'content-type': 'text/plain' }, 415],
    ['a client that takes no stream', whoami, { accept: 'application/json' }, 406],
    ['a client that takes no JSON', whoami, { accept: 'text/*, text/event-stream' }, 406],
    ['a revision from nowhere', whoami, { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['a modern header without the envelope', whoami, { 'mcp-protocol-version': '2026-07-28' }, 400],
  ])('answers %s with its status', async (_what, body, headers, status) => {
    expect((await post(server, body, { headers })).status).toBe(status)
    expect(server.calls).toHaveLength(0)
  })

  it.each(['*/*', 'text/html, */*;q=0.8', 'application/json, text/event-stream'])('answers a client that takes %s', async (accept) => {
    const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    for (const body of [whoami, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })]) {
      expect((await post(server, body, { headers: { accept } })).result).toBeDefined()
    }
  })

  it('refuses a name header that contradicts the body', async () => {
    const reply = await send(server, 'tools/call', { name: 'whoami' }, { headers: { 'mcp-name': 'save_instance' } })
    expect([reply.status, reply.error?.code]).toEqual([400, -32020])
  })
})

describe('a stock client', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('agrees on revision %s', async (protocolVersion) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const reply = await post(server, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))
    expect(reply.result).toMatchObject({
      protocolVersion,
      serverInfo: { name: 'fieldloop' },
      capabilities: { tools: {}, resources: {}, prompts: {} },
    })
    expect(reply.headers.get('mcp-session-id')).toBeNull()
  })

  it('is told by initialize what its parameters lack', async () => {
    const reply = await send(server, 'initialize', { capabilities: {} }, { era: 'legacy' })
    expect(reply.error).toMatchObject({
      code: -32602,
      data: { issues: [{ path: '$.params.protocolVersion' }, { path: '$.params.clientInfo' }] },
    })
  })

  it('discovers the server on the 2026 wire', async () => {
    const { result } = await send(server, 'server/discover')
    expect(result).toMatchObject({ supportedVersions: ['2026-07-28'], cacheScope: 'private', ttlMs: 300_000, resultType: 'complete' })
    expect(String(result?.['instructions'])).toContain('whoami')
  })

  it('has its waiting stream ended when the endpoint closes', async () => {
    const other = await startMcpServer()
    const body = bodyOf('subscriptions/listen', { notifications: {} })
    const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: 'Bearer builder' }
    const stream = await fetch(other.url, { method: 'POST', headers: { ...accept, ...headersOf('subscriptions/listen', {}) }, body })
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    await other.close()
    expect(await stream.text()).toContain('notifications/subscriptions/acknowledged')
    expect((await send(other, 'prompts/list')).status).toBe(503)
    await other.stop()
  })

  it('connects, lists, calls, reads and prompts with the first SDK', async () => {
    const client = new Client({ name: 'stock', version: '1' })
    const requestInit = { headers: { authorization: 'Bearer builder' } }
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}?outputs=1`), { requestInit })
    await client.connect(transport)
    try {
      const { tools } = await client.listTools()
      expect(tools.map((tool) => tool.name)).toContain('list_instances')
      const saved = await client.callTool({ name: 'save_instance', arguments: { entity: 'pump', note: 'checked' } })
      expect(saved.structuredContent).toEqual({ eiRecordId: 2, note: 'checked' })
      expect((await client.listResources()).resources).toHaveLength(3)
      expect((await client.readResource({ uri: 'docs://guides/start.md' })).contents[0]).toMatchObject({ mimeType: 'text/markdown' })
      await expect(client.callTool({ name: 'no_such_tool' })).rejects.toThrow('Unknown tool')
    } finally {
      await client.close()
    }
  })
})
