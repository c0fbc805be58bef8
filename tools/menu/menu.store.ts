/** SQL of menus. */
import type { Tx } from '#platform/db/pool.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'

import type { ItemType } from './menu.schema.ts'

export interface ItemValues {
  readonly parentId: number | null
  readonly itemType: ItemType
  readonly targetId: number | null
  readonly externalUrl: string | null
  readonly internalName: string
  readonly iconKey: string
  readonly displayOrder: number
  readonly isShared: boolean
  readonly isVisibleInMenu: boolean
  readonly isApiVisible: boolean
  readonly channelFlag: number
  readonly roleFlag: number
  readonly homeAreaId: number | null
}

export interface ItemRow extends ItemValues {
  readonly menuItemId: number
  readonly tenantUserId: number
}

const columns = (tx: Tx) => tx`
  menu_item_id, tenant_user_id, parent_id, item_type, target_id, external_url, internal_name, icon_key, display_order, is_shared, is_visible_in_menu,
  is_api_visible, channel_flag, role_flag, home_area_id`

/** All of the tenant, as neighbours stand. There are no more than a person can look through. */
export async function listItems(tx: Tx, tenantId: number): Promise<ItemRow[]> {
  return tx<ItemRow[]>`
    select ${columns(tx)} from platform.menu_item where tenant_id = ${tenantId} order by display_order, lower(internal_name)`
}

/** Changes of a menu are made one after the other: two moves at once could make a circle. */
export async function lockMenu(tx: Tx, tenantId: number): Promise<void> {
  await tx`select pg_advisory_xact_lock(${7_024_004}::int, ${tenantId}::int)`
}

export async function findItem(tx: Tx, tenantId: number, slot: IdOrName): Promise<ItemRow | undefined> {
  const { id, name } = readIdOrName(slot)
  const [row] = await tx<ItemRow[]>`
    select ${columns(tx)} from platform.menu_item
    where tenant_id = ${tenantId} and ${id === null ? tx`lower(internal_name) = lower(${name})` : tx`menu_item_id = ${id}::bigint`}`
  return row
}

/** Throws a unique violation of menu_item_name. */
export async function insertItem(tx: Tx, tenantId: number, by: { tenantUserId: number; at: string }, item: ItemValues): Promise<number> {
  const [row] = await tx<[{ menuItemId: number }]>`
    insert into platform.menu_item (tenant_id, tenant_user_id, parent_id, item_type, target_id, external_url, internal_name, icon_key, display_order, is_shared,
      is_visible_in_menu, is_api_visible, channel_flag, role_flag, home_area_id, created_date, modified_date)
    values (${tenantId}, ${by.tenantUserId}, ${item.parentId}, ${item.itemType}, ${item.targetId}, ${item.externalUrl}, ${item.internalName}, ${item.iconKey},
      ${item.displayOrder}, ${item.isShared}, ${item.isVisibleInMenu}, ${item.isApiVisible}, ${item.channelFlag}, ${item.roleFlag}, ${item.homeAreaId}, ${by.at}, ${by.at})
    returning menu_item_id`
  return row.menuItemId
}

/** Throws as above. */
export async function updateItem(tx: Tx, tenantId: number, menuItemId: number, at: string, item: ItemValues): Promise<void> {
  await tx`
    update platform.menu_item set parent_id = ${item.parentId}, item_type = ${item.itemType}, target_id = ${item.targetId}, external_url = ${item.externalUrl},
      internal_name = ${item.internalName}, icon_key = ${item.iconKey}, display_order = ${item.displayOrder}, is_shared = ${item.isShared},
      is_visible_in_menu = ${item.isVisibleInMenu}, is_api_visible = ${item.isApiVisible}, channel_flag = ${item.channelFlag}, role_flag = ${item.roleFlag},
      home_area_id = ${item.homeAreaId}, modified_date = ${at}
    where tenant_id = ${tenantId} and menu_item_id = ${menuItemId}`
}

export interface Place {
  readonly menuItemId: number
  readonly parentId: number | null
  readonly displayOrder: number
}

export async function updatePlaces(tx: Tx, tenantId: number, at: string, places: readonly Place[]): Promise<void> {
  await tx`
    update platform.menu_item m set parent_id = p."parentId", display_order = p."displayOrder", modified_date = ${at}
    from json_to_recordset(${JSON.stringify(places)}::text::json) as p("menuItemId" int, "parentId" int, "displayOrder" int)
    where m.tenant_id = ${tenantId} and m.menu_item_id = p."menuItemId"`
}

export async function deleteItems(tx: Tx, tenantId: number, ids: readonly number[]): Promise<void> {
  await tx`delete from platform.menu_item where tenant_id = ${tenantId} and menu_item_id = any(${[...ids]}::int[])`
}

export interface DisplayRow {
  readonly menuItemId: number
  readonly languageRegionId: number
  readonly languageCode: string
  readonly name: string
  readonly description: string
}

/** Of one item, or of all. */
export async function listDisplays(tx: Tx, tenantId: number, menuItemId: number | null): Promise<DisplayRow[]> {
  return tx<DisplayRow[]>`
    select d.menu_item_id, d.language_region_id, l.language_code, d.name, d.description
    from platform.menu_item_display d join platform.language l using (language_region_id)
    where d.tenant_id = ${tenantId} ${menuItemId === null ? tx`` : tx`and d.menu_item_id = ${menuItemId}`}
    order by d.menu_item_id, d.language_region_id`
}

/** Bytes of all names and descriptions of the menu. */
export async function countDisplayBytes(tx: Tx, tenantId: number): Promise<number> {
  const [row] = await tx<[{ bytes: number }]>`
    select coalesce(sum(octet_length(name) + octet_length(description)), 0)::int as bytes from platform.menu_item_display where tenant_id = ${tenantId}`
  return row.bytes
}

/** Over those of the same language; a description that is null stays as it is. */
export async function upsertDisplays(
  tx: Tx,
  tenantId: number,
  menuItemId: number,
  displays: readonly { readonly languageRegionId: number; readonly name: string; readonly description: string | null }[],
): Promise<void> {
  if (displays.length === 0) return
  await tx`
    insert into platform.menu_item_display (tenant_id, menu_item_id, language_region_id, name, description)
    select ${tenantId}, ${menuItemId}, r."languageRegionId", r.name, coalesce(r.description, was.description, '')
    from json_to_recordset(${JSON.stringify(displays)}::text::json) as r("languageRegionId" int, name text, description text)
    left join platform.menu_item_display was
      on was.tenant_id = ${tenantId} and was.menu_item_id = ${menuItemId} and was.language_region_id = r."languageRegionId"
    on conflict (tenant_id, menu_item_id, language_region_id) do update set name = excluded.name, description = excluded.description`
}
