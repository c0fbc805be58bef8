/** The audit log: who did what, when, from where. Written in the transaction of what it tells of; denials in one of their own. */
import type { Tx } from './db/pool.ts'
import type { ErrorCode } from './errors.ts'
import type { Actor, Transport } from './operation.ts'

export interface AuditEvent {
  readonly tenantId: number
  readonly actor: Actor
  readonly operation: string
  readonly outcome: 'done' | 'denied'
  readonly code?: ErrorCode
  readonly transport: Transport
  readonly requestId: string
  readonly ip: string | undefined
  /** Ids and names, never a secret or a sensitive value. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** Sent at once, so that a commit may follow it in the same round trip. */
export async function insertAuditEvent(tx: Tx, event: AuditEvent): Promise<void> {
  const { actor } = event
  await tx`
    insert into platform.audit_event (tenant_id, tenant_user_id, credential_id, operation, outcome, code, transport, request_id, ip, facts)
    values (${event.tenantId}, ${actor.tenantUserId || null}, ${actor.credentialId}, ${event.operation}, ${event.outcome}, ${event.code ?? null},
      ${event.transport}, ${event.requestId}, ${event.ip ?? null}, ${JSON.stringify(event.facts)}::text::jsonb)`.execute()
}
