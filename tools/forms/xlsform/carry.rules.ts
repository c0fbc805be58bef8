/** What expressions of XLSForms become here: filters, limits of a property, and `$expr`. */
import type { DataType } from '#tools/entities/catalog.types.ts'

import { parseXPath, type XPath } from './xpath.rules.ts'

/** A question as another one may speak of it. */
export interface Asked {
  readonly property: string
  readonly dataType: DataType
  readonly isList: boolean
  /** The internalNames of its options by what the XLSForm calls them. */
  readonly options: ReadonlyMap<string, string>
  /** Of the record that has it. */
  readonly entity: string
}

/** Where an expression stands. */
export interface Scope {
  readonly entity: string
  /** The entity of the form: from a row its parent. */
  readonly form: string
  readonly find: (name: string) => Asked | undefined
}

export interface Group {
  readonly logic: 'AND' | 'OR'
  readonly rules: readonly Rule[]
  readonly groups: readonly Group[]
}

interface Rule {
  readonly entity?: string
  readonly property: string
  readonly op: string
  readonly value?: unknown
}

type Condition = Rule | Group

const mirrored: Readonly<Record<string, string>> = { '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
const ops: Readonly<Record<string, string>> = { '=': 'eq', '!=': 'ne', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' }
const opposite: Readonly<Record<string, string>> = { eq: 'ne', ne: 'eq', isEmpty: 'isNotEmpty', isNotEmpty: 'isEmpty' }
const times: readonly DataType[] = ['DateOnly', 'DateTime', 'TimeOnly']

/** From a row to the record above it a rule names the entity; from the record to a row, and from one row to another, nothing leads. */
function ruleOn(scope: Scope, asked: Asked, op: string, value?: unknown): Rule | undefined {
  if (asked.entity !== scope.entity && asked.entity !== scope.form) return undefined
  const entity = asked.entity === scope.entity ? {} : { entity: asked.entity }
  return { ...entity, property: asked.property, op, ...(value === undefined ? {} : { value }) }
}

function isCall(node: XPath, name: string, count: number): node is XPath & { kind: 'call' } {
  return node.kind === 'call' && node.name === name && node.args.length === count
}

/** A constant that the question can be held against. */
function constant(node: XPath, { dataType, options }: Asked): unknown {
  if (isCall(node, 'today', 0)) return dataType === 'DateOnly' || dataType === 'DateTime' ? 'today' : undefined
  if (isCall(node, 'now', 0)) return dataType === 'DateTime' ? 'now' : undefined
  const inner = isCall(node, 'date', 1) || isCall(node, 'number', 1) ? node.args[0] : node
  if (inner?.kind !== 'number' && inner?.kind !== 'text') return undefined
  if (dataType === 'Number') return Number.isFinite(Number(inner.value)) ? Number(inner.value) : undefined
  if (dataType === 'Boolean') return ['OK', 'yes', 'true', '1'].includes(String(inner.value))
  if (dataType === 'Choice') return options.get(String(inner.value))
  if (dataType === 'Text') return String(inner.value)
  return inner.kind === 'text' && times.includes(dataType) ? inner.value : undefined
}

function comparison(scope: Scope, name: string, [left, right]: readonly [XPath, XPath]): Condition | undefined {
  if (left.kind !== 'question' && right.kind === 'question') return comparison(scope, mirrored[name] ?? '', [right, left])
  const op = ops[name]
  const isLength = isCall(left, 'string-length', 1) && left.args[0]?.kind === 'question' && right.kind === 'number' && right.value === 0
  if (isLength && left.args[0]?.kind === 'question') {
    const asked = scope.find(left.args[0].name)
    const isEmpty = name === '=' ? 'isEmpty' : name === '>' || name === '!=' ? 'isNotEmpty' : undefined
    return asked && isEmpty !== undefined ? ruleOn(scope, asked, isEmpty) : undefined
  }
  if (left.kind !== 'question' || op === undefined) return undefined
  const asked = scope.find(left.name)
  if (!asked) return undefined
  if (right.kind === 'text' && right.value === '')
    return op === 'eq' || op === 'ne' ? ruleOn(scope, asked, op === 'eq' ? 'isEmpty' : 'isNotEmpty') : undefined
  const value = constant(right, asked)
  const isOrdered = asked.dataType === 'Number' || times.includes(asked.dataType)
  // A select that may have several answers equals one of them only where it is the only one, which a filter does not ask.
  if (value === undefined || asked.isList || (!isOrdered && op !== 'eq' && op !== 'ne')) return undefined
  return ruleOn(scope, asked, op, value)
}

function negated(condition: Condition): Condition | undefined {
  if ('property' in condition) {
    const op = opposite[condition.op]
    return op === undefined ? undefined : { ...condition, op }
  }
  const parts = [...condition.rules, ...condition.groups].map(negated)
  if (parts.includes(undefined)) return undefined
  return joined(
    condition.logic === 'AND' ? 'OR' : 'AND',
    parts.flatMap((part) => part ?? []),
  )
}

/** Rules and groups under one word; what has that word itself is taken apart. */
function joined(logic: 'AND' | 'OR', parts: readonly Condition[]): Group {
  const flat = parts.flatMap((part) => ('property' in part || part.logic !== logic ? part : [...part.rules, ...part.groups]))
  return { logic, rules: flat.filter((part) => 'property' in part), groups: flat.filter((part) => 'logic' in part) }
}

function conditionOf(node: XPath, scope: Scope): Condition | undefined {
  if (node.kind === 'operator' && (node.name === 'and' || node.name === 'or')) {
    const parts = node.args.map((one) => conditionOf(one, scope))
    return parts.includes(undefined)
      ? undefined
      : joined(
          node.name === 'and' ? 'AND' : 'OR',
          parts.flatMap((part) => part ?? []),
        )
  }
  if (node.kind === 'operator') return comparison(scope, node.name, node.args)
  if (isCall(node, 'not', 1)) {
    const inner = node.args[0] && conditionOf(node.args[0], scope)
    return inner && negated(inner)
  }
  const [question, option] = node.kind === 'call' ? node.args : []
  if (!isCall(node, 'selected', 2) || question?.kind !== 'question' || option?.kind !== 'text') return undefined
  const asked = scope.find(question.name)
  const value = asked?.options.get(option.value)
  return asked && value !== undefined ? ruleOn(scope, asked, 'eq', value) : undefined
}

/** A relevance as a filter. */
export function carryCondition(source: string, scope: Scope): Group | undefined {
  const node = parseXPath(source)
  const condition = node && conditionOf(node, scope)
  return condition && joined('AND', [condition])
}

/** Both must hold. */
export function both(one: Group | undefined, other: Group | undefined): Group | undefined {
  return one && other ? joined('AND', [one, other]) : (one ?? other)
}

const called: Readonly<Record<string, { readonly operator: string; readonly least: number; readonly most: number }>> = {
  concat: { operator: 'concat', least: 1, most: 50 },
  if: { operator: 'if', least: 3, most: 3 },
  round: { operator: 'round', least: 1, most: 2 },
  not: { operator: 'not', least: 1, most: 1 },
  'string-length': { operator: 'length', least: 1, most: 1 },
}
const arithmetic: Readonly<Record<string, string>> = { div: '/', mod: '%' }

function valueOf(node: XPath, scope: Scope): unknown {
  switch (node.kind) {
    case 'number':
      return node.value
    case 'text':
      return node.value.includes('[[') ? undefined : node.value
    case 'question':
      return tokenOf(node.name, scope)
    case 'self':
      return undefined
    case 'operator': {
      const args = node.args.map((one) => valueOf(one, scope))
      return args.includes(undefined) ? undefined : [arithmetic[node.name] ?? node.name, ...args]
    }
    case 'call': {
      if (isCall(node, 'today', 0)) return '[[$today]]'
      if (isCall(node, 'now', 0)) return '[[$now]]'
      const [only] = node.args
      if (only && (isCall(node, 'string', 1) || isCall(node, 'number', 1))) return valueOf(only, scope)
      const known = called[node.name]
      const args = node.args.map((one) => valueOf(one, scope))
      const fits = known && args.length >= known.least && args.length <= known.most && !args.includes(undefined)
      return fits ? [known.operator, ...args] : undefined
    }
  }
}

/** `${name}` as a token. */
export function tokenOf(name: string, scope: Scope): string | undefined {
  const asked = scope.find(name)
  if (!asked) return undefined
  if (asked.entity === scope.entity && scope.entity !== scope.form) return `[[$row.${asked.property}]]`
  return asked.entity === scope.form ? `[[${asked.entity}.${asked.property}]]` : undefined
}

/** A calculation as a default. */
export function carryValue(source: string, scope: Scope): { readonly value: unknown } | undefined {
  const node = parseXPath(source)
  const value = node && valueOf(node, scope)
  return value === undefined ? undefined : { value: Array.isArray(value) ? { $expr: value } : value }
}

const numeric: readonly string[] = ['+', '-', '*', 'div', 'mod', 'round', 'string-length', 'number', 'int', 'count', 'sum']

/** Whether a calculation makes a number. */
export function isNumeric(source: string): boolean {
  const node = parseXPath(source)
  return node?.kind === 'number' || ((node?.kind === 'operator' || node?.kind === 'call') && numeric.includes(node.name))
}

export interface Limits {
  minValueOrLength?: number
  maxValueOrLength?: number
  regEx?: string
}

/** The parts of a constraint that are limits of the property itself; undefined where one of them is not. */
export function carryLimits(source: string, dataType: DataType, isWhole: boolean): Limits | undefined {
  const node = parseXPath(source)
  if (!node) return undefined
  const limits: Limits = {}
  const lower = (value: number) => (limits.minValueOrLength = Math.max(limits.minValueOrLength ?? value, value))
  const upper = (value: number) => (limits.maxValueOrLength = Math.min(limits.maxValueOrLength ?? value, value))
  const read = (one: XPath): boolean => {
    if (one.kind === 'operator' && one.name === 'and') return one.args.every(read)
    if (isCall(one, 'regex', 2) && one.args[0]?.kind === 'self' && one.args[1]?.kind === 'text') {
      if (dataType !== 'Text' || limits.regEx !== undefined || one.args[1].value.length > 480) return false
      // A constraint holds for the whole answer.
      limits.regEx = `^(?:${one.args[1].value})$`
      return true
    }
    if (one.kind !== 'operator') return false
    const [left, right] = one.args
    const name = left.kind === 'number' ? (mirrored[one.name] ?? '') : one.name
    const [subject, bound] = left.kind === 'number' ? [right, left] : [left, right]
    if (bound.kind !== 'number') return false
    const isLength = isCall(subject, 'string-length', 1) && subject.args[0]?.kind === 'self'
    if (isLength ? dataType !== 'Text' : subject.kind !== 'self' || dataType !== 'Number') return false
    const step = isLength || isWhole ? 1 : undefined
    if (name === '>=') lower(bound.value)
    else if (name === '<=') upper(bound.value)
    else if (name === '=') void (lower(bound.value), upper(bound.value))
    else if (name === '>' && step !== undefined) lower(Math.floor(bound.value) + step)
    else if (name === '<' && step !== undefined) upper(Math.ceil(bound.value) - step)
    else return false
    return true
  }
  return read(node) ? limits : undefined
}
