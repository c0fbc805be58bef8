/** The advisory lock between writers of an entity's records (shared) and changes of its definition (exclusive). */
import type { Tx } from './pool.ts'

/** The key of the lock: the tenant in the upper half, the entity in the lower; both are positive 32-bit integers. */
export function entityLockKey(tenantId: number, entityId: number): string {
  return ((BigInt(tenantId) << 32n) | BigInt(entityId)).toString()
}

/** Shuts changes of the entity's definition off until the transaction ends. Sent at once, so that it can be followed without waiting for the answer. */
export async function lockEntityShared(tx: Tx, tenantId: number, entityId: number): Promise<void> {
  await tx`select pg_advisory_xact_lock_shared(${entityLockKey(tenantId, entityId)}::text::bigint)`.execute()
}
