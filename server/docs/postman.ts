/**
 * The registry as a Postman collection, format 2.1, that runs from top to bottom: domains as folders, the walk's calls as requests whose scripts keep
 * the ids that the next ones need, the operations' examples as saved answers, and a folder that takes back what the run made.
 */
import { createHash } from 'node:crypto'

import type { RegisteredOperation, Registry } from '#platform/registry.ts'

import { cleanUpSteps, type Step, walk } from './walk/index.ts'
import { listedDomains, recordOf, restBody, restInput, whoMayCall } from './wire.ts'

/** The same identifier for the same text, in the shape that the format wants. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** A text for a place in the URL, in which variables stay variables. */
function urlText(value: unknown): string {
  return encodeURIComponent(textOf(value)).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}')
}

function urlOf(operation: RegisteredOperation, input: unknown): Record<string, unknown> {
  const values = recordOf(input)
  const query = restInput(operation).isInQuery ? Object.entries(restBody(operation, input)) : []
  const path = operation.path
    .slice(1)
    .split('/')
    .map((segment) => (segment.startsWith('{') ? `:${segment.slice(1, -1)}` : segment))
  const search = query.length > 0 ? `?${query.map(([key, value]) => `${key}=${urlText(value)}`).join('&')}` : ''
  return {
    raw: `{{baseUrl}}/${path.join('/')}${search}`,
    host: ['{{baseUrl}}'],
    path,
    ...(operation.pathParams.length > 0 ? { variable: operation.pathParams.map((key) => ({ key, value: textOf(values[key]) })) } : {}),
    ...(query.length > 0 ? { query: query.map(([key, value]) => ({ key, value: textOf(value) })) } : {}),
  }
}

/** The input as JSON, in which `"{{#name}}"` is the bare variable. */
function jsonOf(operation: RegisteredOperation, input: unknown): string {
  return JSON.stringify(restBody(operation, input), undefined, 2).replaceAll(/"\{\{#(\w+)\}\}"/g, '{{$1}}')
}

function requestOf(operation: RegisteredOperation, { input, headers = {}, body }: Omit<Step, 'operation'>): Record<string, unknown> {
  const isOpen = !operation.roleRule.needsCredential
  const hasJson = body === undefined && (operation.bodyKind ?? 'json') === 'json' && !restInput(operation).isInQuery
  const header = hasJson ? { ...headers, 'Content-Type': 'application/json' } : headers
  const raw = hasJson ? jsonOf(operation, input) : body
  return {
    method: operation.method,
    description: `${operation.description}\n\nWho may call: ${whoMayCall(operation)}. MCP tool: ${operation.isTool ? operation.name : 'none'}.`,
    header: Object.entries(header).map(([key, value]) => ({ key, value })),
    ...(isOpen || operation.roleRule.isOfPerson ? { auth: { type: 'noauth' } } : {}),
    url: urlOf(operation, input),
    ...(raw === undefined ? {} : { body: { mode: 'raw', raw, options: { raw: { language: hasJson ? 'json' : 'text' } } } }),
  }
}

function scriptOf(listen: 'prerequest' | 'test', lines: readonly string[]): Record<string, unknown>[] {
  return lines.length > 0 ? [{ listen, script: { type: 'text/javascript', exec: lines } }] : []
}

function eventsOf({ before = [], keeps = {} }: Step): Record<string, unknown>[] {
  const kept = Object.entries(keeps).map(([name, value]) => `pm.collectionVariables.set('${name}', ${value})`)
  return [...scriptOf('prerequest', before), ...scriptOf('test', kept.length > 0 ? ['const answer = pm.response.json()', ...kept] : [])]
}

function savedAnswersOf(operation: RegisteredOperation): Record<string, unknown>[] {
  if (operation.answersBytes) return []
  return operation.examples.map(({ title, input, output }, index) => ({
    id: idOf(`${operation.name} ${index}`),
    name: title,
    originalRequest: requestOf(operation, { input: recordOf(input) }),
    status: 'OK',
    code: 200,
    _postman_previewlanguage: 'json',
    header: [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }],
    body: JSON.stringify(output, undefined, 2),
  }))
}

function itemsOf(registry: Registry, steps: readonly Step[], folder: string): Record<string, unknown>[] {
  return steps.map((step) => {
    const operation = registry.byName.get(step.operation)
    if (!operation) throw new Error(`The walk calls ${step.operation}, which is no operation.`)
    const name = step.title === undefined ? operation.name : `${operation.name}: ${step.title}`
    const events = eventsOf(step)
    return {
      id: idOf(`${folder} ${name}`),
      name,
      ...(events.length > 0 ? { event: events } : {}),
      request: requestOf(operation, step),
      response: step.title === undefined ? savedAnswersOf(operation) : [],
    }
  })
}

const description = [
  'Every operation of the platform, in an order in which all of them work: set the variable apiKey to the key of a global administrator, userName and password to the log-in of a person without a second factor, and run the collection.',
  'Each request keeps the ids that later ones need, so a single one works once those before it in its folder, and the folders before, have run.',
  'A run works on things of its own, named after the variable run, and the last folder takes them back; users and tenants, which cannot be deleted, it locks and suspends.',
].join('\n\n')

/** The first request of a run gives it its word. */
const newRun =
  "if (pm.info.requestName === 'docs_index' || !pm.collectionVariables.get('run')) pm.collectionVariables.set('run', Date.now().toString(36))"

const isAnswered = [
  "pm.test('is answered without an error', () => pm.expect(pm.response.code, pm.response.text().slice(0, 500)).to.be.below(400))",
]

/** The collection. Set `apiKey` to a key, and `baseUrl` where the API is not on this machine. */
export function postmanCollection(registry: Registry, { publicUrl }: { publicUrl: string }): Record<string, unknown> {
  const folder = (name: string, title: string, summary: string, steps: readonly Step[]) => ({
    id: idOf(`folder ${name}`),
    name: title,
    description: summary,
    item: itemsOf(registry, steps, name),
  })
  return {
    info: {
      _postman_id: idOf('fieldloop'),
      name: 'Fieldloop',
      description,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiKey}}', type: 'string' }] },
    event: [...scriptOf('prerequest', [newRun]), ...scriptOf('test', isAnswered)],
    variable: [
      { key: 'baseUrl', value: publicUrl, type: 'string' },
      { key: 'apiKey', value: '', type: 'string' },
      { key: 'userName', value: 'admin', type: 'string' },
      { key: 'password', value: '', type: 'string' },
    ],
    item: [
      ...listedDomains(registry)
        .filter(({ operations }) => operations.length > 0)
        .map(({ name, title, summary }) => folder(name, title, summary, walk[name] ?? [])),
      folder('clean-up', 'Clean up', 'Takes back what the run made.', cleanUpSteps),
    ],
  }
}
