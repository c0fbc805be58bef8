import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeCursor, listOf, notOfThisList, pageInput, pageOf } from '#platform/paging.ts'

import { checkFilter } from './asked.ts'
import { toAuditEvent } from './audit.rules.ts'
import { auditEvent, auditFilter, exampleAuditEvent } from './audit.schema.ts'
import { type AuditPlace, countAuditRows, listAuditRows } from './audit.store.ts'

export const listAuditEvents = defineOperation({
  ...reads(z.array(auditEvent)),
  errors: [],
  name: 'list_audit_events',
  title: 'List audit events',
  description:
    'Who did what in this tenant, when and from where, the newest first: writes, refusals, reads of secrets and sensitive values, sessions begun and ended. get_instance_history tells what a record held; export_audit_events writes a file.',
  method: 'POST',
  path: '/api/v1/audit/list',
  roles: 'AdminUser',
  input: z.object({ ...pageInput, ...auditFilter }),
  examples: [{ title: 'Who changed roles', input: { operation: 'set_user_roles', pageSize: 1 }, output: [exampleAuditEvent] }],
  async handler(context, input) {
    const { tx, tenantId, services } = context
    checkFilter(services, input)
    const page = pageOf(context, input)
    const after = page.cursor === undefined ? undefined : placeOf(page.cursor)
    return listOf(page, await listAuditRows(tx, tenantId, input, page, after), {
      show: toAuditEvent,
      cursor: ({ place, auditEventId }) => [place, auditEventId],
      total: await countAuditRows(tx, tenantId, input, page),
    })
  },
})

// No later than PostgreSQL's timestamps reach.
const lastPlace = 9_000_000_000_000_000

function placeOf(cursor: string): AuditPlace {
  const [place, auditEventId] = decodeCursor(cursor, 2)
  if (typeof place !== 'number' || !Number.isSafeInteger(place) || place < 0 || place > lastPlace) throw notOfThisList()
  if (typeof auditEventId !== 'number' || !Number.isSafeInteger(auditEventId)) throw notOfThisList()
  return [place, auditEventId]
}
