/**
 * Findings: what is wrong with an input, wherever that is told, be it an error's `issues[]`, the envelope of a validation, a row of a bulk or of an import.
 * All are made here, and become what the wire shows here.
 */
import type { ErrorCode, Issue } from './errors.ts'

/** An issue that knows what a save would answer for it alone; `invalid_input` unless it says otherwise. */
export interface Finding extends Issue {
  readonly code?: ErrorCode
}

export function finding(
  path: string,
  message: string,
  more: { readonly suggestion?: string | undefined; readonly code?: ErrorCode | undefined; readonly severity?: Issue['severity'] } = {},
): Finding {
  const { suggestion, code, severity = 'error' } = more
  return { path, severity, message, ...(suggestion === undefined ? {} : { suggestion }), ...(code === undefined ? {} : { code }) }
}

/** As the wire shows it: the code is told once, by the error that findings make up. */
export function toIssue({ path, severity, message, suggestion }: Finding): Issue {
  return { path, severity, message, ...(suggestion === undefined ? {} : { suggestion }) }
}

// What is wrong by itself comes before what is wrong beside something else.
const precedence: readonly ErrorCode[] = [
  'invalid_input',
  'unknown_property',
  'unknown_entity',
  'unprocessable',
  'conflict',
  'already_exists',
]

/** The code of the error that these findings make up, and the one that its sentence tells: so the code never speaks of another than the sentence. */
export function verdictOf(findings: readonly Finding[]): { readonly code: ErrorCode; readonly first: Finding | undefined } {
  const errors = findings.filter((one) => one.severity === 'error')
  const rank = ({ code = 'invalid_input' }: Finding) => precedence.indexOf(code)
  const [first] = errors.toSorted((a, b) => rank(a) - rank(b))
  return { code: first?.code ?? 'invalid_input', first }
}
