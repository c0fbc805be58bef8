import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { exampleItem, menuItem, menuItemSlot } from './menu.schema.ts'
import { mustFindItem, shownItem } from './shown.ts'

export const getMenuItem = defineOperation({
  ...reads(menuItem),
  name: 'get_menu_item',
  title: 'Read a menu item',
  description: 'One item of the menu, with its names in all languages. Take it from list_menu_items.',
  method: 'POST',
  path: '/api/v1/menu-items/{menuItem}',
  roles: 'any',
  input: z.object({ menuItem: menuItemSlot }),
  examples: [{ title: 'By its name', input: { menuItem: 'NewOrder' }, output: exampleItem }],
  async handler(context, input) {
    return shownItem(context, (await mustFindItem(context, input.menuItem)).menuItemId)
  },
})
