/** Finds tools by what people call what they do. */
import type { RegisteredOperation, Registry } from '#platform/registry.ts'
import { roleWords } from '#platform/roles.ts'
import { createSearch, type Findable, type SearchOptions } from '#platform/search/search.ts'
import { namesIn } from '#platform/search/words.rules.ts'

import type { View } from './views.ts'

export interface FoundTool {
  readonly name: string
  readonly title: string
  /** The first sentence of the description. */
  readonly description: string
  readonly toolset: string
  readonly callWith: string
  /** The arguments that a call must have. */
  readonly required?: readonly string[]
}

export interface FoundTools {
  /** The likeliest first; never empty where the caller may call any tool. */
  readonly tools: readonly FoundTool[]
  readonly isSure: boolean
  /** What to do where the list may not hold what was meant. */
  readonly hint?: string
}

export interface ToolSearch {
  /** Fetches the model and computes what is missing; answers whether search goes by meaning from now on. */
  prepare(): Promise<boolean>
  find(
    view: Pick<View, 'operations'>,
    wanted: { readonly query: string; readonly toolset?: string | undefined; readonly limit: number },
  ): Promise<FoundTools>
}

const longestLine = 160
// A tool that the query names stands before those that it describes.
const namedScore = 2
const shownElsewhere = 1

function findable({ name, title, description, phrases }: RegisteredOperation): Findable {
  const plain = name.replaceAll('_', ' ')
  return { heading: `${name} ${title}`, text: description, statements: [`${plain}. ${title}`, `${title}. ${description}`], asked: phrases }
}

/** The first sentence, cut between words where it is long. */
export function firstLine(description: string): string {
  const sentence = /^.*?[.:;](?= |$)/.exec(description)?.[0] ?? description
  if (sentence.length <= longestLine) return sentence.replace(/[:;]$/, '.')
  const part = sentence.slice(0, longestLine)
  return `${part.slice(0, part.lastIndexOf(' '))} …`
}

export function callWith(operation: RegisteredOperation): string {
  return operation.effect === 'read' ? 'call_read_tool' : 'call_write_tool'
}

function shown(operation: RegisteredOperation): FoundTool {
  const { name, title, description, domain, inputSchema } = operation
  const required = Array.isArray(inputSchema['required']) ? inputSchema['required'].map(String) : []
  const found = { name, title, description: firstLine(description), toolset: domain, callWith: callWith(operation) }
  return required.length === 0 ? found : { ...found, required }
}

/** Starts nothing yet. */
export function createToolSearch(registry: Registry, options: Omit<SearchOptions, 'list' | 'name'>): ToolSearch {
  const operations = registry.operations.filter((operation) => operation.isTool)
  const search = createSearch({ ...options, list: operations.map(findable), name: 'tools' })

  const order = (query: string, scores: Float64Array) => {
    const names = new Set(namesIn(query))
    const scoreOf = (place: number) => (scores[place] ?? 0) + (names.has(operations[place]?.name ?? '') ? namedScore : 0)
    return [...operations.entries()].toSorted(([a], [b]) => scoreOf(b) - scoreOf(a)).map(([, operation]) => operation)
  }

  return {
    prepare: search.prepare,
    async find(view, { query, toolset, limit }) {
      const { scores, by, isSure } = await search.rank(query)
      const ordered = order(query, scores)
      const visible = new Set(view.operations.map((operation) => operation.name))
      const open = ordered.filter(({ name, domain }) => visible.has(name) && (toolset === undefined || domain === toolset))
      const tools = open.slice(0, limit).map(shown)
      const likelier = ordered.slice(0, shownElsewhere).filter(({ name }) => !visible.has(name))
      const hints = [
        ...likelier.map(({ name, roles }) => `${name} fits better and is not open to this connection; it needs ${roleWords(roles)}.`),
        ...(by === 'words' ? ['Found by words alone, since the sentence model is not there: try other words, in English.'] : []),
        ...(isSure || by === 'words' ? [] : ['Not sure that one of these is meant: say it in other words, or ask docs_search.']),
      ]
      return hints.length === 0 ? { tools, isSure } : { tools, isSure: isSure && likelier.length === 0, hint: hints.join(' ') }
    },
  }
}
