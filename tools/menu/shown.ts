/** A menu as its caller sees it, and the items that operations name. */
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { viewerOf } from '#tools/definitions/service.ts'

import { isSeen, toItem } from './menu.rules.ts'
import type { MenuItem } from './menu.schema.ts'
import { findItem, type ItemRow, listDisplays, listItems } from './menu.store.ts'

/** In the order in which neighbours stand. */
export async function listSeen(context: TxContext): Promise<MenuItem[]> {
  const { tx, tenantId, actor } = context
  const viewer = viewerOf(context)
  const rows = await listItems(tx, tenantId)
  const displays = Map.groupBy(await listDisplays(tx, tenantId, null), (one) => one.menuItemId)
  const languages = await findDisplayLanguages(context)
  return rows
    .filter((row) => isSeen(row, viewer, actor.roleFlag))
    .map((row) => toItem(row, displays.get(row.menuItemId) ?? [], tenantId, languages))
}

/** Throws AppError `not_found`, also for one that the caller does not see. */
export async function mustFindItem(context: TxContext, slot: IdOrName): Promise<ItemRow> {
  const row = await findItem(context.tx, context.tenantId, slot)
  return mustExist(row && isSeen(row, viewerOf(context), context.actor.roleFlag) ? row : undefined, 'menu item')
}

/** The item as it stands after a change. */
export async function shownItem(context: TxContext, menuItemId: number): Promise<MenuItem> {
  const { tx, tenantId } = context
  const row = mustExist(await findItem(tx, tenantId, menuItemId), 'menu item')
  return toItem(row, await listDisplays(tx, tenantId, menuItemId), tenantId, await findDisplayLanguages(context))
}
