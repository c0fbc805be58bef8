/** Times that callers name: an ISO 8601 time, or a day for its beginning or its end. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { quoted } from '#platform/suggest.ts'
import { canonicalDateTime } from '#tools/properties/service.ts'

/** A time as it is, a day (UTC) as its first or last millisecond; undefined for a time or a day that does not exist. */
export function readTime(text: string, ofDay: 'begin' | 'end'): string | undefined {
  return canonicalDateTime(text) ?? canonicalDateTime(`${text}T${ofDay === 'begin' ? '00:00:00.000' : '23:59:59.999'}Z`)
}

/** Throws AppError `invalid_input` that names the field. */
export function timeOf(text: string, field: string, ofDay: 'begin' | 'end'): string {
  const at = readTime(text, ofDay)
  if (at !== undefined) return at
  const message = `Expected an ISO 8601 time such as 2026-03-01T08:30:00Z, or a day such as 2026-03-01, got ${quoted(text)}.`
  throw new AppError('invalid_input', `${field}: ${message}`, { issues: [finding(`$.${field}`, message)] })
}
