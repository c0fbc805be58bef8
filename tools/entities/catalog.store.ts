/** SQL behind the catalog that records are compiled against. */
import type { Tx } from '#platform/db/pool.ts'

import type { Numbering } from './entities.schema.ts'

export interface CatalogEntityRow {
  readonly entityId: number
  readonly internalName: string
  readonly wipeNo: number
  readonly isTenantUserRole: boolean
  readonly identityEmailPropertyId: number | null
  readonly identityPhonePropertyId: number | null
}

export async function readCatalogEntities(tx: Tx, tenantId: number): Promise<CatalogEntityRow[]> {
  return tx<CatalogEntityRow[]>`
    select entity_id, internal_name, wipe_no, is_tenant_user_role, identity_email_property_id, identity_phone_property_id
    from platform.entity where tenant_id = ${tenantId}
    order by lower(internal_name)`
}

export interface CatalogAttachmentRow {
  readonly entityId: number
  readonly entityPropertyId: number
  readonly propertyId: number
  readonly columnId: number
  readonly isRequired: boolean
  readonly isList: boolean
  readonly keyPart: 1 | 2 | 3 | null
  readonly propertyOptionFilterId: number | null
  readonly analysis: unknown
  readonly numbering: Numbering | null
}

/** What is attached to every entity, in order. */
export async function readCatalogAttachments(tx: Tx, tenantId: number): Promise<CatalogAttachmentRow[]> {
  return tx<CatalogAttachmentRow[]>`
    select entity_id, entity_property_id, property_id, column_id, is_required, is_list, key_part, property_option_filter_id, analysis, numbering
    from platform.entity_property
    where tenant_id = ${tenantId}
    order by entity_id, position, entity_property_id`
}

export interface CatalogWatcherRow {
  readonly eventKinds: readonly string[]
  /** Null: every entity. */
  readonly entityId: number | null
  /** Null: whatever changed. */
  readonly propertyIds: readonly number[] | null
}

/** What of records somebody watches for, who and under which filter left aside. */
export async function readCatalogWatchers(tx: Tx, tenantId: number): Promise<CatalogWatcherRow[]> {
  return tx<CatalogWatcherRow[]>`
    select distinct event_kinds, entity_id, property_ids from platform.event_watcher where tenant_id = ${tenantId}`
}
