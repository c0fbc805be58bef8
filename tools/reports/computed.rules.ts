/** Values that a report computes for each row of its result, after the others. */
import { type Budget, spend } from '#platform/tokens/budget.ts'
import { checkTokens } from '#platform/tokens/check.ts'
import { evaluate } from '#platform/tokens/evaluate.ts'
import { type Expression, parseExpression, templatesOf } from '#platform/tokens/expression.ts'
import { type Resolving, resolving } from '#platform/tokens/resolve.ts'
import type { Shape, Shapes } from '#platform/tokens/shape.ts'
import { parseTemplate, soleToken } from '#platform/tokens/template.ts'
import { quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'
import type { Output, Report } from '#tools/query/service.ts'

import { isObject, shapeOf } from './params.rules.ts'

const maxComputed = 50
/** In all expressions of a report, so that none takes long to be read or holds others up as its rows are made. */
const maxTokens = 500

export interface Computed {
  readonly alias: string
  readonly expression: Expression
  /** The columns that it reads, for who tells whether it changed. */
  readonly reads: ReadonlySet<string>
}

/** What tokens of a row may name: its columns. */
function shapesOfRow(outputs: readonly Output[]): Shapes {
  return Object.fromEntries(
    outputs.map(({ name, result }) => [name, shapeOf({ dataType: result.dataType, isList: result.of?.isList === true })]),
  )
}

/** The rows of a report as tokens name them. A column whose name no token can say is left out. */
export function shapeOfRows({ report, computed }: { readonly report: Report | undefined; readonly computed: readonly Computed[] }): Shape {
  const snapshot: Shapes = report?.variance ? { snapshotDate: { kind: 'scalar', type: 'dateTime' } } : {}
  const made: Shapes = Object.fromEntries(computed.map(({ alias }) => [alias, { kind: 'any' }]))
  const columns = Object.entries({ ...snapshot, ...shapesOfRow(report?.outputs ?? []), ...made })
  const sayable = columns.filter(([name]) => soleToken(parseTemplate(`[[row.${name}]]`))?.path[1]?.name === name)
  return { kind: 'list', of: { kind: 'object', fields: Object.fromEntries(sayable) } }
}

/** Reads `computed` of a definition; findings stand at `path`. */
export function readComputed(
  said: unknown,
  { outputs, roots, path }: { readonly outputs: readonly Output[]; readonly roots: Shapes; readonly path: string },
): { readonly computed: readonly Computed[]; readonly findings: readonly Finding[] } {
  if (said === undefined || said === null) return { computed: [], findings: [] }
  if (!Array.isArray(said) || said.length > maxComputed)
    return { computed: [], findings: [finding(path, `Expected an array of at most ${maxComputed} {alias, $expr}.`)] }
  const findings: Finding[] = []
  const computed: Computed[] = []
  let tokensInAll = 0
  const names = new Set(outputs.map(({ name }) => name.toLowerCase()))
  // One may read those before it.
  const earlier: Record<string, Shapes[string]> = {}
  said.forEach((raw: unknown, index) => {
    const at = `${path}[${index}]`
    if (!isObject(raw)) return void findings.push(finding(at, `Expected {alias, $expr}, got ${quoted(raw)}.`))
    const { alias, $expr, ...others } = raw
    for (const key of Object.keys(others).slice(0, 20)) findings.push(finding(`${at}.${key}`, 'Unknown. Allowed: alias, $expr.'))
    if (typeof alias !== 'string' || alias === '' || alias.length > 64)
      return void findings.push(finding(`${at}.alias`, `Required, a text of at most 64 characters, got ${quoted(alias)}.`))
    if (names.has(alias.toLowerCase()))
      findings.push(finding(`${at}.alias`, `${quoted(alias)} names another column of the result already.`))
    names.add(alias.toLowerCase())
    const { expression } = parseExpression($expr)
    const parts = expression ? Array.from(templatesOf(expression), ({ template }) => template.parts).flat() : []
    const tokens = parts.flatMap((part) => (typeof part === 'string' ? [] : part.path[0].name))
    tokensInAll += tokens.length
    if (tokensInAll > maxTokens)
      return void findings.push(finding(`${at}.$expr`, `At most ${maxTokens} tokens in all computed values of a report.`))
    findings.push(...checkTokens({ $expr }, { ...roots, ...shapesOfRow(outputs), ...earlier }, at))
    earlier[alias] = { kind: 'any' }
    if (expression) computed.push({ alias, expression, reads: new Set(tokens) })
  })
  return { computed, findings }
}

/** Counts what a value comes to when it is written, each place of it by itself: one list may stand in several. */
function spendValue(budget: Budget, value: unknown): void {
  spend(budget, typeof value === 'string' ? value.length : 10)
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) spendValue(budget, part)
}

/** The values that a row has beside its own. Throws AppError `too_large` where all of them together take too much work. */
export function computedOf(computed: readonly Computed[], row: Readonly<Record<string, unknown>>, at: Resolving): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const roots = { ...at.roots, ...row }
  const own = resolving(roots, at.rendering)
  for (const { alias, expression } of computed) {
    const value = evaluate(expression, own) ?? null
    spendValue(own.budget, value)
    values[alias] = value
    roots[alias] = value
  }
  return values
}
