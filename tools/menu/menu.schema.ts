/** Menu items on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId, idOrName, newName } from '#platform/names.ts'
import { displayInputs } from '#tools/properties/properties.schema.ts'
import { tenantUserId } from '#tools/users/users.schema.ts'

/** In the order of their ids, from 1. */
export const itemTypes = ['Form', 'View', 'Report', 'Surface', 'Workflow', 'ActionPack', 'Url', 'Folder'] as const
export const itemType = z.enum(itemTypes)
export type ItemType = z.infer<typeof itemType>

/** Bits of channelFlag. */
export const channelBits = { web: 1, mobile: 2, rich: 4, text: 8 } as const
export const channel = z.enum(['web', 'mobile', 'rich', 'text'])

/** Where items may stand apart from the others. */
export const homeAreas = [
  { homeAreaId: 1, internalName: 'portalHome', name: 'Home of the portal' },
  { homeAreaId: 2, internalName: 'drawer', name: 'Drawer' },
  { homeAreaId: 3, internalName: 'mobile', name: 'Home of the phone' },
] as const
export const homeArea = z.enum(['portalHome', 'drawer', 'mobile'])

export const menuItemSlot = idOrName.describe('id or internalName, from list_menu_items')
export const menuItemId = z.int().min(1)

export const menuItem = z.object({
  tenantMenuItemId: menuItemId,
  tenantId: z.int(),
  tenantUserId: tenantUserId.describe('Who made it'),
  parentTenantMenuItemId: menuItemId.nullable(),
  menuItemTypeId: z.int(),
  menuItemType: itemType,
  targetId: z.int().nullable(),
  externalUrl: z.string().nullable(),
  internalName: z.string(),
  name: z.string(),
  description: z.string(),
  iconKey: z.string(),
  displayOrder: z.int(),
  isSystem: z.boolean(),
  isShared: z.boolean(),
  isVisibleInMenu: z.boolean(),
  isApiVisible: z.boolean(),
  channelFlag: z.int().describe('web 1, mobile 2, rich 4, text 8'),
  roleFlag: z.int().describe('Roles that it takes to see it'),
  homeAreaId: z.int().nullable(),
  displays: z.array(z.object({ languageRegionId: z.int(), languageCode: z.string(), name: z.string(), description: z.string() })),
})

export type MenuItem = z.infer<typeof menuItem>

export type MenuNode = MenuItem & { children: MenuNode[] }

/** With what stands below it; a tool's schema does not refer to itself. */
export const menuNode = menuItem.extend({
  children: z.array(z.looseObject({ tenantMenuItemId: menuItemId, internalName: z.string() })).describe('Items of the same shape'),
})

// Not as a pattern: whoever reads the documents without Unicode reads another one.
const hasNoControls = (text: string) => !/[\p{Cc}\p{Cf}]/u.test(text)

/** What an item is made of, beside its type. */
export const itemFields = {
  target: z.union([definitionId, idOrName]).optional().describe('What it opens, id or internalName: list_menu_targets'),
  externalUrl: z
    .url({ protocol: /^(?:https?|mailto|tel)$/ })
    .max(2_000)
    .optional()
    .describe('Of a Url'),
  parent: menuItemSlot.nullable().optional().describe('Under which it stands; null: none'),
  iconKey: z
    .string()
    .max(200)
    .refine(hasNoControls, 'One line without control characters')
    .optional()
    .describe('Name of an icon, or an assetKey'),
  displayOrder: z.int().min(0).max(1_000_000).optional().describe('Among its neighbours; behind them unless told'),
  isShared: z.boolean().optional().describe('Seen by all users; true unless told'),
  isVisibleInMenu: z.boolean().optional().describe('false: listed, but in no tree'),
  isApiVisible: z.boolean().optional().describe('false hides it from keys and agents'),
  channelFlag: z.int().min(0).max(15).optional().describe('web 1, mobile 2, rich 4, text 8; all unless told'),
  roleFlag: z.int().min(0).max(1023).optional().describe('Roles that it takes to see it; none unless told'),
  homeArea: homeArea.nullable().optional().describe('Where it stands apart; null: nowhere'),
} as const

export const newItem = {
  internalName: newName('menuItem'),
  menuItemType: itemType.describe('What it opens; a Folder holds others'),
  ...itemFields,
  displays: displayInputs.optional(),
} as const

export const exampleItem: MenuItem = {
  tenantMenuItemId: 10_310,
  tenantId: 3,
  tenantUserId: 12,
  parentTenantMenuItemId: null,
  menuItemTypeId: 1,
  menuItemType: 'Form',
  targetId: 10_120,
  externalUrl: null,
  internalName: 'NewOrder',
  name: 'New work order',
  description: '',
  iconKey: 'clipboard',
  displayOrder: 10,
  isSystem: false,
  isShared: true,
  isVisibleInMenu: true,
  isApiVisible: true,
  channelFlag: 15,
  roleFlag: 0,
  homeAreaId: 3,
  displays: [{ languageRegionId: 1, languageCode: 'en-US', name: 'New work order', description: '' }],
}

component('MenuItem', menuItem)
