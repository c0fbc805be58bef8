/** Calls over the real transports: REST by fetch, MCP by JSON-RPC, on one server of the world's own platform. */
import type { AddressInfo } from 'node:net'

import type { RegisteredOperation } from '#platform/registry.ts'
import { createHttpServer } from '#server/http/server.ts'
import { createMcpEndpoint } from '#server/mcp/endpoint.ts'
import type { World } from '#test/support/world.ts'
import { noBacklog } from '../support/backlog.ts'

export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON; undefined where the body is none. */
  readonly body: unknown
  readonly sizeBytes: number
}

export interface Wire {
  readonly url: string
  rest(
    operation: RegisteredOperation,
    input: Readonly<Record<string, unknown>>,
    options?: { key?: string | undefined; idempotencyKey?: string },
  ): Promise<WireAnswer>
  /** The structured content of a tool call, or the problem body with `isError`. */
  mcp(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: { key: string; idempotencyKey?: string },
  ): Promise<{ isError: boolean; content: unknown; text: unknown }>
  close(): Promise<void>
}

/** The REST request of an operation for this input. */
export function requestOf(
  operation: RegisteredOperation,
  input: Readonly<Record<string, unknown>>,
): { path: string; body: string | undefined } {
  const rest: Record<string, unknown> = { ...input }
  const path = operation.path.replaceAll(/\{([A-Za-z0-9]+)\}/g, (_all, param: string) => {
    const value = rest[param]
    delete rest[param]
    return encodeURIComponent(String(value))
  })
  if (operation.method !== 'GET') return { path, body: JSON.stringify(rest) }
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]))
  return { path: query.size > 0 ? `${path}?${query.toString()}` : path, body: undefined }
}

/** The same call as a form with a file, for operations that take one: the bytes stand in `contentBase64` over MCP. */
function formOf(input: Readonly<Record<string, unknown>>): FormData {
  const { contentBase64, fileName, mimeType, ...fields } = input
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream'
  form.append('file', new Blob([Buffer.from(String(contentBase64), 'base64')], { type }), String(fileName))
  return form
}

/** Serves the world's platform on a free port. */
export async function openWire(world: World): Promise<Wire> {
  const { pipeline, services } = world.platform
  const config = { ...world.config, port: 0 }
  const mcp = createMcpEndpoint({ pipeline, config, log: services.log, corpus: { pages: () => [], read: () => undefined } })
  const http = await createHttpServer({
    pipeline,
    config,
    log: services.log,
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    backlog: async () => noBacklog,
    mcp,
    docs: { texts: new Map() },
  })
  await http.listen()
  // A listening TCP server has an AddressInfo.
  const { port } = http.app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    async rest(operation, input, options = {}) {
      const { path, body: json } = requestOf(operation, input)
      const isForm = operation.bodyKind === 'multipart' && 'contentBase64' in input
      const body = isForm ? formOf(input) : json
      const response = await fetch(url + path, {
        method: operation.method,
        headers: {
          ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
          ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
          ...(json === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
      })
      const bytes = Buffer.from(await response.arrayBuffer())
      const isJson = (response.headers.get('content-type') ?? '').includes('json')
      const parsed: unknown = isJson ? JSON.parse(bytes.toString()) : undefined
      return { status: response.status, headers: response.headers, body: parsed, sizeBytes: bytes.length }
    },
    async mcp(name, input, options) {
      const response = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${options.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name,
            arguments: input,
            ...(options.idempotencyKey === undefined ? {} : { _meta: { idempotencyKey: options.idempotencyKey } }),
          },
        }),
      })
      const text = await response.text()
      const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
      const message = JSON.parse(data) as {
        result?: { isError?: boolean; structuredContent?: unknown; content: { type: string; text?: string }[] }
        error?: unknown
      }
      if (!message.result) throw new Error(`${name} answered a protocol error: ${data.slice(0, 500)}`)
      const shown = message.result.content.find((part) => part.type === 'text')?.text
      const parsed: unknown = shown === undefined ? undefined : JSON.parse(shown)
      const isError = message.result.isError === true
      return { isError, content: isError ? parsed : message.result.structuredContent, text: parsed }
    },
    async close() {
      await mcp.close()
      await http.close()
    },
  }
}
