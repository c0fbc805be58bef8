/** Working calls of the menu's operations. */
import type { Given, Stage } from '../arrange.ts'

async function folder({ call, unique }: Stage, more: object = {}): Promise<string> {
  const internalName = unique('Folder')
  await call('create_menu_item', { internalName, menuItemType: 'Folder', displays: [{ languageCode: 'en-US', name: 'Folder' }], ...more })
  return internalName
}

const named =
  (more: Record<string, unknown> = {}) =>
  async (stage: Stage) => ({ input: { menuItem: await folder(stage), ...more } })

export const given: Given = {
  async list_menu_items(stage) {
    await folder(stage)
    return { input: {} }
  },
  async get_menu_tree(stage) {
    await folder(stage, { parent: await folder(stage) })
    return { input: { channel: 'web' } }
  },
  list_menu_targets: async () => ({ input: {} }),
  get_menu_item: named(),
  create_menu_item: async ({ unique }) => ({
    input: { internalName: unique('Site'), menuItemType: 'Url', externalUrl: 'https://example.com/', homeArea: 'mobile' },
  }),
  update_menu_item: named({ channelFlag: 2, iconKey: 'home' }),
  async reorder_menu_items(stage) {
    const [one, other] = [await folder(stage), await folder(stage)]
    return { input: { items: [{ menuItem: one, parent: other, displayOrder: 5 }] } }
  },
  set_menu_item_display: named({ languageCode: 'es-ES', name: 'Carpeta' }),
  delete_menu_item: named(),
  list_home_areas: async () => ({ input: {} }),
}
