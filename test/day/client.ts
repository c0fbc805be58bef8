/** A stock MCP client and plain fetch, with each call's name and time. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export interface DayClient {
  readonly url: string
  readonly key: string
  /** Names of the tools that the key sees. */
  listTools(): Promise<string[]>
  /** Calls a tool; answers its structured content. Throws with the problem's sentence. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the caller reads what the tool's schema promises.
  tool(name: string, input?: Record<string, unknown>): Promise<any>
  /** The same over REST, by method and path. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  rest(method: string, path: string, body?: unknown): Promise<any>
  /** Sends bytes to a one-time URL. */
  put(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>
  close(): Promise<void>
}

const callLimitMs = 60_000

export async function connect(url: string, key: string): Promise<DayClient> {
  const client = new Client({ name: 'fieldloop-day', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return {
    url,
    key,
    async listTools() {
      return (await client.listTools()).tools.map((tool) => tool.name)
    },
    async tool(name, input = {}) {
      const result = await client.callTool({ name, arguments: input }, undefined, { timeout: callLimitMs })
      if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`)
      return result.structuredContent
    },
    async rest(method, path, body) {
      const response = await fetch(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(callLimitMs),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return JSON.parse(text)
    },
    async put(target, bytes) {
      const response = await fetch(target, { method: 'PUT', body: bytes, signal: AbortSignal.timeout(callLimitMs) })
      if (!response.ok) throw new Error(`PUT: ${response.status} ${await response.text()}`)
    },
    close: () => client.close(),
  }
}
