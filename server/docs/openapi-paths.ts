/** The paths of the document of OpenAPI, which knows fewer of them than the registry. */
import type { RegisteredOperation } from '#platform/registry.ts'

import { propertiesOf, requiredOf } from './wire.ts'

type Documented = { readonly name: string; readonly operations: readonly RegisteredOperation[] }

/** A path without the names of its parameters. */
const blank = (path: string) => path.replace(/\{\w+\}/g, '{}')

/**
 * Paths that differ by the names of their parameters alone are one path here, since OpenAPI knows no other: there such a parameter is called by the word
 * before it.
 */
export function onOnePath<Domain extends Documented>(domains: readonly Domain[]): Domain[] {
  const named = Map.groupBy(
    domains.flatMap(({ operations }) => operations.map(({ path }) => path)),
    blank,
  )
  return domains.map((domain) => ({
    ...domain,
    operations: domain.operations.map((operation) => {
      const paths = new Set(named.get(blank(operation.path)))
      return paths.size > 1 ? renamed(operation, [...paths]) : operation
    }),
  }))
}

function renamed(operation: RegisteredOperation, paths: readonly string[]): RegisteredOperation {
  const segments = operation.path.split('/')
  const names = new Map<string, string>()
  segments.forEach((segment, at) => {
    const isShared = paths.every((path) => path.split('/')[at] === segment)
    if (!isShared) names.set(segment.slice(1, -1), (segments[at - 1] ?? '').replace(/s$/, ''))
  })
  const nameOf = (name: string) => names.get(name) ?? name
  const withNames = (of: object) => Object.fromEntries(Object.entries(of).map(([name, value]) => [nameOf(name), value]))
  const { inputSchema } = operation
  return {
    ...operation,
    path: operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) => `{${nameOf(name)}}`),
    pathParams: operation.pathParams.map(nameOf),
    inputSchema: { ...inputSchema, properties: withNames(propertiesOf(inputSchema)), required: requiredOf(inputSchema).map(nameOf) },
    // The examples were parsed by the operation's schema, which is an object.
    examples: operation.examples.map((one) => ({ ...one, input: withNames(one.input as object) })),
  }
}
