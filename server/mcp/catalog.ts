/** The four tools by which a host with small limits finds, reads about and calls all the others. */
import { z } from 'zod'

import type { Pipeline } from '#platform/call.ts'
import { embedderOf } from '#platform/embeddings/embedder.ts'
import { AppError } from '#platform/errors.ts'
import { parseInput } from '#platform/issues.ts'
import { toJsonSchema } from '#platform/json-schema.ts'
import type { Logger } from '#platform/log.ts'
import type { RegisteredOperation } from '#platform/registry.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import type { Session, ToolRun } from './session.ts'
import type { Surface } from './surface.ts'
import { callWith, createToolSearch } from './tool-search.ts'
import type { ToolDescriptor } from './views.ts'

const searchInput = z.object({
  query: z.string().min(1).max(500).describe('What you want to do, in your words and language, or a name'),
  toolset: z.string().max(100).optional().describe('Only tools of this domain'),
  limit: z.number().int().min(1).max(50).optional().describe('Default 5'),
})
const describeInput = z.object({ name: z.string().describe('As search_tools shows it') })
const callInput = z.object({
  name: z.string().describe('As search_tools shows it'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('What the inputSchema of describe_tool asks for'),
})

export interface Catalog {
  /** The tools listed on a catalog surface, beside the docs tools. */
  descriptors(surface: Surface): readonly ToolDescriptor[]
  find(surface: Surface, name: string): ToolRun | undefined
}

interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
}

function descriptor(name: string, title: string, description: string, input: z.ZodObject, hints: Hints): ToolDescriptor {
  return { name, title, description, inputSchema: toJsonSchema(input, 'input'), annotations: hints }
}

const reading: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
const writing: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false }

const searchTools = descriptor(
  'search_tools',
  'Search the tools',
  'Finds tools by what you want to do, the likeliest first. Call it first, then describe_tool for the arguments, then call_read_tool or call_write_tool as callWith says.',
  searchInput,
  reading,
)
const describeTool = descriptor(
  'describe_tool',
  'Describe one tool',
  'Answers the input and output schema of one tool, its roles and an example. Take the name from search_tools.',
  describeInput,
  reading,
)
const callReadTool = descriptor(
  'call_read_tool',
  'Call a tool that reads',
  'Calls a tool that changes nothing. Refuses tools that write: those go through call_write_tool. The answer is that of the tool itself.',
  callInput,
  reading,
)
const callWriteTool = descriptor(
  'call_write_tool',
  'Call a tool that writes',
  'Calls a tool that creates, changes or deletes. Set _meta.idempotencyKey to repeat a call without doing it twice. The answer is that of the tool itself.',
  callInput,
  writing,
)

function parseArguments<T>(schema: z.ZodObject & z.ZodType<T>, input: unknown): T {
  const parsed = parseInput(schema, input)
  if (!parsed.isOk) {
    const [first] = parsed.issues
    const reason = first ? ` ${first.path}: ${first.message}` : ''
    throw new AppError('invalid_input', `The arguments do not fit the tool.${reason}`, { issues: parsed.issues })
  }
  return schema.parse(parsed.value)
}

export interface CatalogParts {
  readonly pipeline: Pipeline
  /** The runner of every tool by its name. */
  readonly runs: ReadonlyMap<string, ToolRun>
  /** The per-user cache, for what the search reads. */
  readonly cacheDir: string
  readonly log: Logger
}

/** Builds the catalog over the pipeline's registry. */
export function createCatalog({ pipeline, runs, cacheDir, log }: CatalogParts): Catalog {
  const { registry } = pipeline
  const tools = createToolSearch(registry, { cacheDir, log, embedder: embedderOf({ cacheDir, log }) })

  const mustFind = (session: Session, name: string): RegisteredOperation => {
    const operation = registry.byName.get(name)
    if (operation?.isTool) return operation
    const suggestion = nearest(
      name,
      session.view.operations.map((known) => known.name),
    )
    const issue = { path: '$.name', severity: 'error', message: `No tool is called ${quoted(name)}.` } as const
    throw new AppError('invalid_input', 'There is no such tool. Take the name from search_tools.', {
      issues: [suggestion === undefined ? issue : { ...issue, suggestion }],
    })
  }

  const search: ToolRun = async ({ actor, view }, input) => {
    await pipeline.charge(actor, 1)
    const { query, toolset, limit = 5 } = parseArguments(searchInput, input)
    const toolsets = [...new Set(view.operations.map((operation) => operation.domain))]
    if (toolset !== undefined && !toolsets.includes(toolset)) {
      const suggestion = nearest(toolset, toolsets)
      const issue = {
        path: '$.toolset',
        severity: 'error',
        message: `${quoted(toolset)} is no toolset. Known: ${toolsets.join(', ')}.`,
      } as const
      throw new AppError('invalid_input', 'There is no such toolset.', {
        issues: [suggestion === undefined ? issue : { ...issue, suggestion }],
      })
    }
    return tools.find(view, { query, toolset, limit })
  }

  const describe: ToolRun = async (session, input) => {
    await pipeline.charge(session.actor, 1)
    const operation = mustFind(session, parseArguments(describeInput, input).name)
    return {
      name: operation.name,
      title: operation.title,
      description: operation.description,
      toolset: operation.domain,
      effect: operation.effect,
      callWith: callWith(operation),
      roles: operation.roles,
      inputSchema: operation.inputSchema,
      outputSchema: operation.structuredSchema,
      examples: operation.examples.map(({ title, input: example }) => ({ title, arguments: example })),
    }
  }

  const call = (acceptsWrites: boolean): ToolRun => {
    return async (session, input, idempotencyKey) => {
      const { name, arguments: given } = parseArguments(callInput, input)
      const operation = mustFind(session, name)
      if (!acceptsWrites && operation.effect !== 'read') {
        const next = session.view.surface.isReadOnly
          ? 'This connection is read-only.'
          : 'Call it through call_write_tool, with the same arguments.'
        throw new AppError('invalid_input', `${name} writes, and call_read_tool only calls tools that read. ${next}`)
      }
      const run = runs.get(name)
      if (!run) throw new TypeError(`${name} is registered as a tool and has no runner`)
      return run(session, given ?? {}, idempotencyKey)
    }
  }

  const own = new Map<string, ToolRun>([
    [searchTools.name, search],
    [describeTool.name, describe],
    [callReadTool.name, call(false)],
    [callWriteTool.name, call(true)],
  ])
  const descriptors = (surface: Surface) => [searchTools, describeTool, callReadTool, ...(surface.isReadOnly ? [] : [callWriteTool])]
  return {
    descriptors,
    find: (surface, name) => (surface.isReadOnly && name === callWriteTool.name ? undefined : own.get(name)),
  }
}
