/** What the public conformance suite expects to find on a server, by the names and texts that its scenarios look for. */
import { setTimeout as pause } from 'node:timers/promises'

import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type CallToolResult,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'

import type { JsonSchema } from '#platform/json-schema.ts'
import type { FixtureTool, ProtocolFixtures } from '#server/mcp/protocol.ts'

type Result = CallToolResult | InputRequiredResult
type Input = Readonly<Record<string, unknown>>

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='
const nothing = { type: 'object', properties: {}, additionalProperties: false }

const codec = createRequestStateCodec<{ step: number }>({ key: crypto.getRandomValues(new Uint8Array(32)) })

function text(words: string): CallToolResult {
  return { content: [{ type: 'text', text: words }] }
}

function askText(message: string, field: string) {
  return inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  })
}

function askModel(words: string) {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens: 100 })
}

const askName = () => askText('What is your name?', 'name')

const tools = new Map<string, FixtureTool>()

function tool(
  name: string,
  run: (input: Input, context: ServerContext) => Result | Promise<Result>,
  inputSchema: JsonSchema = nothing,
): void {
  const annotations = { title: name, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  const descriptor = { name, title: name, description: `Conformance fixture ${name}.`, inputSchema, annotations }
  tools.set(name, {
    descriptor,
    async run(input, context) {
      try {
        return await run(input, context)
      } catch (error) {
        if (error instanceof ProtocolError) throw error
        return { ...text(error instanceof Error ? error.message : String(error)), isError: true }
      }
    },
  })
}

// Plain results
tool('test_simple_text', () => text('This is a simple text response for testing.'))
tool('test_image_content', () => ({ content: [{ type: 'image', data: png, mimeType: 'image/png' }] }))
tool('test_audio_content', () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }))
tool('test_embedded_resource', () => ({
  content: [
    {
      type: 'resource',
      resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
    },
  ],
}))
tool('test_multiple_content_types', () => ({
  content: [
    { type: 'text', text: 'Multiple content types test:' },
    { type: 'image', data: png, mimeType: 'image/png' },
    {
      type: 'resource',
      resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' },
    },
  ],
}))
tool('test_error_handling', () => {
  throw new Error('This tool intentionally returns an error for testing')
})

// Results that notifications precede. The pauses give the client the time between them that the scenario measures.
tool('test_tool_with_logging', async (_input, context) => {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await context.mcpReq.log('info', words)
    await pause(50)
  }
  return text('logged')
})
tool('test_logging_tool', async (_input, context) => {
  await context.mcpReq.log('info', 'ran')
  return text('logged')
})
tool('test_tool_with_progress', async (_input, context) => {
  const progressToken = context.mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    }
    await pause(50)
  }
  return text('done')
})

// Questions in the middle of a call, on the 2025 wire: they need a session and stand in the baseline. No answer can come.
const noAnswerComes = { timeout: 500 }
tool(
  'test_sampling',
  async (input, context) => {
    const content = { type: 'text', text: String(input['prompt']) } as const
    const answer = await context.mcpReq.requestSampling({ messages: [{ role: 'user', content }], maxTokens: 100 }, noAnswerComes)
    return text(`LLM response: ${JSON.stringify(answer.content)}`)
  },
  { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
)
tool(
  'test_elicitation',
  async (input, context) => {
    const requestedSchema = { type: 'object', properties: { username: { type: 'string' }, email: { type: 'string' } } } as const
    const answer = await context.mcpReq.elicitInput({ message: String(input['message']), requestedSchema }, noAnswerComes)
    return text(`User response: ${JSON.stringify(answer)}`)
  },
  { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
)

// Questions as results, on the 2026 wire.
tool('test_missing_capability', () => inputRequired({ inputRequests: { sample: askModel('x') } }))
tool('test_streaming_elicitation', () => inputRequired({ inputRequests: { user_name: askName() } }))
tool('test_input_required_result_elicitation', (_input, { mcpReq }) => {
  const accepted = acceptedContent(mcpReq.inputResponses, 'user_name')
  return typeof accepted?.['name'] === 'string'
    ? text(`Hello, ${accepted['name']}!`)
    : inputRequired({ inputRequests: { user_name: askName() } })
})
tool('test_input_required_result_sampling', (_input, { mcpReq }) => {
  const answer = mcpReq.inputResponses?.['capital_question']
  return answer
    ? text(JSON.stringify(answer))
    : inputRequired({ inputRequests: { capital_question: askModel('What is the capital of France?') } })
})
tool('test_input_required_result_list_roots', (_input, { mcpReq }) => {
  const answer = mcpReq.inputResponses?.['client_roots']
  return answer ? text(JSON.stringify(answer)) : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
})
for (const name of ['test_input_required_result_request_state', 'test_input_required_result_tampered_state']) {
  tool(name, async (_input, { mcpReq }) => {
    if (mcpReq.inputResponses?.['confirm'] && mcpReq.requestState()) return text('state-ok')
    return inputRequired({ inputRequests: { confirm: askText('Please confirm', 'ok') }, requestState: await codec.mint({ step: 1 }) })
  })
}
tool('test_input_required_result_multiple_inputs', async (_input, { mcpReq }) => {
  const given = mcpReq.inputResponses
  if (given?.['user_name'] && given['greeting'] && given['client_roots']) return text('all inputs')
  const inputRequests = { user_name: askName(), greeting: askModel('Generate a greeting'), client_roots: inputRequired.listRoots() }
  return inputRequired({ inputRequests, requestState: await codec.mint({ step: 1 }) })
})
tool('test_input_required_result_multi_round', async (_input, { mcpReq }) => {
  const state = mcpReq.requestState<{ step: number }>()
  if (mcpReq.inputResponses?.['step2'] && state?.step === 2) return text('complete')
  if (mcpReq.inputResponses?.['step1'] && state?.step === 1) {
    const step2 = askText('Step 2: What is your favorite color?', 'color')
    return inputRequired({ inputRequests: { step2 }, requestState: await codec.mint({ step: 2 }) })
  }
  return inputRequired({
    inputRequests: { step1: askText('Step 1: What is your name?', 'name') },
    requestState: await codec.mint({ step: 1 }),
  })
})
tool('test_input_required_result_capabilities', (_input, { mcpReq }) => {
  const envelope: Input = { ...mcpReq.envelope }
  const can = { ...Object(envelope[CLIENT_CAPABILITIES_META_KEY]) }
  const inputRequests = {
    ...('elicitation' in can ? { user_name: askName() } : {}),
    ...('sampling' in can ? { capital_question: askModel('What is the capital of France?') } : {}),
  }
  return Object.keys(inputRequests).length > 0 ? inputRequired({ inputRequests }) : text('no capability')
})

function says(...contents: GetPromptResult['messages'][number]['content'][]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: 'user', content })) }
}

const resources = [
  { uri: 'test://static-text', name: 'static-text', description: 'Static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'static-binary', description: 'Static binary', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched', description: 'Watched', mimeType: 'text/plain' },
]

const prompts = [
  { name: 'test_simple_prompt', description: 'Simple prompt' },
  {
    name: 'test_prompt_with_arguments',
    description: 'Prompt with arguments',
    arguments: ['arg1', 'arg2'].map((name) => ({ name, description: name, required: true })),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Prompt with a resource',
    arguments: [{ name: 'resourceUri', description: 'The resource', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'Prompt with an image' },
  { name: 'test_input_required_result_prompt', description: 'Prompt that asks back' },
]

/** The suite's tools, resources and prompts. */
export const conformanceFixtures: ProtocolFixtures = {
  tools,
  options: {
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
    requestState: { verify: (state, context) => codec.verify(state, context) },
  },
  install(server) {
    server.setRequestHandler('resources/list', () => ({ resources }))
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Template' }],
    }))
    server.setRequestHandler('resources/read', ({ params: { uri } }) => {
      if (uri === 'test://static-text') {
        return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] }
      }
      if (uri === 'test://watched-resource') return { contents: [{ uri, mimeType: 'text/plain', text: 'watched' }] }
      if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: png }] }
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
      if (id === undefined) throw new ResourceNotFoundError(uri)
      const body = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
      return { contents: [{ uri, mimeType: 'application/json', text: body }] }
    })
    server.setRequestHandler('resources/subscribe', () => ({}))
    server.setRequestHandler('resources/unsubscribe', () => ({}))
    server.setRequestHandler('prompts/list', () => ({ prompts }))
    server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }))
    server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) => {
      const given = params.arguments ?? {}
      switch (params.name) {
        case 'test_simple_prompt':
          return says({ type: 'text', text: 'This is a simple prompt for testing.' })
        case 'test_prompt_with_arguments':
          return says({ type: 'text', text: `Prompt with arguments: arg1='${given['arg1']}', arg2='${given['arg2']}'` })
        case 'test_prompt_with_embedded_resource': {
          const resource = { uri: given['resourceUri'] ?? '', mimeType: 'text/plain', text: 'Embedded resource content for testing.' }
          return says({ type: 'resource', resource }, { type: 'text', text: 'Please process the embedded resource above.' })
        }
        case 'test_prompt_with_image':
          return says({ type: 'image', data: png, mimeType: 'image/png' }, { type: 'text', text: 'Please analyze the image above.' })
        case 'test_input_required_result_prompt':
          if (mcpReq.inputResponses?.['user_context']) return says({ type: 'text', text: 'ok' })
          return inputRequired({ inputRequests: { user_context: askText('What context should the prompt use?', 'context') } })
        default:
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`)
      }
    })
  },
}
