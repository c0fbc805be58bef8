/** What of an audit event is shown. */
import type { Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import type { AuditEvent } from './audit.schema.ts'

export interface AuditRow extends Omit<AuditEvent, 'detail'> {
  readonly facts: Readonly<Record<string, unknown>>
  readonly code: string | null
  readonly transport: string
  readonly requestId: string
  /** Where it stands, in microseconds since the epoch. */
  readonly place: number
}

const isId = (value: unknown) => typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))

/** A record's key is a part of what it says, which whoever reads the log may not see; its id tells nothing. */
export function toAuditEvent({ facts, code, transport, requestId, place: _place, ...row }: AuditRow): AuditEvent {
  const { record, ...told } = facts
  return {
    ...row,
    detail: { ...(isId(record) ? { record } : {}), ...told, ...(code === null ? {} : { code }), requestId, transport },
  }
}

/** Of a name that is no operation's: an empty list would say that nobody did it. */
export function findOperationIssues(name: string | undefined, known: { has(name: string): boolean; keys(): Iterable<string> }): Issue[] {
  if (name === undefined || known.has(name)) return []
  const message = `${quoted(name)} is no operation. Give the name of a tool, such as delete_entity.`
  return [finding('$.operation', message, { suggestion: nearest(name, known.keys()) })]
}
