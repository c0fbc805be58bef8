/** JSON-RPC on the wire, as each of the two kinds of client sends it. */
import { z } from 'zod'

import type { McpServer } from './mcp-server.ts'

export const modernRevision = '2026-07-28'

const replyBody = z.object({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown() }).partial({ data: true }).optional(),
})

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly id: string | number | null | undefined
  readonly result: Record<string, unknown> | undefined
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | undefined
}

export interface Ask {
  readonly key?: string | undefined
  readonly query?: string
  readonly era?: 'legacy' | 'modern'
  readonly headers?: Record<string, string>
  readonly id?: string | number
  readonly signal?: AbortSignal
}

/** The reply's message: the body itself, or the last event of a stream. */
function messageOf(type: string, text: string): unknown {
  if (!type.startsWith('text/event-stream')) return text === '' ? {} : JSON.parse(text)
  const data = text.split('\n').findLast((line) => line.startsWith('data: '))
  return data === undefined ? {} : JSON.parse(data.slice(6))
}

/** Posts a body as it is. */
export async function post(
  server: McpServer,
  body: string | Buffer,
  { key = 'builder', query = '', headers = {}, signal }: Ask = {},
): Promise<Reply> {
  const response = await fetch(server.url + query, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body,
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  const parsed = replyBody.safeParse(messageOf(response.headers.get('content-type') ?? '', text))
  return {
    status: response.status,
    headers: response.headers,
    text,
    id: parsed.data?.id,
    result: parsed.data?.result,
    error: parsed.data?.error,
  }
}

type Params = Readonly<Record<string, unknown>>

/** The body of one request, with the envelope of its era. */
export function bodyOf(method: string, params: Params, { era = 'modern', id = 1 }: Ask = {}): string {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': modernRevision,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  }
  const meta = params['_meta']
  const enveloped = { ...params, _meta: { ...envelope, ...(typeof meta === 'object' ? meta : {}) } }
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: era === 'modern' ? enveloped : params })
}

/** The headers of one request, as a client of its era sets them. */
export function headersOf(method: string, params: Params, { era = 'modern' }: Ask = {}): Record<string, string> {
  if (era === 'legacy') return { 'mcp-protocol-version': '2025-06-18' }
  const named = params['name'] ?? params['uri']
  return { 'mcp-protocol-version': modernRevision, 'mcp-method': method, ...(typeof named === 'string' ? { 'mcp-name': named } : {}) }
}

/** Sends one request as a client of that era does. */
export function send(server: McpServer, method: string, params: Params = {}, ask: Ask = {}): Promise<Reply> {
  return post(server, bodyOf(method, params, ask), { ...ask, headers: { ...headersOf(method, params, ask), ...ask.headers } })
}

/** The body of an error, on every transport. */
export const problemBody = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  code: z.string(),
  requestId: z.string(),
  issues: z.array(z.object({ path: z.string(), severity: z.string(), message: z.string(), suggestion: z.string().optional() })).optional(),
})

export const toolResult = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
})

/** Calls a tool; throws where the answer is no tool result. */
export async function callTool(
  server: McpServer,
  name: string,
  input?: Record<string, unknown>,
  ask: Ask & { meta?: Record<string, unknown> } = {},
) {
  const reply = await send(
    server,
    'tools/call',
    { name, ...(input ? { arguments: input } : {}), ...(ask.meta ? { _meta: ask.meta } : {}) },
    ask,
  )
  const { content, structuredContent, isError } = toolResult.parse(reply.result)
  const text = content[0]?.text ?? ''
  const problem = isError ? problemBody.parse(JSON.parse(text)) : undefined
  return { reply, content, structuredContent, isError: isError === true, text, problem }
}

const toolList = z.object({ tools: z.array(z.looseObject({ name: z.string() })) })

/** The tools that a key sees, as listed. */
export async function listTools(server: McpServer, ask: Ask = {}) {
  return toolList.parse((await send(server, 'tools/list', {}, ask)).result).tools
}
