/** The identity bridge: records of an entity flagged as a tenant-user role say which e-mail and phone their person has. */
import type { TxContext } from '#platform/operation.ts'
import { claimIdentities } from '#tools/entities/service.ts'
import type { Value } from '#tools/properties/service.ts'

import type { WriteFrame } from './write-frame.ts'

/** Keeps what saved records say, in the save's own transaction. */
export async function linkIdentities(
  context: TxContext,
  frame: WriteFrame,
  rows: readonly { readonly id: number; readonly values: ReadonlyMap<number, Value> }[],
): Promise<void> {
  const { entity } = frame
  if (!entity.isTenantUserRole || rows.length === 0) return
  const valueOf = (values: ReadonlyMap<number, Value>, propertyId: number | null): Value => {
    const property = entity.properties.find((known) => known.propertyId === propertyId)
    return property ? (values.get(property.entityPropertyId) ?? null) : null
  }
  await claimIdentities(
    context,
    entity.entityId,
    rows.map((row) => ({
      eiRecordId: row.id,
      email: valueOf(row.values, entity.identityEmailPropertyId),
      phone: valueOf(row.values, entity.identityPhonePropertyId),
    })),
  )
}
