/** The protocol server of one message: the SDK's low-level server with our handlers, for everything that has no shorter way. */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'

import { nearest, quoted } from '#platform/suggest.ts'

import { progressTeller } from './progress.ts'
import { promptsFor, promptText, type PromptDefinition } from './prompts.ts'
import { complete, listPages, pageTemplate, readPage, type Corpus } from './resources.ts'
import type { Session } from './session.ts'
import type { ToolCalls, ToolOutcome } from './tool-calls.ts'
import type { ToolDescriptor } from './views.ts'

/** What a conformance suite needs to find on a server. Tests inject it; the product has none. */
export interface ProtocolFixtures {
  readonly tools: ReadonlyMap<string, FixtureTool>
  readonly options: ServerOptions
  /** Called on each new protocol server after its own handlers are set, to replace some of them. */
  install(server: Server): void
}

export interface FixtureTool {
  readonly descriptor: ToolDescriptor
  run(input: Readonly<Record<string, unknown>>, context: ServerContext): Promise<CallToolResult | InputRequiredResult>
}

interface ProtocolParts {
  readonly calls: ToolCalls
  readonly corpus: Corpus
  readonly prompts: readonly PromptDefinition[]
  readonly version: string
  readonly domains: readonly { readonly name: string; readonly title: string }[]
  readonly fixtures: ProtocolFixtures | undefined
}

/** How long a client may keep a list. What it shows changes only with a deployment or with the roles of the key. */
export const cacheHint = { ttlMs: 300_000, cacheScope: 'private' } as const

/** Who answers, as `initialize` and each 2026 result say. */
export function serverIdentity(version: string) {
  return { name: 'fieldloop', title: 'Fieldloop', version }
}

function instructionsFor(session: Session, domains: ProtocolParts['domains']): string {
  const { surface, operations } = session.view
  const reachable = new Set(operations.map((operation) => operation.domain))
  const toolsets = domains.filter((domain) => reachable.has(domain.name)).map((domain) => `${domain.name} (${domain.title})`)
  return [
    'Fieldloop is an operations platform: records of entities that you author, files and what is recognised in them, messages to people in the field, and the jobs and workflows between them.',
    'Start with whoami and docs_index; docs_search answers questions in plain words.',
    surface.kind === 'catalog'
      ? 'Most tools are not listed here: search_tools finds them, describe_tool tells their arguments, call_read_tool and call_write_tool call them.'
      : 'Tools are named verb_noun: list_ and get_ read, create_, save_ and update_ write, delete_ removes.',
    `Toolsets: ${toolsets.join(', ')}.`,
    'An error is a JSON object with code, detail and issues[], each with a path and the nearest right name. Long work answers a jobId or a conversationId at once: wait with await_job or await_reply. Repeat a write safely with _meta.idempotencyKey.',
  ].join('\n')
}

/** The SDK's form of an outcome. */
function toCallToolResult(outcome: ToolOutcome): CallToolResult {
  const content: CallToolResult['content'] = [{ type: 'text', text: outcome.text }, ...outcome.blocks]
  if (outcome.isError) return { content, isError: true }
  const structuredContent: unknown = JSON.parse(outcome.text)
  return { content, structuredContent }
}

function invalidParams(sentence: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, sentence)
}

/** Makes the protocol server for one message of this caller. */
export function createProtocolServer(session: Session, parts: ProtocolParts): Server {
  const { calls, corpus, fixtures } = parts
  const { view } = session
  const reachable = new Set(view.operations.map((operation) => operation.name))
  const server = new Server(serverIdentity(parts.version), {
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
    instructions: instructionsFor(session, parts.domains),
    cacheHints: {
      'tools/list': cacheHint,
      'prompts/list': cacheHint,
      'resources/list': cacheHint,
      'resources/templates/list': cacheHint,
      'resources/read': cacheHint,
      'server/discover': cacheHint,
    },
    ...fixtures?.options,
  })

  // Hosts read the first page only, so every list is one page, and a cursor was never ours.
  const refuseCursor = (params: { cursor?: string | undefined } | undefined) => {
    if (params?.cursor !== undefined) throw invalidParams('This list is one page; ask for it without a cursor.')
  }

  server.setRequestHandler('tools/list', (request) => {
    refuseCursor(request.params)
    const tools: ListToolsResult['tools'] = JSON.parse(view.listJson.toString('utf8'))
    return { tools }
  })

  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: input, _meta } = request.params
    const fixture = fixtures?.tools.get(name)
    if (fixture) return fixture.run(input ?? {}, context)
    const run = calls.find(session, name)
    if (!run) throw invalidParams(calls.unknownTool(session, name))
    const { onProgress, end } = progressTeller(
      _meta,
      (params) => void context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}),
    )
    const outcome = await calls.call({ ...session, onProgress }, run, input, _meta).finally(end)
    return toCallToolResult(outcome)
  })

  server.setRequestHandler('resources/list', (request) => {
    refuseCursor(request.params)
    return { resources: listPages(corpus) }
  })

  server.setRequestHandler('resources/templates/list', (request) => {
    refuseCursor(request.params)
    return { resourceTemplates: [pageTemplate] }
  })

  server.setRequestHandler('resources/read', (request) => {
    const content = readPage(corpus, request.params.uri)
    if (!content) throw new ResourceNotFoundError(request.params.uri)
    return { contents: [content] }
  })

  const prompts = promptsFor(parts.prompts, reachable)

  server.setRequestHandler('prompts/list', (request) => {
    refuseCursor(request.params)
    return {
      prompts: prompts.map(({ name, title, description, arguments: args }) => ({
        name,
        title,
        description,
        arguments: args.map((argument) => ({ name: argument.name, description: argument.description, required: argument.required })),
      })),
    }
  })

  const findPrompt = (name: string): PromptDefinition => {
    const prompt = prompts.find((known) => known.name === name)
    if (prompt) return prompt
    const near = nearest(
      name,
      prompts.map((known) => known.name),
    )
    throw invalidParams(
      `Unknown prompt ${quoted(name)}. ${near === undefined ? 'See prompts/list for the names.' : `Did you mean ${near}?`}`,
    )
  }

  server.setRequestHandler('prompts/get', (request) => {
    const prompt = findPrompt(request.params.name)
    const values = request.params.arguments ?? {}
    const known = prompt.arguments.map((argument) => argument.name)
    for (const name of Object.keys(values)) {
      if (known.includes(name)) continue
      const near = nearest(name, known)
      throw invalidParams(
        `${prompt.name} takes no argument ${quoted(name)}. ${near === undefined ? `It takes ${known.join(', ')}.` : `Did you mean ${near}?`}`,
      )
    }
    const missing = prompt.arguments.filter((argument) => argument.required && !values[argument.name]?.trim())
    if (missing.length > 0) {
      throw invalidParams(`${prompt.name} needs ${missing.map((argument) => `${argument.name} (${argument.description})`).join(', ')}.`)
    }
    const text = promptText(prompt, values, reachable, view.surface.kind === 'catalog')
    return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
  })

  server.setRequestHandler('completion/complete', (request) => {
    const { ref, argument } = request.params
    if (ref.type === 'ref/prompt') {
      const wanted = findPrompt(ref.name).arguments.find((known) => known.name === argument.name)
      return { completion: complete(wanted?.choices ?? [], argument.value) }
    }
    const paths = ref.uri === pageTemplate.uriTemplate ? corpus.pages().map((page) => page.path) : []
    return { completion: complete(paths, argument.value) }
  })

  fixtures?.install(server)
  return server
}
