import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { narrowed } from './menu.rules.ts'
import { channel, exampleItem, homeArea, menuItem } from './menu.schema.ts'
import { listSeen } from './shown.ts'

export const listMenuItems = defineOperation({
  ...reads(z.object({ items: z.array(menuItem), count: z.int().min(0) })),
  errors: [],
  name: 'list_menu_items',
  title: 'List menu items',
  description:
    'The items of the menu that you may see, as neighbours stand; builders see all. get_menu_tree shows them as a menu, without those that lead nowhere.',
  method: 'POST',
  path: '/api/v1/menu-items/list',
  roles: 'any',
  input: z.object({
    homeArea: homeArea.optional().describe('Those of one area'),
    channel: channel.optional().describe('Those of one channel'),
  }),
  examples: [{ title: 'On the phone', input: { homeArea: 'mobile' }, output: { items: [exampleItem], count: 1 } }],
  async handler(context, input) {
    const items = narrowed(await listSeen(context), input)
    return { items, count: items.length }
  },
})
