/** The audit log: who did what, when, from where. Written in the transaction of what it tells of; denials in one of their own. */
import type { Databases } from './db/databases.ts'
import type { Tx } from './db/pool.ts'
import type { ErrorCode } from './errors.ts'
import type { Actor, Transport } from './operation.ts'

export interface AuditEvent {
  /** In whose log it stands. */
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
  // A tenant sees the names of its own users alone.
  const actorName = actor.tenantId === event.tenantId ? null : actor.displayName
  const facts = actorName === null ? event.facts : { ...event.facts, actingFromTenantId: actor.tenantId }
  await tx`
    insert into platform.audit_event (tenant_id, tenant_user_id, actor_name, credential_id, operation, outcome, code, transport, request_id, ip, facts)
    values (${event.tenantId}, ${actor.tenantUserId || null}, ${actorName}, ${actor.credentialId}, ${event.operation}, ${event.outcome},
      ${event.code ?? null}, ${event.transport}, ${event.requestId}, ${event.ip ?? null}, ${JSON.stringify(facts)}::text::jsonb)`.execute()
}

/** The same of another tenant than the transaction's, whose last statement it is. */
export async function insertAuditElsewhere(tx: Tx, event: AuditEvent): Promise<void> {
  await Promise.all([tx`select set_config('app.tenant_id', ${String(event.tenantId)}, true)`.execute(), insertAuditEvent(tx, event)])
}

const droppedAtOnce = 5_000
const roundsAtMost = 100

/** Drops the events that were kept for as many days, some at a time. */
export async function dropOldAuditEvents(databases: Pick<Databases, 'lookUp'>, keptDays: number): Promise<void> {
  for (let round = 0; round < roundsAtMost; round++) {
    const [row] = await databases.lookUp(
      (tx) => tx<{ dropped: number }[]>`select platform.drop_audit_events(${keptDays}::int, ${droppedAtOnce}::int) as dropped`,
    )
    if ((row?.dropped ?? 0) === 0) return
  }
}
