import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { withBelow } from './menu.rules.ts'
import { menuItemId, menuItemSlot } from './menu.schema.ts'
import { deleteItems, listItems, lockMenu } from './menu.store.ts'
import { mustFindItem } from './shown.ts'

export const deleteMenuItem = defineOperation({
  ...destroys(z.object({ tenantMenuItemId: menuItemId, deleted: z.literal(true), deletedChildren: z.int().min(0) })),
  name: 'delete_menu_item',
  title: 'Delete a menu item',
  description: 'Takes an item off the menu; what it opens stays. One with items below it is 409, unless force takes them too.',
  method: 'DELETE',
  path: '/api/v1/menu-items/{menuItem}',
  roles: 'BuilderAdmin',
  input: z.object({ menuItem: menuItemSlot, force: z.boolean().optional().describe('With all below it') }),
  examples: [
    { title: 'No longer needed', input: { menuItem: 'NewOrder' }, output: { tenantMenuItemId: 10_310, deleted: true, deletedChildren: 0 } },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    await lockMenu(tx, tenantId)
    const row = await mustFindItem(context, input.menuItem)
    const ids = withBelow(await listItems(tx, tenantId), row.menuItemId)
    const below = ids.length - 1
    if (below > 0 && input.force !== true)
      throw new AppError('conflict', `${below} items stand below it. Move them with reorder_menu_items, or send force to delete them too.`)
    await deleteItems(tx, tenantId, ids)
    context.audit({ menuItemId: row.menuItemId, internalName: row.internalName, deletedChildren: below })
    return { tenantMenuItemId: row.menuItemId, deleted: true as const, deletedChildren: below }
  },
})
