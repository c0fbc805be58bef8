import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { exampleItem, menuItem, menuItemSlot, newItem } from './menu.schema.ts'
import { lockMenu, updateItem } from './menu.store.ts'
import { nameTaken, readItem, readItemDisplays, saveDisplays } from './saving.ts'
import { mustFindItem, shownItem } from './shown.ts'

export const updateMenuItem = defineOperation({
  ...writes(menuItem),
  isIdempotent: true,
  name: 'update_menu_item',
  title: 'Change a menu item',
  description: 'Changes an item of the menu; what is left out stays. For many places at once: reorder_menu_items.',
  method: 'PUT',
  path: '/api/v1/menu-items/{menuItem}',
  roles: 'BuilderAdmin',
  input: z.object({
    menuItem: menuItemSlot,
    ...newItem,
    internalName: newItem.internalName.optional(),
    menuItemType: newItem.menuItemType.optional(),
  }),
  examples: [{ title: 'Not on the phone', input: { menuItem: 'NewOrder', channelFlag: 1 }, output: { ...exampleItem, channelFlag: 1 } }],
  async handler(context, { menuItem: slot, displays = [], ...wish }) {
    const { tx, tenantId, stamp } = context
    await lockMenu(tx, tenantId)
    const before = await mustFindItem(context, slot)
    const read = await readItemDisplays(context, displays)
    const values = await readItem(context, wish, before)
    await updateItem(tx, tenantId, before.menuItemId, stamp, values).catch((error: unknown) => Promise.reject(nameTaken(error)))
    await saveDisplays(context, before.menuItemId, read)
    context.audit({ menuItemId: before.menuItemId, changed: Object.keys(wish) })
    return shownItem(context, before.menuItemId)
  },
})
