import type { Step } from './step.ts'

const menuItem = 'Walk{{run}}'

export const steps: readonly Step[] = [
  { operation: 'list_home_areas', input: {} },
  { operation: 'list_menu_targets', input: {} },
  {
    operation: 'create_menu_item',
    input: { internalName: menuItem, menuItemType: 'Folder', displays: [{ languageCode: 'en-US', name: 'Walk' }] },
  },
  { operation: 'get_menu_item', input: { menuItem } },
  { operation: 'update_menu_item', input: { menuItem, iconKey: 'folder' } },
  { operation: 'set_menu_item_display', input: { menuItem, languageCode: 'es-ES', name: 'Paseo' } },
  { operation: 'reorder_menu_items', input: { items: [{ menuItem, parent: null, displayOrder: 5 }] } },
  { operation: 'list_menu_items', input: {} },
  { operation: 'get_menu_tree', input: { channel: 'web' } },
  { operation: 'delete_menu_item', input: { menuItem } },
]
