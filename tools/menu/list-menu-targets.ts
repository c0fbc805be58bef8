import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { itemType } from './menu.schema.ts'
import { listTargets } from './targets.ts'

const target = z.object({ targetId: z.int(), internalName: z.string(), name: z.string(), description: z.string() })

export const listMenuTargets = defineOperation({
  ...reads(z.object({ categories: z.array(z.object({ menuItemType: itemType, menuItemTypeId: z.int(), targets: z.array(target) })) })),
  errors: [],
  name: 'list_menu_targets',
  title: 'List what menu items can open',
  description: 'Forms, views, reports, workflows and installed packs, by type, with the targetId that create_menu_item takes as target.',
  method: 'POST',
  path: '/api/v1/menu-items/targets',
  roles: 'BuilderAdmin',
  input: z.object({}),
  examples: [
    {
      title: 'All of them',
      input: {},
      output: {
        categories: [
          {
            menuItemType: 'Form',
            menuItemTypeId: 1,
            targets: [{ targetId: 10_120, internalName: 'NewOrder', name: 'NewOrder', description: '' }],
          },
        ],
      },
    },
  ],
  async handler(context) {
    return { categories: await listTargets(context) }
  },
})
