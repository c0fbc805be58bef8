/** What the MCP endpoint offers to whom: tool lists, narrowing, the catalog, resources and prompts. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { loadConfig } from '#platform/config.ts'
import { errorCatalogue } from '#platform/errors.ts'
import { createLog } from '#platform/log.ts'
import { roleNames } from '#platform/roles.ts'
import { productPrompts, promptText } from '#server/mcp/prompts.ts'

import { callTool, listTools, post, problemBody, send } from './support/mcp-client.ts'
import { keys, type McpServer, startMcpServer } from './support/mcp-server.ts'
import { lintTool } from './support/tool-lint.ts'

let server: McpServer

beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  server.calls.length = 0
})

const names = async (...ask: Parameters<typeof listTools>) => (await listTools(...ask)).map((tool) => tool.name)
const open = ['docs_index', 'docs_read', 'whoami', 'list_entities']
const read = ['list_instances', 'await_forever', 'answer_bytes', 'fail_unexpectedly', 'download_asset']

describe('the tool list', () => {
  it.each([
    ['viewer', [...open, ...read]],
    ['editor', [...open, 'list_instances', 'save_instance', ...read.slice(1)]],
    ['builder', [...open, 'create_entity', 'list_instances', 'save_instance', 'delete_instance', ...read.slice(1)]],
  ])('shows the key %s the tools of its roles, in reading order', async (key, expected) => {
    expect(await names(server, { key })).toEqual(expected)
    expect(await names(server, { key, era: 'legacy' })).toEqual(expected)
  })

  it('is one page that a client may keep for itself', async () => {
    const { result } = await send(server, 'tools/list')
    expect(result).toMatchObject({ ttlMs: 300_000, cacheScope: 'private', resultType: 'complete' })
    expect(result).not.toHaveProperty('nextCursor')
    expect((await send(server, 'tools/list', { cursor: 'x' })).error?.code).toBe(-32602)
  })

  it('is framed by the short way as the protocol library frames it', async () => {
    const { tools, ...frame } = (await send(server, 'tools/list')).result ?? {}
    const { resources, ...framed } = (await send(server, 'resources/list')).result ?? {}
    expect([tools, resources]).toEqual([expect.any(Array), expect.any(Array)])
    expect(frame).toEqual(framed)

    const message = { jsonrpc: '2.0', id: 5, method: 'tools/list' }
    const batch = await post(server, JSON.stringify([message]))
    expect(batch.headers.get('content-type')).toContain('text/event-stream')
    expect(batch.result).toEqual({ tools })
    expect((await post(server, JSON.stringify(message))).result).toEqual({ tools })
  })

  it('says what each tool does to the world', async () => {
    const tools = new Map((await listTools(server)).map((tool) => [tool.name, tool['annotations']]))
    expect(tools.get('list_instances')).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
    })
    expect(tools.get('save_instance')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    })
    expect(tools.get('delete_instance')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    })
  })

  it('shows output schemas only to who asks', async () => {
    expect((await listTools(server)).filter((tool) => 'outputSchema' in tool)).toEqual([])
    const tools = await listTools(server, { query: '?outputs=1' })
    expect(tools.find((tool) => tool.name === 'list_instances')?.['outputSchema']).toMatchObject({ type: 'object', required: ['items'] })
    expect(tools.filter((tool) => !('outputSchema' in tool))).toEqual([])
  })

  it.each(['', '?outputs=1', '?surface=catalog'])('holds nothing that a host refuses, with %j', async (query) => {
    const tools = await listTools(server, { query })
    expect(tools.length).toBeGreaterThanOrEqual(6)
    expect(tools.flatMap(lintTool)).toEqual([])
  })

  it('is not fooled by the lint', () => {
    const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
    const tool = { name: 'x', title: 'X', description: 'x', annotations: hints }
    const bad = [
      { oneOf: [] },
      { type: 'object', properties: { a: {} } },
      { type: 'object', properties: { a: true } },
      { type: 'object', $defs: {} },
      { type: 'object', properties: { a: { type: 'array' } } },
      { type: 'object', properties: { a: { type: ['array', 'null'] } } },
    ]
    expect(bad.filter((inputSchema) => lintTool({ ...tool, inputSchema }).length === 0)).toEqual([])
  })
})

describe('narrowing', () => {
  it('keeps a read-only connection from every write, listed or called', async () => {
    expect(await names(server, { query: '?readonly=1' })).toEqual([...open, ...read])
    const { problem } = await callTool(server, 'save_instance', { entity: 'pump', note: 'x' }, { query: '?readonly=1' })
    expect(problem).toMatchObject({ code: 'forbidden', status: 403 })
    expect(problem?.detail).toContain('readonly=1')
    expect(server.calls).toHaveLength(0)
  })

  it('keeps a connection to its toolsets, listed or called', async () => {
    const query = '?toolsets=schema,entities&readonly=true'
    expect(await names(server, { query })).toEqual(['whoami', 'list_entities'])
    const { problem } = await callTool(server, 'list_instances', { entity: 'pump' }, { query })
    expect(problem?.code).toBe('forbidden')
    expect(problem?.detail).toContain('toolsets=instances')
    expect(server.calls).toHaveLength(0)
  })

  it.each([
    ['?toolsets=instance', '$.toolsets', 'instances'],
    ['?toolset=docs', '$."toolset"', 'toolsets'],
    ['?readOnly=1', '$."readOnly"', 'readonly'],
    ['?readonly=yes', '$.readonly', undefined],
    ['?surface=katalog', '$.surface', 'catalog'],
    ['?toolsets=', '$.toolsets', undefined],
    ['?toolsets=auth', '$.toolsets', undefined],
  ])('refuses %s instead of opening everything', async (query, path, suggestion) => {
    const reply = await send(server, 'tools/list', {}, { query })
    expect(reply.status).toBe(400)
    const problem = problemBody.parse(JSON.parse(reply.text))
    expect(problem.code).toBe('invalid_input')
    expect(problem.issues).toMatchObject([{ path, severity: 'error' }])
    expect(problem.issues?.[0]?.suggestion).toBe(suggestion)
  })
})

describe('the catalog surface', () => {
  const query = '?surface=catalog'
  const found = z.object({ tools: z.array(z.looseObject({ name: z.string(), callWith: z.string() })) })
  const search = async (input: Record<string, unknown>, key?: string) =>
    found.parse((await callTool(server, 'search_tools', input, { query, key })).structuredContent)

  it('lists the docs tools and the four that reach the others, reads and writes apart', async () => {
    const tools = await listTools(server, { query })
    expect(tools.map((tool) => tool.name)).toEqual([
      'docs_index',
      'docs_read',
      'search_tools',
      'describe_tool',
      'call_read_tool',
      'call_write_tool',
    ])
    const hints = tools.map((tool) => z.object({ readOnlyHint: z.boolean(), destructiveHint: z.boolean() }).parse(tool['annotations']))
    expect(hints.map((hint) => [hint.readOnlyHint, hint.destructiveHint])).toEqual([
      ...Array.from({ length: 5 }, () => [true, false]),
      [false, true],
    ])
    expect(await names(server, { query: `${query}&readonly=1` })).not.toContain('call_write_tool')
  })

  it('finds tools by words, within what the key may call', async () => {
    const saving = await search({ query: 'save an instance' })
    expect(saving.tools[0]).toMatchObject({ name: 'save_instance', toolset: 'instances', callWith: 'call_write_tool' })
    const asViewer = await search({ query: 'save an instance' }, 'viewer')
    expect(asViewer.tools.map((tool) => tool.name)).not.toContain('save_instance')
    expect((await search({ query: 'list', toolset: 'entities', limit: 1 })).tools.map((tool) => tool.name)).toEqual(['list_entities'])
  })

  it('describes a tool with schemas, roles and an example', async () => {
    const { structuredContent } = await callTool(server, 'describe_tool', { name: 'list_instances' }, { query })
    expect(structuredContent).toMatchObject({
      callWith: 'call_read_tool',
      roles: 'DataView',
      inputSchema: { type: 'object', required: ['entity'] },
      outputSchema: { type: 'object', required: ['items'] },
      examples: [{ title: 'An example' }],
    })
  })

  it('calls through the tool that fits the effect, with the same answer', async () => {
    const direct = await callTool(server, 'list_instances', { entity: 'pump' })
    const through = await callTool(server, 'call_read_tool', { name: 'list_instances', arguments: { entity: 'pump' } }, { query })
    expect(through.structuredContent).toEqual(direct.structuredContent)
    const meta = { idempotencyKey: 'k-2' }
    await callTool(server, 'call_write_tool', { name: 'save_instance', arguments: { entity: 'pump', note: 'x' } }, { query, meta })
    expect(server.calls.at(-1)).toMatchObject({ idempotencyKey: 'k-2', input: { entity: 'pump', note: 'x' } })
  })

  it.each([
    ['call_read_tool', { name: 'save_instance', arguments: {} }, 'call_write_tool'],
    ['call_read_tool', { name: 'lst_instances' }, 'list_instances'],
    ['call_read_tool', { nam: 'whoami' }, 'name'],
    ['describe_tool', { name: 'login' }, 'search_tools'],
    ['search_tools', { query: 'x', toolset: 'entitys' }, 'entities'],
    ['save_instance', { entity: 'pump', note: 'x' }, 'call_write_tool'],
  ])('refuses %s with %j and says what to do', async (name, input, help) => {
    const { problem, text } = await callTool(server, name, input, { query })
    expect(problem?.code).toBe('invalid_input')
    expect(text).toContain(help)
    expect(server.calls).toHaveLength(0)
  })

  it('knows its own tools on no other surface', async () => {
    expect((await send(server, 'tools/call', { name: 'call_write_tool' })).error?.code).toBe(-32602)
  })
})

describe('resources', () => {
  it('are the pages of the corpus, each to be read by its URI', async () => {
    const { result } = await send(server, 'resources/list')
    expect(result).toMatchObject({ resources: [{ uri: 'docs://guides/start.md', title: 'Start', mimeType: 'text/markdown' }, {}, {}] })
    const page = await send(server, 'resources/read', { uri: 'docs://guides/start.md' })
    expect(page.result).toMatchObject({
      contents: [{ uri: 'docs://guides/start.md', mimeType: 'text/markdown', text: '# guides/start.md\n' }],
    })
  })

  it.each(['docs://reference/none.md', 'file:///etc/passwd', 'docs://../package.json'])('are not found at %s', async (uri) => {
    expect((await send(server, 'resources/read', { uri })).error?.code).toBe(-32602)
  })

  it('are completed by the beginning of their path', async () => {
    const template = await send(server, 'resources/templates/list')
    expect(template.result).toMatchObject({ resourceTemplates: [{ uriTemplate: 'docs://{+path}' }] })
    const ref = { type: 'ref/resource', uri: 'docs://{+path}' }
    const { result } = await send(server, 'completion/complete', { ref, argument: { name: 'path', value: 'gui' } })
    expect(result).toMatchObject({ completion: { values: ['guides/start.md', 'guides/import.md'], hasMore: false } })
  })
})

describe('prompts', () => {
  const listed = z.object({ prompts: z.array(z.object({ name: z.string() })) })

  it('name in their texts exactly the tools that they are offered for', () => {
    expect(productPrompts).toHaveLength(6)
    for (const prompt of productPrompts) {
      const words = prompt.steps.flatMap((step) => step.text.match(/\b(?:whoami|[a-z]+(?:_[a-z]+)+)\b/g) ?? [])
      const mentioned = new Set(words.filter((word) => !(word in errorCatalogue)))
      expect(mentioned, prompt.name).toEqual(new Set(prompt.steps.flatMap((step) => step.tools)))
    }
  })

  it('are offered where the key may call every tool that they need', async () => {
    const own = { name: 'save_one', title: 'Save one', description: 'Save', arguments: [], opening: () => 'Save one record.' }
    const prompts = [{ ...own, steps: [{ tools: ['save_instance'], text: 'Call save_instance.' }] }]
    const other = await startMcpServer({ prompts, config: loadConfig({}), log: createLog('silent') })
    try {
      const offered = async (key: string, query = '') =>
        listed.parse((await send(other, 'prompts/list', {}, { key, query })).result).prompts.length
      expect([await offered('viewer'), await offered('editor'), await offered('editor', '?readonly=1')]).toEqual([0, 1, 0])
      const { result } = await send(other, 'prompts/get', { name: 'save_one' }, { query: '?surface=catalog' })
      expect(JSON.stringify(result)).toContain('1. Call save_instance.')
      expect(JSON.stringify(result)).toContain('call_write_tool')
      expect((await send(other, 'prompts/get', { name: 'save_ome' })).error?.message).toContain('save_one')
      expect((await send(other, 'prompts/get', { name: 'save_one', arguments: { subject: 'x' } })).error?.code).toBe(-32602)
    } finally {
      await other.stop()
    }
  })

  it('leave out steps that the key cannot take, and carry their arguments', () => {
    const ask = productPrompts.find((prompt) => prompt.name === 'ask_a_field_worker')
    const tools = new Set(['send_message', 'await_reply', 'end_conversation'])
    const text = ask ? promptText(ask, { recipient: 'Ada', question: 'Is the gate open?' }, tools, false) : ''
    expect(text).toContain('Ask Ada: Is the gate open?')
    expect(text).toContain('1. Call send_message')
    expect(text).not.toContain('list_users')
  })
})

it('keeps the keys of these tests to roles that exist', () => {
  const used = Object.values(keys).flat()
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((role) => !roleNames.includes(role))).toEqual([])
})
