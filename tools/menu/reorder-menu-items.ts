import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { readIdOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { mostItems } from './menu.rules.ts'
import { exampleItem, menuItem, menuItemSlot } from './menu.schema.ts'
import { type ItemRow, listItems, lockMenu, type Place, updatePlaces } from './menu.store.ts'
import { refusePlaces } from './saving.ts'
import { listSeen } from './shown.ts'

const place = z.strictObject({
  menuItem: menuItemSlot,
  parent: menuItemSlot.nullable(),
  displayOrder: z.int().min(0).max(1_000_000),
})

export const reorderMenuItems = defineOperation({
  ...writes(z.object({ items: z.array(menuItem), count: z.int().min(0) })),
  errors: [],
  isIdempotent: true,
  name: 'reorder_menu_items',
  title: 'Reorder the menu',
  description:
    'Puts items of the menu below parents and in order, all or none of them; an item below itself is 409. Answers the whole menu. Items that are not named stay.',
  method: 'POST',
  path: '/api/v1/menu-items/reorder',
  roles: 'BuilderAdmin',
  input: z.object({ items: z.array(place).min(1).max(mostItems).describe('parent null: at the top') }),
  examples: [
    {
      title: 'Orders first',
      input: { items: [{ menuItem: 'NewOrder', parent: null, displayOrder: 0 }] },
      output: { items: [{ ...exampleItem, displayOrder: 0 }], count: 1 },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp } = context
    await lockMenu(tx, tenantId)
    const rows = await listItems(tx, tenantId)
    const places = placesOf(rows, input.items)
    const moved = new Map(places.map((one) => [one.menuItemId, one]))
    refusePlaces(rows.map((row) => moved.get(row.menuItemId) ?? row))
    await updatePlaces(tx, tenantId, stamp, places)
    context.audit({ items: places.length })
    const items = await listSeen(context)
    return { items, count: items.length }
  },
})

/** Throws AppError `invalid_input` with every item and parent that there is not, and every item that comes twice. */
function placesOf(rows: readonly ItemRow[], wanted: readonly z.output<typeof place>[]): Place[] {
  const byId = new Map(rows.map((row) => [row.menuItemId, row]))
  const byName = new Map(rows.map((row) => [row.internalName.toLowerCase(), row]))
  const find = (slot: string | number) => {
    const { id, name } = readIdOrName(slot)
    return id === null ? byName.get(name.toLowerCase()) : byId.get(id)
  }
  const issues = []
  const places = new Map<number, Place>()
  for (const [index, one] of wanted.entries()) {
    const row = find(one.menuItem)
    const parent = one.parent === null ? null : find(one.parent)
    if (!row) issues.push(finding(`$.items[${index}].menuItem`, 'There is no such menu item. list_menu_items shows them.'))
    else if (places.has(row.menuItemId)) issues.push(finding(`$.items[${index}].menuItem`, 'The item comes twice. Name it once.'))
    if (parent === undefined) issues.push(finding(`$.items[${index}].parent`, 'There is no such menu item. list_menu_items shows them.'))
    if (row && parent !== undefined)
      places.set(row.menuItemId, { menuItemId: row.menuItemId, parentId: parent?.menuItemId ?? null, displayOrder: one.displayOrder })
  }
  if (issues[0])
    throw new AppError('invalid_input', `The menu cannot be put in that order: ${issues[0].message}`, { issues: issues.slice(0, 50) })
  return [...places.values()]
}
