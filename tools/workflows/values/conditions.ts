/**
 * Conditions of a definition: FilterGroups whose rules ask of the run's record, or by a token's path of what the run holds. What asks of the record
 * is gathered into filters, which the reading floor answers as it answers every other; the rest is asked of the values in hand.
 */
import { AppError } from '#platform/errors.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { resolveJson } from '#platform/tokens/resolve-json.ts'
import { type Resolving, valueOf } from '#platform/tokens/resolve.ts'
import { parseTemplate, soleToken, type Token } from '#platform/tokens/template.ts'
import { operators } from '#tools/properties/operators.types.ts'
import type { Scalar, Value } from '#tools/properties/service.ts'
import { type Comparing, valueHolds } from '#tools/query/service.ts'

import { canonicalOf, likeIts } from './canonical.rules.ts'

export type Condition =
  /** A filter on the run's record; `value`s may still hold tokens. */
  | { readonly kind: 'record'; readonly filter: Readonly<Record<string, unknown>> }
  | { readonly kind: 'value'; readonly token: Token; readonly op: Comparing['op']; readonly value: unknown }
  | { readonly kind: 'group'; readonly logic: 'AND' | 'OR'; readonly nodes: readonly Condition[] }

const maxDepth = 8
const maxRules = 200
/** Operators of a value that stands alone; what lies below an option is known of a property only. */
const ofValues = operators.filter((op) => op !== 'under')

function refuse(message: string): AppError {
  return new AppError('unprocessable', `A condition cannot be asked: ${message}`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a rule's property is the path of a token: names of properties have neither of these. */
export function isPath(property: unknown): property is string {
  return typeof property === 'string' && /^\$|[.[|]/.test(property)
}

/** The token of a path that stands without its brackets. */
export function tokenOf(path: string): Token {
  const token = soleToken(parseTemplate(`[[${path}]]`))
  if (!token) throw refuse(`${quoted(path)} is no path of a token, such as $steps.check.action.`)
  return token
}

/** Reads a FilterGroup, or a list of rules. Throws AppError `unprocessable` where it is none: publishing has refused it before. */
export function readConditions(said: unknown): Condition {
  const seen = { rules: 0 }
  return gathered(readGroup(Array.isArray(said) ? { rules: said } : said, 1, seen))
}

function readGroup(said: unknown, depth: number, seen: { rules: number }): Condition {
  if (!isObject(said)) throw refuse('a group is {logic, rules[], groups[]}.')
  if (depth > maxDepth) throw refuse(`groups nest at most ${maxDepth} levels.`)
  const { logic = 'AND', rules = [], groups = [] } = said
  if (said['entity'] !== undefined) return { kind: 'record', filter: said }
  if (logic !== 'AND' && logic !== 'OR') throw refuse(`logic is AND or OR, not ${quoted(logic)}.`)
  if (!Array.isArray(rules) || !Array.isArray(groups)) throw refuse('rules and groups are lists.')
  const nodes = [...rules.map((rule) => readRule(rule, seen)), ...groups.map((group) => readGroup(group, depth + 1, seen))]
  return { kind: 'group', logic, nodes }
}

function readRule(said: unknown, seen: { rules: number }): Condition {
  if (++seen.rules > maxRules) throw refuse(`it has at most ${maxRules} rules.`)
  if (!isObject(said)) throw refuse('a rule is {property, op, value}.')
  const { property, op, value } = said
  if (said['entity'] !== undefined || !isPath(property)) return { kind: 'record', filter: { rules: [said] } }
  const known = ofValues.find((one) => one === op)
  if (!known) {
    const close = typeof op === 'string' ? nearest(op, ofValues) : undefined
    throw refuse(`${quoted(op)} is no comparison of a value${close === undefined ? '.' : `; did you mean ${close}?`}`)
  }
  // `under` is left out above, and what is left is an operator of the query tree.
  return { kind: 'value', token: tokenOf(property), op: known as Comparing['op'], value }
}

/** The same with as few filters as there can be: each is a question to the database. */
function gathered(condition: Condition): Condition {
  if (condition.kind !== 'group') return condition
  const { logic } = condition
  const nodes = condition.nodes.map(gathered)
  const filters = nodes.flatMap((one) => (one.kind === 'record' ? [one.filter] : []))
  const others = nodes.filter((one) => one.kind !== 'record')
  if (filters.length === 0) return { kind: 'group', logic, nodes }
  const record: Condition = { kind: 'record', filter: { logic, groups: filters } }
  return others.length === 0 ? record : { kind: 'group', logic, nodes: [...others, record] }
}

/** Asks the run's record; its filter is resolved. */
export type AskRecord = (filter: unknown) => Promise<boolean>

/** Whether a condition holds. A group without rules holds. Throws AppError `too_large` where it would look at more than one turn may. */
export async function conditionHolds(condition: Condition, at: Resolving, askRecord: AskRecord): Promise<boolean> {
  switch (condition.kind) {
    case 'record':
      return askRecord(resolveJson(condition.filter, at))
    case 'value':
      return ruleHolds(condition, at)
    case 'group': {
      const { logic, nodes } = condition
      // One after another: what the values decide needs no question to the database.
      for (const node of nodes) if ((await conditionHolds(node, at, askRecord)) !== (logic === 'AND')) return logic !== 'AND'
      return logic === 'AND' || nodes.length === 0
    }
  }
}

function ruleHolds({ token, op, value: said }: Extract<Condition, { kind: 'value' }>, at: Resolving): boolean {
  const value = canonicalOf(valueOf(token, at).value)
  const isAsked = op === 'isEmpty' || op === 'isNotEmpty'
  const given = isAsked ? [] : givenOf(resolveJson(said, at), op)
  const values = likeIts(value, given)
  return valueHolds(value, { op, values, hasWords: hasWords(value, values) }, at.budget)
}

function givenOf(said: unknown, op: Comparing['op']): readonly Scalar[] {
  const isMany = op === 'in' || op === 'notIn' || op === 'between' || op === 'notBetween'
  const canonical = canonicalOf(said)
  const given = canonical === null ? [] : typeof canonical === 'object' ? canonical : [canonical]
  if (isMany && (op === 'between' || op === 'notBetween') && given.length !== 2) throw refuse('between takes two values.')
  // What is empty is equal to nothing, as a text without characters is.
  return isMany || given.length > 0 ? given : ['']
}

/** Times stand in the order of their texts; other texts as people read them. */
function hasWords(value: Value, values: readonly Scalar[]): boolean {
  const all = [...(value !== null && typeof value === 'object' ? value : [value]), ...values]
  return !all.every((one) => typeof one !== 'string' || /^\d{4}-\d{2}-\d{2}/.test(one))
}
