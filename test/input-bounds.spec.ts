/** Whatever an operation takes has an end: every text and every list of its input says how long it may be. */
import { expect, it } from 'vitest'

import { buildRegistry } from '#platform/registry.ts'
import { domains } from '#tools/index.ts'

interface Shown {
  readonly type?: string | readonly string[]
  readonly [keyword: string]: unknown
}

const byParser = 'by its own parser, in rules and depth'

/** Where something has no end by its schema, and what bounds it instead. */
const boundedElsewhere: Readonly<Record<string, string>> = {
  rows: 'by a setting, in the handler',
  keys: 'by a setting, in the handler',
  filterRules: byParser,
  filters: byParser,
  filter: byParser,
  groupBy: byParser,
  aggregates: byParser,
  having: byParser,
  when: byParser,
  payload: 'by its bytes, in the handler',
  params: 'by the schema of the operation that is called',
}

const { operations } = buildRegistry(domains)

/** A pattern that is anchored, and repeats nothing without an end. */
function isBoundedPattern(pattern: unknown): boolean {
  return (
    typeof pattern === 'string' &&
    pattern.startsWith('^') &&
    pattern.endsWith('$') &&
    !/(?<!\\)[*+]|\{\d+,\}/.test(pattern.replace(/\[(?:\\.|[^\]])*\]/g, 'x'))
  )
}

function* endless(shown: Shown, path: string): Generator<string> {
  const types = [shown.type].flat()
  const isWord = shown['enum'] !== undefined || shown['const'] !== undefined
  const isFixed = ['uuid', 'date', 'date-time'].includes(String(shown['format']))
  if (types.includes('string') && shown['maxLength'] === undefined && !isWord && !isFixed && !isBoundedPattern(shown['pattern'])) yield path
  if (types.includes('array') && shown['maxItems'] === undefined) yield path
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (shown[keyword] ?? []) as Shown[])
  for (const branch of branches) yield* endless(branch, path)
  if (shown['items']) yield* endless(shown['items'] as Shown, `${path}[]`)
  for (const [name, field] of Object.entries((shown['properties'] ?? {}) as Record<string, Shown>))
    if (boundedElsewhere[name] !== byParser) yield* endless(field, `${path}.${name}`)
  const others = shown['additionalProperties']
  if (typeof others === 'object' && others !== null) yield* endless(others as Shown, `${path}.*`)
}

it('ends, in every operation, or is said here to be bounded elsewhere', () => {
  let texts = 0
  const strays: string[] = []
  for (const { name, inputSchema } of operations) {
    for (const [field, shown] of Object.entries((inputSchema['properties'] ?? {}) as Record<string, Shown>)) {
      texts++
      // A draft is shown in outline, and held against the schema of the operation that saves it.
      if (String(shown['description']).startsWith('As in ') || field in boundedElsewhere) continue
      for (const path of endless(shown, `${name}.${field}`)) strays.push(path)
    }
  }
  expect(texts).toBeGreaterThan(300)
  expect(strays).toEqual([])
})
