/** What the document of OpenAPI says of answers: of success, and of every error that an operation may answer. */
import { type ErrorCode, errorCatalogue } from '#platform/errors.ts'
import type { RegisteredOperation } from '#platform/registry.ts'

import { isPaged } from './wire.ts'

export const ref = (path: string) => ({ $ref: `#/components/${path}` })

export const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was wrong and what to do' },
    code: { type: 'string', enum: Object.keys(errorCatalogue) },
    requestId: { type: 'string' },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'severity', 'message'],
        properties: {
          path: { type: 'string', description: 'JSON path into the body' },
          severity: { type: 'string', enum: ['error', 'warning'] },
          message: { type: 'string' },
          suggestion: { type: 'string', description: 'The nearest right name' },
        },
      },
    },
  },
}

export const headers = {
  'X-Request-Id': { description: 'Of this call, also in problem bodies', schema: { type: 'string' } },
  'X-Next-Cursor': { description: 'Where more rows exist: for cursor of the next call', schema: { type: 'string' } },
  'X-Total-Count': { description: 'On the first page: how many rows there are in all', schema: { type: 'integer' } },
  'X-Total-At-Least': { description: 'In place of X-Total-Count where there are more than were counted', schema: { type: 'integer' } },
  ETag: { description: 'Of these bytes, for If-None-Match and If-Range', schema: { type: 'string' } },
  'Content-Range': { description: 'Which bytes of how many these are', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which the same call may succeed', schema: { type: 'integer' } },
}

/** The codes of an operation over REST, where the Content-Type of a JSON body is looked at before the operation is. */
function restCodesOf(operation: RegisteredOperation): ErrorCode[] {
  const takesJson = operation.method !== 'GET' && (operation.bodyKind ?? 'json') === 'json'
  return [...operation.codes, ...(takesJson ? (['unsupported_type'] as const) : [])]
}

/** Whose request may come too slowly. */
const takesBody = (operation: RegisteredOperation) => operation.method !== 'GET'

/** The answer of one status: named by its codes, so that the operations share it. */
export function errorResponses(operations: readonly RegisteredOperation[], shared: Map<string, unknown>): Record<string, unknown> {
  const known = new Set(operations.flatMap(restCodesOf))
  const codes = Object.keys(errorCatalogue).filter((code): code is ErrorCode => known.has(code as ErrorCode))
  const answers: [number, ErrorCode][] = codes.map((code) => [errorCatalogue[code].status, code])
  if (operations.some(takesBody)) answers.push([408, 'timeout'])
  if (operations.some(({ mayBeOver }) => mayBeOver)) answers.push([410, 'conflict'])
  const statuses = [...new Set(answers.map(([status]) => status))].toSorted((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const own = answers.filter(([one]) => one === status).map(([, code]) => code)
      const name = `E${status}_${own.join('.')}`
      const isRetryable = own.some((code) => errorCatalogue[code].retryable)
      shared.set(name, {
        description: own.map((code) => `${code}: ${errorCatalogue[code].title}`).join('. '),
        ...(isRetryable ? { headers: { 'Retry-After': ref('headers/Retry-After') } } : {}),
        content: {
          'application/problem+json': {
            schema: {
              allOf: [ref('schemas/Problem'), { type: 'object', required: ['code'], properties: { code: { type: 'string', enum: own } } }],
            },
          },
        },
      })
      return [String(status), ref(`responses/${name}`)]
    }),
  )
}

export function examplesOf(entries: readonly { title: string; value: unknown }[]): Record<string, unknown> {
  return Object.fromEntries(entries.map(({ title, value }, index) => [`example${index + 1}`, { summary: title, value }]))
}

/** The answers of a call that brings bytes: all of them, a part, or word that the caller has them already. */
function bytesResponses(): Record<string, unknown> {
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } } }
  const etag = { 'X-Request-Id': ref('headers/X-Request-Id'), ETag: ref('headers/ETag') }
  return {
    '200': { description: 'The bytes', headers: etag, content },
    '206': {
      description: 'The part that the header Range asks for',
      headers: { ...etag, 'Content-Range': ref('headers/Content-Range') },
      content,
    },
    '304': { description: 'The bytes are still those of the ETag in If-None-Match', headers: etag },
  }
}

export function successResponses(operations: readonly RegisteredOperation[]): Record<string, unknown> {
  if (operations.some((operation) => operation.answersBytes)) return bytesResponses()
  return { '200': successOf(operations) }
}

const listHeaders = {
  'X-Next-Cursor': ref('headers/X-Next-Cursor'),
  'X-Total-Count': ref('headers/X-Total-Count'),
  'X-Total-At-Least': ref('headers/X-Total-At-Least'),
}

function successOf(operations: readonly RegisteredOperation[]): unknown {
  const schemas = operations.map((one) => one.outputSchema)
  const isList = operations.some(isPaged)
  return {
    description: operations.map((one) => one.title).join(' / '),
    headers: {
      'X-Request-Id': ref('headers/X-Request-Id'),
      ...(isList ? listHeaders : {}),
    },
    content: {
      'application/json': {
        schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
        examples: examplesOf(operations.flatMap((one) => one.examples.map(({ title, output }) => ({ title, value: output })))),
      },
    },
  }
}
