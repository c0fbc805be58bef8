/** Events of the audit log on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { tenantUserId } from '#tools/users/users.schema.ts'

export const outcome = z.enum(['done', 'denied'])

export const auditEvent = z.object({
  auditEventId: z.int().min(1),
  at: z.iso.datetime(),
  tenantUserId: tenantUserId.nullable().describe('Null: the product itself'),
  displayName: z.string().nullable().describe('As the user is called now'),
  credential: z.string().describe('key:12, session:9, workflow:7 …'),
  operation: z.string(),
  outcome,
  address: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()).describe('Ids and names, requestId, transport, the code of a refusal'),
})

/** What a list and a file of events are narrowed by. */
export const auditFilter = {
  from: z.iso.datetime({ offset: true }).optional().describe('Not before'),
  to: z.iso.datetime({ offset: true }).optional().describe('Not after'),
  tenantUserId: tenantUserId.optional().describe('Who did it'),
  operation: z.string().min(1).max(64).optional().describe("A tool's name, as delete_entity"),
  outcome: outcome.optional().describe('denied: refused for its roles'),
} as const

export type AuditEvent = z.infer<typeof auditEvent>

export interface AuditFilter {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly tenantUserId?: number | undefined
  readonly operation?: string | undefined
  readonly outcome?: 'done' | 'denied' | undefined
}

export const exampleAuditEvent: AuditEvent = {
  auditEventId: 9120,
  at: '2026-11-21T10:00:00.000Z',
  tenantUserId: 12,
  displayName: 'Ana Ruiz',
  credential: 'session:9',
  operation: 'set_user_roles',
  outcome: 'done',
  address: '203.0.113.7',
  detail: { tenantUserId: 15, before: 2, after: 10, requestId: '6d1f0a52-9c1e-4f0e-9a54-0b7f6f1d2c11', transport: 'rest' },
}

component('AuditEvent', auditEvent)
