/**
 * The short way for the two messages that make up almost all traffic, `tools/list` and `tools/call`: their responses are written as text,
 * which spares the SDK's parse, validation and second stringify of what PostgreSQL already wrote as JSON: a quarter of the CPU of a call.
 * It takes a message only when there is nothing to object to; every other one, odd headers included, is the SDK's to judge.
 */
import { classifyInboundRequest, isJsonContentType, SERVER_INFO_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'

import { quotedText } from '#platform/json-text.ts'

import { cacheHint, serverIdentity } from './protocol.ts'
import type { ToolOutcome } from './tool-calls.ts'

/** `legacy` is every revision up to 2025-11-25. */
type Era = 'legacy' | 'modern'

interface DirectMessage {
  readonly era: Era
  readonly id: string | number
  readonly method: 'tools/list' | 'tools/call'
  /** Of a call. */
  readonly name: string
  readonly input: Readonly<Record<string, unknown>> | undefined
  readonly meta: unknown
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

const modernRevision = '2026-07-28'

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function header(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** What the caller takes. The SDK asks for both types by name, and a header that is absent or says anything means both. */
export function acceptOf(headers: Headers): string {
  const accept = header(headers, 'accept') ?? '*/*'
  const takesAnything = accept.split(',').some((range) => /^\s*\*\/\*\s*(?:;|$)/.test(range))
  return takesAnything ? 'application/json, text/event-stream' : accept
}

function eraOf(headers: Headers, body: Readonly<Record<string, unknown>>): Era | undefined {
  const version = header(headers, 'mcp-protocol-version')
  const method = header(headers, 'mcp-method')
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
  })
  if (outcome.kind === 'modern') {
    const isPlain = outcome.messageKind === 'request' && outcome.classification.revision === modernRevision
    return isPlain && version === modernRevision && method === body['method'] ? 'modern' : undefined
  }
  if (outcome.kind !== 'legacy' || outcome.reason !== 'no-claim') return undefined
  if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined
  const accept = acceptOf(headers)
  return accept.includes('application/json') && accept.includes('text/event-stream') ? 'legacy' : undefined
}

/** The message, where the short way may take it. */
export function readDirectMessage(headers: Headers, body: unknown): DirectMessage | undefined {
  if (!isRecord(body)) return undefined
  const { method, id, params = {} } = body
  if ((method !== 'tools/call' && method !== 'tools/list') || (typeof id !== 'string' && typeof id !== 'number')) return undefined
  if (!isRecord(params) || !isJsonContentType(header(headers, 'content-type') ?? null)) return undefined
  const era = eraOf(headers, body)
  if (!era) return undefined
  if (method === 'tools/list') return 'cursor' in params ? undefined : { era, id, method, name: '', input: undefined, meta: undefined }
  const { name, arguments: input, _meta: meta } = params
  if (typeof name !== 'string' || (input !== undefined && !isRecord(input)) || (meta !== undefined && !isRecord(meta))) return undefined
  if ('task' in params || 'inputResponses' in params || 'requestState' in params) return undefined
  if (era === 'modern' && header(headers, 'mcp-name') !== name) return undefined
  return { era, id, method, name, input, meta }
}

/** Writes responses. Their members are those that the SDK would send, which a test compares. */
export function createDirectWriter(version: string) {
  const identity = `"_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: serverIdentity(version) })}`
  const complete = `,"resultType":"complete",${identity}}}`
  const end = { legacy: '}}', modern: complete }
  const listEnd = {
    legacy: Buffer.from('}}'),
    modern: Buffer.from(`,"ttlMs":${cacheHint.ttlMs},"cacheScope":"${cacheHint.cacheScope}"${complete}`),
  }
  return {
    /** The body of a `tools/call` response. */
    async callText(message: DirectMessage, outcome: ToolOutcome): Promise<string> {
      const { text, blocks, isError } = outcome
      const more = blocks.map((block) => `,${JSON.stringify(block)}`).join('')
      const content = `{"content":[{"type":"text","text":${await quotedText(text)}}${more}],${isError ? '"isError":true' : `"structuredContent":${text}`}`
      return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${content}${end[message.era]}`
    },

    /** The body of a `tools/list` response around a list in JSON. */
    listBytes(message: DirectMessage, listJson: Buffer): Buffer {
      return Buffer.concat([
        Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":`),
        listJson,
        listEnd[message.era],
      ])
    },
  }
}
