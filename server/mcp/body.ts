/** Reading the one JSON message of an HTTP request, once and within bounds. */
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

import { type SpecTypeName, specTypeSchemas } from '@modelcontextprotocol/server'

import { AppError } from '#platform/errors.ts'
import { type ParsedJson, readJson } from '#platform/json.ts'
import type { Pace } from '#platform/pace.ts'
import { quoted } from '#platform/suggest.ts'

import { isRecord } from './direct.ts'

/** Thrown when the caller went away before its body was whole; nobody is left to answer. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone'
}

function tooLarge(limit: number): AppError {
  return new AppError('too_large', `An MCP message may have ${limit} bytes. Send large files through create_upload_url.`)
}

// A message is small; a caller that needs longer is broken, or holds the connection on purpose.
const totalMs = 60_000

/** The bytes that the headers announce, or as many as there may be. Throws AppError `too_large` past `limit`, and on what is compressed. */
export function announcedBytes(request: IncomingMessage, limit: number): number {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_type', 'The body is compressed. Send it without Content-Encoding.')
  }
  const declared = request.headers['content-length']
  if (Number(declared) > limit) throw tooLarge(limit)
  return declared === undefined ? limit : Number(declared)
}

/** The bytes of the body. Throws AppError `too_large` past `limit`, `timeout` where it does not come, and CallerGone. */
export function readBody(request: IncomingMessage, limit: number, pace: Pace): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (finish: () => void) => {
      unwatch()
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      finish()
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) settle(() => reject(tooLarge(limit)))
      else chunks.push(chunk)
    }
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    const onClose = () => settle(() => reject(new CallerGone()))
    const unwatch = pace.watch(request, { totalMs }, (error) => settle(() => reject(error)))
    request.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose)
  })
}

/** Parses the body. Throws AppError `invalid_json`. */
export function parseBody(bytes: Buffer): Promise<ParsedJson> {
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not UTF-8.')
  return readJson(bytes)
}

/**
 * A tool call whose arguments are no object, as models write them now and then: null counts as none, and anything else is answered to the model as a
 * result of the call, since a protocol error ends with the host.
 */
export function withArguments(parsed: ParsedJson): ParsedJson {
  const { value } = parsed
  if (!isRecord(value) || value['method'] !== 'tools/call' || !isRecord(value['params'])) return parsed
  const { arguments: given, ...params } = value['params']
  if (given === undefined || isRecord(given)) return parsed
  if (given === null) return { ...parsed, value: { ...value, params } }
  const message = `The arguments of a call are one JSON object, not ${Array.isArray(given) ? 'an array' : quoted(given)}.`
  const refusal = new AppError('invalid_input', message, { issues: [{ path: '$', severity: 'error', message }] })
  return { value: { ...value, params: { ...params, arguments: {} } }, refusal: parsed.refusal ?? refusal }
}

const requestTypes: Readonly<Record<string, SpecTypeName>> = {
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
  'prompts/list': 'ListPromptsRequest',
  'prompts/get': 'GetPromptRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
  'resources/read': 'ReadResourceRequest',
  'completion/complete': 'CompleteRequest',
}

/** Of the revisions up to 2025-11-25 alone: later ones do not know the method. */
const legacyRequestTypes: typeof requestTypes = { initialize: 'InitializeRequest' }

/** What is wrong with the parameters of a request: the protocol library would call it an error of ours, or tell of it in the words of its schemas. */
export function findWrongParams(message: Readonly<Record<string, unknown>>, isModern: boolean): AppError | undefined {
  const { method } = message
  const types = isModern ? requestTypes : { ...requestTypes, ...legacyRequestTypes }
  const type = typeof method === 'string' && Object.hasOwn(types, method) ? types[method] : undefined
  if (type === undefined || message['id'] === undefined) return undefined
  const result = specTypeSchemas[type]['~standard'].validate(message)
  if (result instanceof Promise || !result.issues) return undefined
  const issues = result.issues.slice(0, 20).map((issue) => {
    const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
    return { path: ['$', ...path].join('.'), severity: 'error', message: issue.message } as const
  })
  const [first] = issues
  return new AppError('invalid_input', `${String(method)} cannot be answered. ${first ? `${first.path}: ${first.message}.` : ''}`, {
    issues,
  })
}
