/** A plan of PostgreSQL in the terms of the catalog: which records are read, by which index, and what it is expected to cost. */
import { namedIndex } from '#platform/db/record-indexes.ts'

import type { Readable } from '../source.rules.ts'

export interface PlannedRead {
  /** Undefined of links between peers. */
  readonly entity: string | undefined
  readonly isHistory: boolean
  /** Its properties in words; undefined where everything is read. */
  readonly index: string | undefined
  /** How many rows are expected to come out of one look. */
  readonly rows: number
}

export interface PlannedReport {
  /** In the planner's units. */
  readonly cost: number
  readonly reads: readonly PlannedRead[]
}

/** Deeper than any plan of a statement that a report makes. */
const maxDepth = 200

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

function* nodesWithin(node: Node, depth = 0): Generator<Node> {
  yield node
  const plans = node['Plans']
  if (depth < maxDepth && Array.isArray(plans)) for (const one of plans as unknown[]) if (isNode(one)) yield* nodesWithin(one, depth + 1)
}

const ownIndexes: Readonly<Record<string, string>> = {
  pkey: 'its id',
  key: 'the key',
  parent: 'the parent',
  change: 'the order of changes',
  deletion: 'deletions',
  history_pkey: 'the record',
  history_time: 'the time',
}

/** What an index goes by, as people call it. */
function wordsOf(readable: Readable | undefined, entityId: string, index: string): string {
  const rest = index.startsWith(`e_${entityId}_`) ? index.slice(entityId.length + 3) : index
  const known = ownIndexes[rest]
  if (known !== undefined) return known
  const property = (id: string) => readable?.entity.properties.find(({ columnId }) => String(columnId) === id)?.internalName ?? 'a property'
  if (/^u\d+$/.test(rest)) return property(rest.slice(1))
  const made = namedIndex(rest)
  const fields: Readonly<Record<string, string>> = { created: 'createdDate', modified: 'modifiedDate', key1: 'key1' }
  return made ? made.by.map((one) => fields[one] ?? property(one.slice(1))).join(', ') : 'an index'
}

/** The index of a node, or of the one below it that finds its rows. */
function indexOf(node: Node): string | undefined {
  for (const one of nodesWithin(node)) if (typeof one['Index Name'] === 'string') return one['Index Name']
  return undefined
}

/** Throws where it is no plan. */
export function readPlan(plan: unknown, readables: readonly Readable[]): PlannedReport {
  const [first] = Array.isArray(plan) ? (plan as unknown[]) : []
  const top = isNode(first) ? first['Plan'] : undefined
  if (!isNode(top)) throw new Error('PostgreSQL has explained a statement with no plan')
  const reads = [...nodesWithin(top)].flatMap((node): PlannedRead[] => {
    const table = node['Relation Name']
    if (typeof table !== 'string') return []
    const rows = Number(node['Plan Rows'] ?? 0)
    if (table === 'link')
      return [{ entity: undefined, isHistory: false, index: indexOf(node) === undefined ? undefined : 'the record', rows }]
    const [, id = '', history] = /^e_(\d+)(_history)?$/.exec(table) ?? []
    const readable = readables.find(({ entity }) => String(entity.entityId) === id)
    const index = indexOf(node)
    return [
      {
        entity: readable?.entity.internalName,
        isHistory: history !== undefined,
        index: index === undefined ? undefined : wordsOf(readable, id, index),
        rows,
      },
    ]
  })
  return { cost: Number(top['Total Cost'] ?? 0), reads }
}
