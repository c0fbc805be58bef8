/** `{"$expr": [operator, …arguments]}`: a small language without loops, read once into a tree; what is wrong with it is told with its JSON path. */
import { nearest, quoted } from '../suggest.ts'
import { mayHoldTokens, parseTemplate, type Template } from './template.ts'

const maxDepth = 16
const maxNodes = 200

const arity: Readonly<Record<string, readonly [least: number, most: number]>> = {
  '+': [2, 50],
  '-': [1, 50],
  '*': [2, 50],
  '/': [2, 2],
  '%': [2, 2],
  '=': [2, 2],
  '!=': [2, 2],
  '<': [2, 2],
  '<=': [2, 2],
  '>': [2, 2],
  '>=': [2, 2],
  and: [1, 50],
  or: [1, 50],
  not: [1, 1],
  if: [2, 3],
  concat: [1, 50],
  length: [1, 1],
  round: [1, 2],
  lower: [1, 1],
  upper: [1, 1],
  dateAdd: [2, 2],
  dateDiff: [3, 3],
  at: [2, 2],
  has: [2, 2],
}

export const operators: readonly string[] = Object.keys(arity)
/** Their first argument may be a list that is written out. */
const onLists: readonly string[] = ['length', 'at', 'has']

export type Expression =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null }
  | { readonly kind: 'template'; readonly template: Template; readonly path: string }
  | { readonly kind: 'list'; readonly elements: readonly Expression[] }
  | { readonly kind: 'call'; readonly operator: string; readonly args: readonly Expression[] }

export interface ExpressionIssue {
  /** From the expression's own place: `$[1][2]`. */
  readonly path: string
  readonly message: string
  readonly suggestion?: string
}

export interface ParsedExpression {
  /** Absent where there are issues. */
  readonly expression?: Expression
  readonly issues: readonly ExpressionIssue[]
}

export function isExpression(value: object): value is { readonly $expr: unknown } {
  return Object.hasOwn(value, '$expr') && Object.keys(value).length === 1
}

interface Reading {
  nodes: number
  readonly issues: ExpressionIssue[]
}

const failed: Expression = { kind: 'value', value: null }

function fail(at: Reading, path: string, message: string, suggestion?: string): Expression {
  at.issues.push(suggestion === undefined ? { path, message } : { path, message, suggestion })
  return failed
}

function readTemplate(text: string, path: string, at: Reading): Expression {
  if (!mayHoldTokens(text)) return { kind: 'value', value: text }
  const template = parseTemplate(text)
  for (const { message, suggestion } of template.faults) fail(at, path, message, suggestion)
  return { kind: 'template', template, path }
}

function readCall(list: readonly unknown[], path: string, depth: number, at: Reading): Expression {
  const [operator, ...given] = list
  if (typeof operator !== 'string' || !operators.includes(operator)) {
    const suggestion = typeof operator === 'string' ? nearest(operator, operators) : undefined
    const said = typeof operator === 'string' ? `There is no operator ${quoted(operator)}.` : 'The first element is no operator.'
    return fail(at, `${path}[0]`, `${said} Operators: ${operators.join(' ')}.`, suggestion)
  }
  const [least, most] = arity[operator] ?? [0, 0]
  if (given.length < least || given.length > most) {
    const number = least === most ? String(least) : `${least} to ${most}`
    return fail(at, path, `${operator} takes ${number} argument${most === 1 ? '' : 's'}, not ${given.length}.`)
  }
  const args = given.map((one, n) => {
    const place = `${path}[${n + 1}]`
    const isList = n === 0 && onLists.includes(operator) && Array.isArray(one) && !operators.some((name) => name === one[0])
    return isList ? readList(one, place, depth + 1, at) : read(one, place, depth + 1, at)
  })
  return { kind: 'call', operator, args }
}

function readList(list: readonly unknown[], path: string, depth: number, at: Reading): Expression {
  if (list.length > maxNodes) return fail(at, path, `A list that is written out has at most ${maxNodes} elements.`)
  return { kind: 'list', elements: list.map((one, n) => read(one, `${path}[${n}]`, depth + 1, at)) }
}

function read(value: unknown, path: string, depth: number, at: Reading): Expression {
  // The rest of what is too large or too deep is not looked at.
  if (++at.nodes > maxNodes) return at.nodes === maxNodes + 1 ? fail(at, path, `An expression has at most ${maxNodes} parts.`) : failed
  if (depth > maxDepth) return fail(at, path, `An expression nests at most ${maxDepth} deep.`)
  if (typeof value === 'string') return readTemplate(value, path, at)
  if (value === null || typeof value === 'boolean') return { kind: 'value', value }
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'value', value: value + 0 }
  if (Array.isArray(value)) return readCall(value, path, depth, at)
  if (typeof value === 'object' && value !== null && isExpression(value)) return read(value.$expr, `${path}.$expr`, depth + 1, at)
  return fail(at, path, 'Expected a text, a number, true, false, null or [operator, …arguments].')
}

/** Reads what stands under `$expr`. */
export function parseExpression(value: unknown): ParsedExpression {
  const at: Reading = { nodes: 0, issues: [] }
  if (!Array.isArray(value)) fail(at, '$', 'An expression is [operator, …arguments], such as ["+", 1, "[[$item.Amount]]"].')
  const expression = at.issues.length === 0 ? read(value, '$', 0, at) : failed
  return at.issues.length === 0 ? { expression, issues: [] } : { issues: at.issues.slice(0, 50) }
}

/** Visits the tokens' texts of an expression. */
export function* templatesOf(expression: Expression): Generator<{ readonly template: Template; readonly path: string }> {
  if (expression.kind === 'template') yield expression
  if (expression.kind === 'list') for (const one of expression.elements) yield* templatesOf(one)
  if (expression.kind === 'call') for (const one of expression.args) yield* templatesOf(one)
}
