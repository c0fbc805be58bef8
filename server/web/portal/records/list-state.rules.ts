/** What a list shows: filters, order and columns, as they stand in the address, so that a link to a list is that list. */

const operators = ['eq', 'ne', 'contains', 'startsWith', 'endsWith', 'gt', 'gte', 'lt', 'lte', 'under', 'isEmpty', 'isNotEmpty'] as const
export type Operator = (typeof operators)[number]

export const operatorOf = (text: string) => operators.find((op) => op === text)

export interface Rule {
  readonly property: string
  readonly op: Operator
  readonly value: string
}

export interface ListState {
  readonly rules: readonly Rule[]
  /** A property, with a minus before it: downwards. */
  readonly sort: string
  /** None: the first ones of the entity. */
  readonly columns: readonly string[]
}

/** An address may come from anywhere: what is no rule is left out, and no more is taken than a page shows. */
export function readState(query: string): ListState {
  const parameters = new URLSearchParams(query)
  const rules = parameters
    .getAll('filter')
    .slice(0, 20)
    .flatMap((text) => {
      const [property = '', word = '', ...rest] = text.slice(0, 2_000).split(':')
      const op = operatorOf(word)
      return /^\w+$/.test(property) && op ? [{ property, op, value: rest.join(':') }] : []
    })
  const sort = parameters.get('sort') ?? ''
  const columns = (parameters.get('columns') ?? '').split(',').filter((name) => /^\w+$/.test(name))
  return { rules, sort: /^-?\w+$/.test(sort) ? sort : '', columns: columns.slice(0, 40) }
}

export function writeState({ rules, sort, columns }: ListState): string {
  const parameters = new URLSearchParams()
  for (const { property, op, value } of rules) parameters.append('filter', `${property}:${op}:${value}`)
  if (sort !== '') parameters.set('sort', sort)
  if (columns.length > 0) parameters.set('columns', columns.join(','))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
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

interface WireRule {
  readonly property: string
  readonly op: Operator
  readonly value?: string | number | boolean
}

/** A rule as the API takes it. A number that is none goes as it was typed, and the API says so. */
export function wireRule({ property, op, value }: Rule, type: Type): WireRule {
  if (!takesValue(op)) return { property, op }
  if ((type === 'Number' || type === 'Currency') && value.trim() !== '' && Number.isFinite(Number(value)))
    return { property, op, value: Number(value) }
  if (type === 'Boolean') return { property, op, value: value === 'true' }
  return { property, op, value }
}

/** The body of list_instances for a state. `types` are of the properties and system fields. */
export function listBody(state: ListState, types: ReadonlyMap<string, Type>, pageSize: number) {
  const { rules, sort } = state
  const isDown = sort.startsWith('-')
  return {
    pageSize,
    withDataJson: false,
    ...(rules.length === 0
      ? {}
      : { filterRules: { logic: 'AND' as const, rules: rules.map((rule) => wireRule(rule, types.get(rule.property) ?? 'Text')) } }),
    ...(sort === ''
      ? {}
      : { sort: [{ property: isDown ? sort.slice(1) : sort, direction: isDown ? ('desc' as const) : ('asc' as const) }] }),
  }
}
