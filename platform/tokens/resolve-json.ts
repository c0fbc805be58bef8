/** Values of JSON that hold tokens and expressions somewhere inside: the configuration of a step, a definition's values. */
import { spend } from './budget.ts'
import { evaluate } from './evaluate.ts'
import { isExpression, parseExpression } from './expression.ts'
import { type Resolving, resolveValue, valueOf } from './resolve.ts'
import { mayHoldTokens, parseTemplate, soleToken } from './template.ts'
import { isObject } from './values.ts'

const maxDepth = 64

/**
 * The value with its texts resolved and its `{"$expr": …}` evaluated. Names of fields are no texts. An expression that cannot be read is null, as is what
 * nests deeper than JSON of ours does; a check before tells of both. `{"$given": {…}}` is the object without the fields whose token finds no such name: what
 * is there and null stays.
 */
export function resolveJson(value: unknown, at: Resolving): unknown {
  return visit(value, at, 0)
}

export function isGiven(value: object): value is { readonly $given: Readonly<Record<string, unknown>> } {
  return Object.hasOwn(value, '$given') && Object.keys(value).length === 1 && '$given' in value && isObject(value.$given)
}

/** Whether a value is anything but a token of a name that nothing has. */
function isFound(value: unknown, at: Resolving): boolean {
  const token = typeof value === 'string' && mayHoldTokens(value) ? soleToken(parseTemplate(value)) : undefined
  return token === undefined || valueOf(token, { ...at, unresolved: new Set() }).isKnown
}

function visit(value: unknown, at: Resolving, depth: number): unknown {
  spend(at.budget, 20)
  if (typeof value === 'string') {
    spend(at.budget, value.length)
    return resolveValue(value, at)
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return null
  if (Array.isArray(value)) return value.map((one) => visit(one, at, depth + 1))
  if (isExpression(value)) {
    const { expression } = parseExpression(value.$expr)
    return expression ? evaluate(expression, at) : null
  }
  if (isGiven(value))
    return Object.fromEntries(
      Object.entries(value.$given).flatMap(([key, one]) => (isFound(one, at) ? [[key, visit(one, at, depth + 1)]] : [])),
    )
  // By entries: a plain assignment to `__proto__` would change what the object is.
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one, at, depth + 1)]))
}
