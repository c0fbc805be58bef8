/** What a file of rules promises: it decides at once, from what it is given, and reaches nothing that waits. */
import { describe, expect, it } from 'vitest'

import { files, homeOf, type Import, imports, parse, under } from './support/sources.ts'

// The literals of step types are rules, each in a file of its own name.
const isRules = (file: string) => file.endsWith('.rules.ts') || under(file, 'tools/workflows/step-types')
const rules = files.filter(isRules)
const taken = imports.filter((one) => isRules(one.from) && !one.isType)

/** Beside zod what computes and nothing else. */
const packages = new Set(['zod', 'node:crypto', 'node:util', 'markdown-it', 'croner'])

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function* nodesWithin(node: Node): Generator<Node> {
  yield node
  for (const part of Object.values(node)) for (const one of Array.isArray(part) ? part : [part]) if (isNode(one)) yield* nodesWithin(one)
}

/** `async`, `await`, and whatever names a Promise, as the type of an answer does. */
function waits(node: Node): boolean {
  return [...nodesWithin(node)].some(
    (one) =>
      one['async'] === true ||
      one['await'] === true ||
      one['type'] === 'AwaitExpression' ||
      one['type'] === 'ImportExpression' ||
      (one['type'] === 'Identifier' && one['name'] === 'Promise'),
  )
}

/** The statements of a file that are there when it runs. */
function statementsOf(file: string): Node[] {
  const body: unknown[] = parse(file).program.body
  return body.filter(isNode).map((one) => (isNode(one['declaration']) ? one['declaration'] : one))
}

const typesOnly = new Set(['TSTypeAliasDeclaration', 'TSInterfaceDeclaration', 'ImportDeclaration'])

/** The names that a statement declares. */
function namesOf(statement: Node): string[] {
  const declared = Array.isArray(statement['declarations']) ? statement['declarations'].map((one: Node) => one['id']) : [statement['id']]
  return declared.flatMap((id) => (isNode(id) && typeof id['name'] === 'string' ? [id['name']] : []))
}

/** Why a rule may not take a value; undefined when it may. */
function problemOf({ to, isPackage }: Import, value: string): string | undefined {
  if (isPackage) return packages.has(to) ? undefined : 'a rule takes from packages only what computes'
  if (value === '*') return 'a rule says which values it takes'
  const home = homeOf(to, value)
  if (!under(home.file, 'platform') && !isRules(home.file) && !/\.(?:schema|types)\.ts$/.test(home.file))
    return `${home.file} holds no rules`
  const declaration = statementsOf(home.file).find((statement) => namesOf(statement).includes(home.name))
  if (!declaration) return `${home.file} does not declare it`
  return waits(declaration) ? 'what it takes waits' : undefined
}

describe('a file of rules', () => {
  it('takes values from rules, schemas and types, whatever door they came through, and from the floor what answers at once', () => {
    expect(rules.length).toBeGreaterThan(30)
    expect(taken.length).toBeGreaterThan(60)
    const problems = taken.flatMap((one) =>
      one.values.flatMap((value) => {
        const problem = problemOf(one, value)
        return problem === undefined ? [] : [`${one.from} takes ${value} of ${one.to}: ${problem}`]
      }),
    )
    expect(problems).toEqual([])
  })

  it('waits for nothing itself', () => {
    const waiting = rules.filter((file) => statementsOf(file).some((one) => !typesOnly.has(String(one['type'])) && waits(one)))
    expect(waiting).toEqual([])
  })

  it('would be caught at either', () => {
    const from = 'tools/assets/assets.rules.ts'
    const find = (to: string, value: string) => problemOf({ from, to, isPackage: false, isType: false, values: [value] }, value)
    expect(find('platform/json.ts', 'readJson')).toBe('what it takes waits')
    expect(find('tools/entities/service.ts', 'cachedCatalog')).toContain('holds no rules')
    expect(find('platform/suggest.ts', 'quoted')).toBeUndefined()
    expect(problemOf({ from, to: 'postgres', isPackage: true, isType: false, values: ['*'] }, '*')).toContain('only what computes')
    expect(statementsOf('platform/json.ts').some(waits)).toBe(true)
  })
})
