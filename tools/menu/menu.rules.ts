/** Who sees which items of a menu, and how they hang together. */
import type { Viewer } from '#tools/definitions/service.ts'

import { channelBits, homeAreas, itemTypes, type MenuItem, type MenuNode } from './menu.schema.ts'
import type { DisplayRow, ItemRow, Place } from './menu.store.ts'

export const mostItems = 1_000
/** Bytes of the names and descriptions of a menu, all languages together: it is read whole, by whoever opens it. */
export const mostDisplayBytes = 256 * 1024
/** A menu is opened by hand. */
export const mostLevels = 8

/** Builders see all of a menu, to change it; everybody else what is shared or theirs, with the roles that it takes. */
export function isSeen(row: ItemRow, viewer: Viewer, roleFlag: number): boolean {
  if (viewer.isApi && !row.isApiVisible) return false
  if (viewer.seesAll) return true
  return (row.isShared || row.tenantUserId === viewer.tenantUserId) && (roleFlag & row.roleFlag) === row.roleFlag
}

/** The name in the language that was asked for, else in the tenant's, else the internalName. `own`: the displays of the item. */
export function toItem(
  row: ItemRow,
  own: readonly DisplayRow[],
  tenantId: number,
  languages: { readonly requested: number; readonly usual: number },
): MenuItem {
  const shown = [languages.requested, languages.usual].map((id) => own.find((one) => one.languageRegionId === id)).find((one) => one)
  return {
    tenantMenuItemId: row.menuItemId,
    tenantId,
    tenantUserId: row.tenantUserId,
    parentTenantMenuItemId: row.parentId,
    menuItemTypeId: itemTypes.indexOf(row.itemType) + 1,
    menuItemType: row.itemType,
    targetId: row.targetId,
    externalUrl: row.externalUrl,
    internalName: row.internalName,
    name: shown?.name ?? row.internalName,
    description: shown?.description ?? '',
    iconKey: row.iconKey,
    displayOrder: row.displayOrder,
    isSystem: false,
    isShared: row.isShared,
    isVisibleInMenu: row.isVisibleInMenu,
    isApiVisible: row.isApiVisible,
    channelFlag: row.channelFlag,
    roleFlag: row.roleFlag,
    homeAreaId: row.homeAreaId,
    displays: own.map(({ languageRegionId, languageCode, name, description }) => ({ languageRegionId, languageCode, name, description })),
  }
}

export function homeAreaIdOf(name: string | undefined): number | undefined {
  return homeAreas.find((area) => area.internalName === name)?.homeAreaId
}

/** Those of a channel and a home area. What stands below an item that belongs to an area belongs to it too. */
export function narrowed(
  items: readonly MenuItem[],
  { homeArea, channel }: { readonly homeArea?: string | undefined; readonly channel?: keyof typeof channelBits | undefined },
): MenuItem[] {
  const byId = new Map(items.map((item) => [item.tenantMenuItemId, item]))
  const wanted = homeAreaIdOf(homeArea)
  const areaOf = (item: MenuItem): number | null => {
    let at: MenuItem | undefined = item
    for (let level = 0; at && level <= mostLevels; level++) {
      if (at.homeAreaId !== null) return at.homeAreaId
      at = at.parentTenantMenuItemId === null ? undefined : byId.get(at.parentTenantMenuItemId)
    }
    return null
  }
  return items.filter(
    (item) =>
      (wanted === undefined || areaOf(item) === wanted) && (channel === undefined || (item.channelFlag & channelBits[channel]) !== 0),
  )
}

/** The items as a tree. What stands below one that is not there is not there either. */
export function treeOf(items: readonly MenuItem[]): MenuNode[] {
  const nodes = new Map(items.map((item): [number, MenuNode] => [item.tenantMenuItemId, { ...item, children: [] }]))
  const roots: MenuNode[] = []
  for (const node of nodes.values()) {
    if (node.parentTenantMenuItemId === null) roots.push(node)
    else nodes.get(node.parentTenantMenuItemId)?.children.push(node)
  }
  return roots
}

/** Why the places cannot be: an item above itself, or too deep. */
export function findPlaceProblem(places: readonly Place[]): 'circle' | 'depth' | undefined {
  const parentOf = new Map(places.map((one) => [one.menuItemId, one.parentId]))
  let isTooDeep = false
  for (const { menuItemId } of places) {
    let levels = 1
    for (let at = parentOf.get(menuItemId) ?? null; at !== null; at = parentOf.get(at) ?? null) {
      if (at === menuItemId) return 'circle'
      levels++
      // A circle that this item hangs below, or a ladder that nobody climbs.
      if (levels > mostLevels) {
        isTooDeep = true
        break
      }
    }
  }
  return isTooDeep ? 'depth' : undefined
}

/** The item and all below it. */
export function withBelow(places: readonly Place[], menuItemId: number): number[] {
  const found = [menuItemId]
  for (const id of found) found.push(...places.filter((one) => one.parentId === id).map((one) => one.menuItemId))
  return found
}
