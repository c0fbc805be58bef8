import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { narrowed, treeOf } from './menu.rules.ts'
import { channel, exampleItem, homeArea, menuNode } from './menu.schema.ts'
import { listSeen } from './shown.ts'
import { withTargets } from './targets.ts'

export const getMenuTree = defineOperation({
  ...reads(z.object({ roots: z.array(menuNode) })),
  errors: [],
  name: 'get_menu_tree',
  title: 'Read the menu as a tree',
  description:
    'The menu as you see it: what is visible, leads somewhere that you may open, and stands below nothing that is hidden from you. Narrow it to a channel or a home area.',
  method: 'POST',
  path: '/api/v1/menu-items/tree',
  roles: 'any',
  input: z.object({ homeArea: homeArea.optional().describe('Of one area'), channel: channel.optional().describe('Of one channel') }),
  examples: [{ title: 'My menu', input: { channel: 'mobile' }, output: { roots: [{ ...exampleItem, children: [] }] } }],
  async handler(context, input) {
    const visible = narrowed(await listSeen(context), input).filter((item) => item.isVisibleInMenu)
    return { roots: treeOf(await withTargets(context, visible)) }
  },
})
