/** What entities have attached, with what they need to know of the properties. */
import type { Tx } from '#platform/db/pool.ts'
import { AppError } from '#platform/errors.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import { unknownName } from '#platform/validation.ts'
import { listPropertyRows } from '#tools/properties/service.ts'

import { type EntityPropertyRow, listEntityPropertyRows } from './composition.store.ts'

export interface AttachedProperty extends EntityPropertyRow {
  readonly internalName: string
  readonly dataTypeId: number
  readonly isIdentityEmail: boolean
  readonly isIdentityPhone: boolean
  readonly isSensitive: boolean
}

/** What is attached to one entity, or to every one of the tenant, in order. A property that this transaction may not see is left out. */
export async function listAttached(tx: Tx, tenantId: number, entityId?: number): Promise<AttachedProperty[]> {
  const rows = await listEntityPropertyRows(tx, tenantId, entityId)
  const propertyIds = entityId === undefined ? undefined : rows.map((row) => row.propertyId)
  const properties = new Map((await listPropertyRows(tx, tenantId, propertyIds)).map((property) => [property.propertyId, property]))
  return rows.flatMap((row) => {
    const property = properties.get(row.propertyId)
    if (!property) return []
    const { internalName, dataTypeId, isIdentityEmail, isIdentityPhone, isSensitive } = property
    return [{ ...row, internalName, dataTypeId, isIdentityEmail, isIdentityPhone, isSensitive }]
  })
}

interface Named {
  readonly entityPropertyId: number
  readonly internalName: string
}

/** The one of these that a path names, by entityPropertyId or by internalName. */
export function findAttached<T extends Named>(attached: readonly T[], slot: IdOrName): T | undefined {
  const { id, name } = readIdOrName(slot)
  return attached.find((one) => (id === null ? one.internalName.toLowerCase() === name.toLowerCase() : one.entityPropertyId === id))
}

/** The answer where a path names none of these: 404, with the nearest name. */
export function noSuchAttached(attached: readonly Named[], slot: IdOrName): AppError {
  const names = attached.map((one) => one.internalName)
  const { name } = readIdOrName(slot)
  const issues = name === null ? [] : [unknownName('$.entityPropertyId', 'property of this entity', name, names, 'describe_entity')]
  return new AppError('not_found', 'No such entity property.', issues.length > 0 ? { issues } : {})
}
