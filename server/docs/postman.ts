/** The registry as a Postman collection, format 2.1: domains as folders, examples as bodies and saved answers. */
import { createHash } from 'node:crypto'

import type { RegisteredOperation, Registry } from '#platform/registry.ts'

import { listedDomains, recordOf, restBody, restInput, whoMayCall } from './wire.ts'

/** The same identifier for the same text, in the shape that the format wants. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function urlOf(operation: RegisteredOperation, input: unknown): Record<string, unknown> {
  const values = recordOf(input)
  const query = restInput(operation).isInQuery ? Object.entries(restBody(operation, input)) : []
  const path = operation.path
    .slice(1)
    .split('/')
    .map((segment) => (segment.startsWith('{') ? `:${segment.slice(1, -1)}` : segment))
  const search = query.length > 0 ? `?${query.map(([key, value]) => `${key}=${encodeURIComponent(textOf(value))}`).join('&')}` : ''
  return {
    raw: `{{baseUrl}}/${path.join('/')}${search}`,
    host: ['{{baseUrl}}'],
    path,
    ...(operation.pathParams.length > 0 ? { variable: operation.pathParams.map((key) => ({ key, value: textOf(values[key]) })) } : {}),
    ...(query.length > 0 ? { query: query.map(([key, value]) => ({ key, value: textOf(value) })) } : {}),
  }
}

function bodyOf(operation: RegisteredOperation, input: unknown): Record<string, unknown> {
  const { bodyKind = 'json' } = operation
  const { isInQuery } = restInput(operation)
  if (bodyKind === 'multipart') {
    const fields = Object.entries(restBody(operation, input)).map(([key, value]) => ({ key, type: 'text', value: textOf(value) }))
    return { body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }, ...fields] } }
  }
  if (bodyKind === 'stream') return { body: { mode: 'file', file: {} } }
  if (isInQuery) return {}
  const raw = JSON.stringify(restBody(operation, input), undefined, 2)
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } }
}

function requestOf(operation: RegisteredOperation, input: unknown): Record<string, unknown> {
  const isOpen = !operation.roleRule.needsCredential
  const hasJson = (operation.bodyKind ?? 'json') === 'json' && !restInput(operation).isInQuery
  return {
    method: operation.method,
    description: `${operation.description}\n\nWho may call: ${whoMayCall(operation)}. MCP tool: ${operation.isTool ? operation.name : 'none'}.`,
    header: hasJson ? [{ key: 'Content-Type', value: 'application/json' }] : [],
    ...(isOpen ? { auth: { type: 'noauth' } } : {}),
    url: urlOf(operation, input),
    ...bodyOf(operation, input),
  }
}

function itemOf(operation: RegisteredOperation): Record<string, unknown> {
  return {
    id: idOf(operation.name),
    name: operation.name,
    request: requestOf(operation, operation.examples[0]?.input),
    response: operation.answersBytes
      ? []
      : operation.examples.map(({ title, input, output }, index) => ({
          id: idOf(`${operation.name} ${index}`),
          name: title,
          originalRequest: requestOf(operation, input),
          status: 'OK',
          code: 200,
          _postman_previewlanguage: 'json',
          header: [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }],
          body: JSON.stringify(output, undefined, 2),
        })),
  }
}

/** The collection. Set `apiKey` to a key, and `baseUrl` where the API is not on this machine. */
export function postmanCollection(registry: Registry, { publicUrl }: { publicUrl: string }): Record<string, unknown> {
  return {
    info: {
      _postman_id: idOf('fieldloop'),
      name: 'Fieldloop',
      description: 'Every operation of the platform, with its examples. Set the variable apiKey.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: publicUrl, type: 'string' },
      { key: 'apiKey', value: '', type: 'string' },
    ],
    item: listedDomains(registry).map((domain) => ({
      id: idOf(`folder ${domain.name}`),
      name: domain.title,
      description: domain.summary,
      item: domain.operations.map(itemOf),
    })),
  }
}
