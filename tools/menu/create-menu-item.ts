import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { mostItems } from './menu.rules.ts'
import { exampleItem, menuItem, newItem } from './menu.schema.ts'
import { insertItem, listItems, lockMenu } from './menu.store.ts'
import { nameTaken, readItem, readItemDisplays, saveDisplays } from './saving.ts'
import { shownItem } from './shown.ts'

export const createMenuItem = defineOperation({
  ...writes(menuItem),
  errors: ['already_exists'],
  name: 'create_menu_item',
  title: 'Create a menu item',
  description:
    'Adds an item to the menu: a Form, View, Report, Workflow or ActionPack to open (target, from list_menu_targets), a Url, or a Folder for others. Then get_menu_tree.',
  method: 'POST',
  path: '/api/v1/menu-items',
  roles: 'BuilderAdmin',
  input: z.object(newItem),
  examples: [
    {
      title: 'A form on the phone',
      input: {
        internalName: 'NewOrder',
        menuItemType: 'Form',
        target: 'NewOrder',
        homeArea: 'mobile',
        iconKey: 'clipboard',
        displays: [{ languageCode: 'en-US', name: 'New work order' }],
      },
      output: exampleItem,
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, actor, stamp } = context
    await lockMenu(tx, tenantId)
    if ((await listItems(tx, tenantId)).length >= mostItems)
      throw new AppError('conflict', `A menu has at most ${mostItems} items. Delete some first.`)
    const displays = await readItemDisplays(context, input.displays ?? [])
    const values = await readItem(context, input)
    const by = { tenantUserId: actor.tenantUserId, at: stamp }
    const menuItemId = await insertItem(tx, tenantId, by, values).catch((error: unknown) => Promise.reject(nameTaken(error)))
    await saveDisplays(context, menuItemId, displays)
    context.audit({ menuItemId, internalName: values.internalName })
    return shownItem(context, menuItemId)
  },
})
