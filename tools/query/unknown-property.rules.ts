/** The finding that a property is not there: said in one way everywhere, and known again by what answers `unknown_property` for it. */
import type { Issue } from '#platform/errors.ts'
import { nearest, quoted } from '#platform/suggest.ts'

const findings = new WeakSet<Issue>()

/** The finding at `path`; `known` holds the names that would have been right. */
export function unknownProperty(entityName: string, name: unknown, known: readonly string[], path: string): Issue {
  const suggestion = typeof name === 'string' ? nearest(name, known) : undefined
  const issue: Issue = {
    path,
    severity: 'error',
    message: `${entityName} has no property ${quoted(name)}. describe_entity lists them.`,
    ...(suggestion === undefined ? {} : { suggestion }),
  }
  findings.add(issue)
  return issue
}

/**
 * The code of an error that these findings make up, and the one that its sentence tells. A value that does not fit comes before a name that is not there,
 * as everywhere, so that the code never speaks of another finding than the sentence.
 */
export function verdictOf(issues: readonly Issue[]): {
  readonly code: 'unknown_property' | 'invalid_input'
  readonly first: Issue | undefined
} {
  const other = issues.find((issue) => !findings.has(issue))
  return other || issues.length === 0 ? { code: 'invalid_input', first: other } : { code: 'unknown_property', first: issues[0] }
}
