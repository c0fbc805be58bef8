/** Values of JSON that hold tokens and expressions somewhere inside: the configuration of a step, a definition's values. */
import { spend } from './budget.ts'
import { evaluate } from './evaluate.ts'
import { isExpression, parseExpression } from './expression.ts'
import { type Resolving, resolveValue } from './resolve.ts'

const maxDepth = 64

/**
 * The value with its texts resolved and its `{"$expr": …}` evaluated. Names of fields are no texts. An expression that cannot be read is null, as is what
 * nests deeper than JSON of ours does; a check before tells of both.
 */
export function resolveJson(value: unknown, at: Resolving): unknown {
  return visit(value, at, 0)
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
  // By entries: a plain assignment to `__proto__` would change what the object is.
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one, at, depth + 1)]))
}
