/** The identity bridge: records of an entity flagged as a tenant-user role say which e-mail and phone their person has. */
import { claimIdentities, deleteClaims } from '#tools/entities/service.ts'
import type { Value } from '#tools/properties/service.ts'

import type { Listener } from './events.types.ts'

export const identityLinks: Listener = {
  compares: () => false,
  async hear(context, { entity }, changes) {
    if (!entity.isTenantUserRole) return undefined
    const valueOf = (values: ReadonlyMap<number, Value>, propertyId: number | null): Value => {
      const property = entity.properties.find((known) => known.propertyId === propertyId)
      return property ? (values.get(property.entityPropertyId) ?? null) : null
    }
    const said = changes.flatMap(({ id, after }) =>
      after
        ? [
            {
              eiRecordId: id,
              email: valueOf(after, entity.identityEmailPropertyId),
              phone: valueOf(after, entity.identityPhonePropertyId),
            },
          ]
        : [],
    )
    if (said.length > 0) await claimIdentities(context, entity.entityId, said)
    const gone = changes.filter(({ after }) => after === undefined).map(({ id }) => id)
    await deleteClaims(context.tx, context.tenantId, gone)
    return undefined
  },
}
