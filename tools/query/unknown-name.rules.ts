/** The finding that a property or an entity is not there: said in one way everywhere, and known again by what answers its code for it. */
import type { Issue } from '#platform/errors.ts'
import { nearest, quoted } from '#platform/suggest.ts'

const findings = new WeakMap<Issue, 'unknown_property' | 'unknown_entity'>()

function unknown(
  code: 'unknown_property' | 'unknown_entity',
  message: string,
  name: unknown,
  known: readonly string[],
  path: string,
): Issue {
  const suggestion = typeof name === 'string' ? nearest(name, known) : undefined
  const issue: Issue = { path, severity: 'error', message, ...(suggestion === undefined ? {} : { suggestion }) }
  findings.set(issue, code)
  return issue
}

/** The finding at `path`; `known` holds the names that would have been right. */
export function unknownProperty(entityName: string, name: unknown, known: readonly string[], path: string): Issue {
  return unknown('unknown_property', `${entityName} has no property ${quoted(name)}. describe_entity lists them.`, name, known, path)
}

export function unknownEntity(name: unknown, known: readonly string[], path: string): Issue {
  return unknown('unknown_entity', `There is no entity ${quoted(name)}. list_entities shows them.`, name, known, path)
}

/**
 * The code of an error that these findings make up, and the one that its sentence tells. A value that does not fit comes before a name that is not there,
 * as everywhere, so that the code never speaks of another finding than the sentence.
 */
export function verdictOf(issues: readonly Issue[]): {
  readonly code: 'unknown_property' | 'unknown_entity' | 'invalid_input'
  readonly first: Issue | undefined
} {
  const first =
    issues.find((issue) => !findings.has(issue)) ?? issues.find((issue) => findings.get(issue) === 'unknown_property') ?? issues[0]
  return { code: (first && findings.get(first)) ?? 'invalid_input', first }
}
