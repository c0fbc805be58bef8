/** The identity bridge: records of an entity flagged as a tenant-user role are linked to the users who have their e-mail or phone. */
import { parsePhoneNumberFromString } from 'libphonenumber-js'

import type { TxContext } from '#platform/operation.ts'

import type { WriteFrame } from './frame.ts'
import { replaceLinks } from './identity.store.ts'
import type { Value } from './values.rules.ts'

/** Links saved records to users, in the save's own transaction. */
export async function linkIdentities(
  context: TxContext,
  frame: WriteFrame,
  rows: readonly { readonly id: number; readonly values: ReadonlyMap<number, Value> }[],
): Promise<void> {
  const { entity } = frame
  if (!entity.isTenantUserRole || rows.length === 0) return
  const valueOf = (values: ReadonlyMap<number, Value>, propertyId: number | null): string | null => {
    const property = entity.properties.find((known) => known.propertyId === propertyId)
    const value = property ? values.get(property.entityPropertyId) : null
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  await replaceLinks(
    context.tx,
    context.tenantId,
    entity.entityId,
    rows.map((row) => {
      const phone = valueOf(row.values, entity.identityPhonePropertyId)
      return {
        eiRecordId: row.id,
        email: valueOf(row.values, entity.identityEmailPropertyId),
        phone: phone === null ? null : (parsePhoneNumberFromString(phone)?.number ?? phone),
      }
    }),
  )
}
