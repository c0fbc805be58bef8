/** The tool list of each kind of caller, written once and kept as bytes. */
import { LRUCache } from 'lru-cache'

import { closedToGrants } from '#platform/grants.ts'
import type { JsonSchema } from '#platform/json-schema.ts'
import type { Actor } from '#platform/operation.ts'
import type { RegisteredOperation, Registry } from '#platform/registry.ts'
import { allows } from '#platform/roles.ts'

import { listedSchema } from './listed-schema.ts'
import { reaches, type Surface } from './surface.ts'

/** A tool as `tools/list` shows it. */
export interface ToolDescriptor {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
  }
}

/** What one role set sees through one surface. */
export interface View {
  readonly surface: Surface
  /** A JSON array of tool descriptors in UTF-8. */
  readonly listJson: Buffer
  readonly listedNames: ReadonlySet<string>
  /** The operations that the caller may call here, listed or behind the catalog's call tools. */
  readonly operations: readonly RegisteredOperation[]
}

/** Tools that stand in a list beside the operations. */
interface ExtraTools {
  /** Listed on every surface, after the operations. */
  readonly always: readonly ToolDescriptor[]
  /** Listed on the catalog surface, after the docs tools. */
  catalog(surface: Surface): readonly ToolDescriptor[]
}

// Lists of 370 tools are about 400 KB each; the bound keeps callers who try every narrowing from filling the memory.
const keptBytes = 24 * 1024 * 1024

/**
 * A tool as listed. Output schemas are left out unless asked for: hosts hand name, description and input schema to their model and nothing
 * else, with them 370 tools weigh up to 1.8 times as much, and the stock TypeScript client compiles every one of them, about a second of CPU for
 * each list. `structuredContent` needs no declared schema; `outputs=1` and `describe_tool` show it to hosts that generate types.
 */
function describeOperation(operation: RegisteredOperation, withOutput: boolean): ToolDescriptor {
  const { name, title, description, inputSchema, structuredSchema, annotations } = operation
  // A root without `type: object` makes a 2025 client refuse the whole list.
  const showsOutput = withOutput && structuredSchema['type'] === 'object'
  return {
    name,
    title,
    description,
    inputSchema: listedSchema(inputSchema),
    ...(showsOutput ? { outputSchema: structuredSchema } : {}),
    annotations,
  }
}

/** Builds the look-up of views. Descriptors are serialised here, once; a view is their concatenation in reading order. */
export function createViews(registry: Registry, extra: ExtraTools): (surface: Surface, caller: Pick<Actor, 'kind' | 'roleFlag'>) => View {
  const tools = registry.operations.filter((operation) => operation.isTool)
  const slim = new Map(tools.map((operation) => [operation, JSON.stringify(describeOperation(operation, false))]))
  const withOutputs = new Map<RegisteredOperation, string>()
  const textOf = (operation: RegisteredOperation, surface: Surface): string => {
    if (!surface.listsOutputs) return slim.get(operation) ?? ''
    let text = withOutputs.get(operation)
    if (text === undefined) withOutputs.set(operation, (text = JSON.stringify(describeOperation(operation, true))))
    return text
  }

  const build = (surface: Surface, roleFlag: number, isGrant: boolean): View => {
    const operations = tools.filter(
      (operation) =>
        reaches(surface, operation) && allows(operation.roleRule, roleFlag) && !(isGrant && closedToGrants.has(operation.name)),
    )
    const listed = surface.kind === 'full' ? operations : operations.filter((operation) => operation.domain === 'docs')
    const others = [...(surface.kind === 'catalog' ? extra.catalog(surface) : []), ...extra.always]
    const texts = [...listed.map((operation) => textOf(operation, surface)), ...others.map((descriptor) => JSON.stringify(descriptor))]
    return {
      surface,
      listJson: Buffer.from(`[${texts.join(',')}]`),
      listedNames: new Set([...listed, ...others].map((tool) => tool.name)),
      operations,
    }
  }

  const views = new LRUCache<string, View>({ maxSize: keptBytes, sizeCalculation: (view) => view.listJson.length + 1024 })
  return (surface, { kind, roleFlag }) => {
    const isGrant = kind === 'grant'
    const key = `${isGrant ? 'grant|' : ''}${roleFlag}|${surface.key}`
    const known = views.get(key)
    if (known) return known
    const view = build(surface, roleFlag, isGrant)
    views.set(key, view)
    return view
  }
}
