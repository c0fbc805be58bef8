import type { Domain } from '#platform/operation.ts'

import { createMenuItem } from './create-menu-item.ts'
import { deleteMenuItem } from './delete-menu-item.ts'
import { getMenuItem } from './get-menu-item.ts'
import { getMenuTree } from './get-menu-tree.ts'
import { listHomeAreas } from './list-home-areas.ts'
import { listMenuItems } from './list-menu-items.ts'
import { listMenuTargets } from './list-menu-targets.ts'
import { menuPhrases } from './menu.phrases.ts'
import { reorderMenuItems } from './reorder-menu-items.ts'
import { setMenuItemDisplay } from './set-menu-item-display.ts'
import { updateMenuItem } from './update-menu-item.ts'

export const menuDomain: Domain = {
  name: 'menu',
  title: 'Menu',
  summary: 'What people open, as a tree: forms, views, reports, workflows, packs and addresses, for the portal and for phones.',
  operations: [
    listMenuItems,
    getMenuTree,
    listMenuTargets,
    getMenuItem,
    createMenuItem,
    updateMenuItem,
    reorderMenuItems,
    setMenuItemDisplay,
    deleteMenuItem,
    listHomeAreas,
  ],
  phrases: menuPhrases,
}
