/** The advisory lock between writers of an entity's records (shared) and changes of its definition (exclusive). */

/** The key of the lock: the tenant in the upper half, the entity in the lower; both are positive 32-bit integers. */
export function entityLockKey(tenantId: number, entityId: number): string {
  return ((BigInt(tenantId) << 32n) | BigInt(entityId)).toString()
}
