import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { displayInput, languageFields } from '#tools/properties/properties.schema.ts'

import { exampleItem, menuItem, menuItemSlot } from './menu.schema.ts'
import { lockMenu } from './menu.store.ts'
import { readItemDisplays, saveDisplays } from './saving.ts'
import { mustFindItem, shownItem } from './shown.ts'

const { name, description } = displayInput.shape

export const setMenuItemDisplay = defineOperation({
  ...writes(menuItem),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_menu_item_display',
  title: 'Name a menu item in one language',
  description: 'Sets what a menu item is called in one language, the default unless told; a description that is left out stays.',
  method: 'POST',
  path: '/api/v1/menu-items/{menuItem}/displays',
  roles: 'BuilderAdmin',
  input: z.object({ menuItem: menuItemSlot, ...languageFields, name, description }),
  examples: [
    {
      title: 'In German',
      input: { menuItem: 'NewOrder', languageCode: 'de-DE', name: 'Neuer Auftrag' },
      output: {
        ...exampleItem,
        displays: [...exampleItem.displays, { languageRegionId: 7, languageCode: 'de-DE', name: 'Neuer Auftrag', description: '' }],
      },
    },
  ],
  async handler(context, { menuItem: slot, ...given }) {
    const { tx, tenantId } = context
    await lockMenu(tx, tenantId)
    const { menuItemId } = await mustFindItem(context, slot)
    await saveDisplays(context, menuItemId, await readItemDisplays(context, [given], true))
    context.audit({ menuItemId })
    return shownItem(context, menuItemId)
  },
})
