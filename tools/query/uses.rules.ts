/** What queries ask of an entity's records, and which indexes serve what is asked again and again. */
import { type IndexedBy, type IndexedTable, indexName, namedIndex, type RecordIndex } from '#platform/db/record-indexes.ts'

import { isReadByOption } from './order.rules.ts'
import { columnOf, type Source } from './source.rules.ts'
import type { Field, QueryNode, RuleNode, SortKey } from './tree.types.ts'

/** What a query asks of one entity that an index could answer. Empty where none could. */
export interface Use {
  /** What must have one value. */
  readonly equals: readonly IndexedBy[]
  /** Texts that are asked for whole. */
  readonly texts: readonly IndexedBy[]
  readonly ranges: readonly IndexedBy[]
  /** Texts that parts are looked for in. */
  readonly contains: readonly IndexedBy[]
  /** What rows are in order by, first of all. */
  readonly order: IndexedBy | null
}

/** The value that a rule or a sort asks by, where the caller sees it in every row: what depends on the row is in no index. */
function columnAsked(source: Source, field: Field): `c${number}` | undefined {
  if (!('property' in field) || field.property.isList || field.source !== source) return undefined
  const column = `c${field.property.columnId}` as const
  return columnOf(source, field.property) === `${source.alias}.${column}` ? column : undefined
}

/** What has rows together in the order of a field. The order of options may change at any time, so that they are read option by option, if they are few. */
function orderAsked(source: Source, field: Field): IndexedBy | undefined {
  if ('system' in field && field.source === source) {
    if (field.system === 'createdDate') return 'created'
    if (field.system === 'modifiedDate') return 'modified'
    return field.system === 'key1' ? 'key1' : undefined
  }
  const column = columnAsked(source, field)
  if (column === undefined) return undefined
  if (field.dataType === 'Choice' || field.dataType === 'Hierarchy') return isReadByOption(field) ? column : undefined
  return field.dataType === 'Text' ? `s${Number(column.slice(1))}` : column
}

/** The rules that hold for every row that is found. */
function rulesOfAll(node: QueryNode | undefined): RuleNode[] {
  if (node?.kind === 'rule') return [node]
  return node?.kind === 'group' && (node.logic === 'AND' || node.nodes.length === 1) ? node.nodes.flatMap(rulesOfAll) : []
}

const mostOfAKind = 3

/** What a query asks; undefined where no index could serve it. */
export function useOf(source: Source, filter: QueryNode | undefined, sort: readonly SortKey[]): Use | undefined {
  if (source.rows !== 'live' || source.asOf !== undefined) return undefined
  const found = { equals: new Set<IndexedBy>(), texts: new Set<IndexedBy>(), ranges: new Set<IndexedBy>(), contains: new Set<IndexedBy>() }
  for (const { field, op } of rulesOfAll(filter)) {
    const column = columnAsked(source, field)
    if (op === 'eq' || op === 'in') {
      if (column !== undefined) found[field.dataType === 'Text' ? 'texts' : 'equals'].add(column)
    } else if (op === 'contains' || op === 'startsWith' || op === 'endsWith') {
      if (column !== undefined) found.contains.add(column)
    } else if (['gt', 'gte', 'lt', 'lte', 'between'].includes(op)) {
      const by = orderAsked(source, field)
      if (by !== undefined) found.ranges.add(by)
    }
  }
  const [first] = sort
  const few = (set: ReadonlySet<IndexedBy>) => [...set].toSorted().slice(0, mostOfAKind)
  const use: Use = {
    equals: few(found.equals),
    texts: few(found.texts),
    ranges: few(found.ranges),
    contains: few(found.contains),
    order: (first && orderAsked(source, first.field)) ?? null,
  }
  return use.order === null && Object.values(found).every((set) => set.size === 0) ? undefined : use
}

/** A text that has but a few values is in so many rows that finding them spares nothing. */
const fewValues = 20

/** Whether a known index of the source has rows in the order of a field, where the filter holds the values before it in the index fixed. */
export function isOrderIndexed(source: Source, filter: QueryNode | undefined, field: Field): boolean {
  if (source.rows !== 'live' || source.asOf !== undefined) return false
  const by = orderAsked(source, field)
  if (by === undefined) return false
  const fixed = rulesOfAll(filter).flatMap((rule) => (rule.op === 'eq' ? (columnAsked(source, rule.field) ?? []) : []))
  return [[by], ...fixed.map((column): IndexedBy[] => [column, by])].some((one) =>
    source.present.has(indexName({ kind: 'ordered', by: one })),
  )
}

/** The index that would spare the most of a use, as far as the values are known. */
export function indexFor(use: Use, distinct: IndexedTable['distinct']): RecordIndex | undefined {
  const text = use.texts.find((one) => (distinct.get(one) ?? fewValues) >= fewValues)
  if (text !== undefined) return { kind: 'equal', by: [text] }
  const [equal] = use.equals.toSorted((one, other) => (distinct.get(other) ?? 0) - (distinct.get(one) ?? 0))
  const [range] = use.ranges
  const [contained] = use.contains
  const then = use.order ?? range
  // A part of a text is in few rows; to walk them in order until enough of them have it may take all.
  if (contained !== undefined && equal === undefined) return { kind: 'contains', by: [contained] }
  if (equal !== undefined) return { kind: 'ordered', by: then === undefined || then === equal ? [equal] : [equal, then] }
  return then === undefined ? undefined : { kind: 'ordered', by: [then] }
}

/** Whether what one index would do for a use another does too. One that goes on has the same rows together, in another order. */
function serves(existing: RecordIndex, wanted: RecordIndex, { order }: Use): boolean {
  const begins = existing.kind === wanted.kind && wanted.by.every((by, index) => existing.by[index] === by)
  return begins && (order === null || existing.by.length === wanted.by.length)
}

/** A use, how often it was slow within the last days, and what it took in all. */
export interface CountedUse {
  readonly use: Use
  readonly times: number
  readonly costMs: number
}

export interface IndexPlan {
  readonly build: readonly { readonly index: RecordIndex; readonly use: Use }[]
  /** By their names. */
  readonly drop: readonly string[]
}

/** Below that PostgreSQL reads the whole table in a few milliseconds. */
const fewRows = 5_000
const fewTimes = 3
const littleMs = 60
/** More than that, and every write pays more than reads gain. Parts of texts cost a write several times what a value does. */
const mostIndexes = { ordered: 8, equal: 2, contains: 2 } as const
const unusedDays = 14

/**
 * What to build and to drop of a table's indexes: what serves the uses that cost most, as long as there is room, and what nothing has used for a fortnight.
 * `builtAt` is when one was made, in milliseconds.
 */
export function planIndexes(
  table: Pick<IndexedTable, 'rows' | 'distinct' | 'indexes'>,
  uses: readonly CountedUse[],
  builtAt: (name: string) => number | undefined,
  nowMs: number,
): IndexPlan {
  const isUnused = ({ name, lastUsed }: IndexedTable['indexes'][number]) => {
    const last = Math.max(lastUsed === null ? 0 : Date.parse(lastUsed), builtAt(name) ?? nowMs)
    return nowMs - last > unusedDays * 86_400_000
  }
  const drop = table.indexes.filter((index) => !index.isValid || isUnused(index)).map(({ name }) => name)
  const kept = table.indexes.flatMap(({ name }) => (drop.includes(name) ? [] : (namedIndex(name) ?? [])))
  const build: { index: RecordIndex; use: Use }[] = []
  if (table.rows < fewRows) return { build, drop }
  const worth = uses.filter(({ times, costMs }) => times >= fewTimes && costMs >= littleMs)
  for (const { use } of worth.toSorted((one, other) => other.costMs - one.costMs)) {
    const index = indexFor(use, table.distinct)
    if (!index) continue
    const present = [...kept, ...build.map((one) => one.index)]
    const isFull = present.filter(({ kind }) => kind === index.kind).length >= mostIndexes[index.kind]
    if (!isFull && !present.some((one) => serves(one, index, use))) build.push({ index, use })
  }
  // What one that is longer serves as well is not needed beside it.
  return {
    build: build.filter(
      ({ index, use }) =>
        !build.some((one) => one.index !== index && indexName(one.index) !== indexName(index) && serves(one.index, index, use)),
    ),
    drop,
  }
}
