/** Filters as trees of "all of these" and "any of these": how they stand in an address, and how the API takes them. */

const operators = ['eq', 'ne', 'contains', 'startsWith', 'endsWith', 'gt', 'gte', 'lt', 'lte', 'under', 'isEmpty', 'isNotEmpty'] as const
export type Operator = (typeof operators)[number]

export const operatorOf = (text: string) => operators.find((op) => op === text)

export interface Rule {
  /** A property or a field that every record has; `Entity.Property` of a related kind. */
  readonly property: string
  readonly op: Operator
  readonly value: string
}

export interface Group {
  readonly logic: 'AND' | 'OR'
  readonly rules: readonly Rule[]
  readonly groups: readonly Group[]
}

export const noFilter: Group = { logic: 'AND', rules: [], groups: [] }

/** What a page shows of a filter: more is left out. */
const mostRules = 20
export const mostLevels = 3
const mostGroups = 10
const longestText = 2_000
const longestTree = 20_000

export const isEmptyGroup = ({ rules, groups }: Group): boolean => rules.length === 0 && groups.every(isEmptyGroup)

/** The kinds that rules speak of beside the own one. */
export function relatedIn({ rules, groups }: Group): readonly string[] {
  const named = rules.flatMap(({ property }) => (property.includes('.') ? [property.split('.')[0] ?? ''] : []))
  return [...new Set([...named, ...groups.flatMap(relatedIn)])]
}

function ruleOf(property: string, word: string, value: string): readonly Rule[] {
  const op = operatorOf(word)
  return /^\w+(?:\.\w+)?$/.test(property) && op ? [{ property, op, value: value.slice(0, longestText) }] : []
}

/** One rule of a flat filter, as `Status:eq:open`. */
export function readRule(text: string): readonly Rule[] {
  const [property = '', word = '', ...rest] = text.slice(0, longestText).split(':')
  return ruleOf(property, word, rest.join(':'))
}

export const writeRule = ({ property, op, value }: Rule) => `${property}:${op}:${value}`

/** `{"any": [["Status", "eq", "open"], {"all": […]}]}`; what is nothing like it is left out. */
function readTree(tree: unknown, level: number): Group | undefined {
  if (typeof tree !== 'object' || tree === null || level > mostLevels) return undefined
  const logic = 'any' in tree ? 'OR' : 'AND'
  const parts: unknown = 'any' in tree ? tree.any : 'all' in tree ? tree.all : undefined
  if (!Array.isArray(parts)) return undefined
  const rules: Rule[] = []
  const groups: Group[] = []
  for (const part of parts.slice(0, mostRules + mostGroups)) {
    if (Array.isArray(part)) rules.push(...ruleOf(String(part[0] ?? ''), String(part[1] ?? ''), String(part[2] ?? '')))
    else {
      const group = readTree(part, level + 1)
      if (group) groups.push(group)
    }
  }
  return { logic, rules: rules.slice(0, mostRules), groups: groups.slice(0, mostGroups) }
}

function treeOf({ logic, rules, groups }: Group): object {
  const parts = [...rules.map(({ property, op, value }) => [property, op, value]), ...groups.map(treeOf)]
  return logic === 'OR' ? { any: parts } : { all: parts }
}

/** An address may come from anywhere: what is no filter is left out, and no more is taken than a page shows. */
export function readFilter(parameters: URLSearchParams): Group {
  const where = parameters.get('where') ?? ''
  if (where !== '' && where.length <= longestTree) {
    try {
      return readTree(JSON.parse(where), 1) ?? noFilter
    } catch {
      return noFilter
    }
  }
  return { ...noFilter, rules: parameters.getAll('filter').slice(0, mostRules).flatMap(readRule) }
}

/** Rules that must all hold stand one by one, which people can read; all else is a tree. */
export function writeFilter(filter: Group, parameters: URLSearchParams): void {
  if (isEmptyGroup(filter)) return
  const isFlat = filter.groups.length === 0 && (filter.logic === 'AND' || filter.rules.length === 1)
  if (!isFlat) return parameters.set('where', JSON.stringify(treeOf(filter)))
  for (const rule of filter.rules) parameters.append('filter', writeRule(rule))
}

type Type = string

/** The comparisons that make sense for a type, the likeliest first. */
export function operatorsOf(type: Type): readonly Operator[] {
  const presence = ['isEmpty', 'isNotEmpty'] as const
  if (type === 'Text') return ['contains', 'eq', 'ne', 'startsWith', 'endsWith', ...presence]
  if (type === 'Boolean') return ['eq', ...presence]
  if (type === 'Choice') return ['eq', 'ne', ...presence]
  if (type === 'Hierarchy') return ['under', 'eq', 'ne', ...presence]
  if (type === 'Attachment' || type === 'Signature' || type === 'Binary') return presence.toReversed()
  return ['eq', 'gt', 'gte', 'lt', 'lte', 'ne', ...presence]
}

export const takesValue = (op: Operator) => op !== 'isEmpty' && op !== 'isNotEmpty'

/** Without the rules that nobody gave a value, and the groups that hold nothing. */
export function finished({ logic, rules, groups }: Group): Group {
  return {
    logic,
    rules: rules.filter(({ op, value }) => !takesValue(op) || value.trim() !== ''),
    groups: groups.map(finished).filter((group) => !isEmptyGroup(group)),
  }
}

interface WireRule {
  readonly entity?: string
  readonly property: string
  readonly op: Operator
  readonly value?: string | number | boolean
}

export interface WireGroup {
  readonly logic: 'AND' | 'OR'
  readonly rules: WireRule[]
  readonly groups?: WireGroup[]
}

/** A rule as the API takes it. A number that is none goes as it was typed, and the API says so. */
function wireRule({ property: path, op, value }: Rule, type: Type): WireRule {
  const [property = '', entity] = path.split('.').toReversed()
  const place = { ...(entity === undefined ? {} : { entity }), property, op }
  if (!takesValue(op)) return place
  if ((type === 'Number' || type === 'Currency') && value.trim() !== '' && Number.isFinite(Number(value)))
    return { ...place, value: Number(value) }
  return type === 'Boolean' ? { ...place, value: value === 'true' } : { ...place, value }
}

/** `types` are of the properties, those of related kinds by `Entity.Property`. */
export function wireGroup({ logic, rules, groups }: Group, types: ReadonlyMap<string, Type>): WireGroup {
  return {
    logic,
    rules: rules.map((rule) => wireRule(rule, types.get(rule.property) ?? 'Text')),
    ...(groups.length === 0 ? {} : { groups: groups.map((group) => wireGroup(group, types)) }),
  }
}
