/** An item of a menu as it is saved: everything that is wrong with it said at once. */
import { constraintOf } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Finding } from '#platform/validation.ts'
import { loadReferences, readDisplays } from '#tools/properties/service.ts'

import { findPlaceProblem, homeAreaIdOf, mostDisplayBytes, mostLevels } from './menu.rules.ts'
import type { ItemType } from './menu.schema.ts'
import { countDisplayBytes, findItem, type ItemRow, type ItemValues, listItems, type Place, upsertDisplays } from './menu.store.ts'
import { findTarget } from './targets.ts'

export interface ItemWish {
  readonly internalName?: string | undefined
  readonly menuItemType?: ItemType | undefined
  readonly target?: IdOrName | undefined
  readonly externalUrl?: string | undefined
  readonly parent?: IdOrName | null | undefined
  readonly iconKey?: string | undefined
  readonly displayOrder?: number | undefined
  readonly isShared?: boolean | undefined
  readonly isVisibleInMenu?: boolean | undefined
  readonly isApiVisible?: boolean | undefined
  readonly channelFlag?: number | undefined
  readonly roleFlag?: number | undefined
  readonly homeArea?: string | null | undefined
}

/** Throws AppError `conflict` where an item would stand above itself, or too deep. */
export function refusePlaces(places: readonly Place[]): void {
  const problem = findPlaceProblem(places)
  if (problem === 'circle') throw new AppError('conflict', 'An item cannot stand below itself. Choose another parent.')
  if (problem === 'depth') throw new AppError('conflict', `A menu has at most ${mostLevels} levels. Choose a parent higher up.`)
}

async function readOpens(
  context: TxContext,
  type: ItemType,
  wish: ItemWish,
  before: ItemRow | undefined,
  issues: Finding[],
): Promise<{ targetId: number | null; externalUrl: string | null }> {
  const kept = before?.itemType === type ? before : undefined
  if (type === 'Folder') {
    if (wish.target !== undefined || wish.externalUrl !== undefined)
      issues.push(finding('$.target', 'A Folder opens nothing. Leave out target and externalUrl.'))
    return { targetId: null, externalUrl: null }
  }
  if (type === 'Url') {
    const externalUrl = wish.externalUrl ?? kept?.externalUrl ?? null
    if (externalUrl === null) issues.push(finding('$.externalUrl', 'A Url needs externalUrl.'))
    if (wish.target !== undefined) issues.push(finding('$.target', 'A Url has externalUrl, and no target.'))
    return { targetId: null, externalUrl }
  }
  if (wish.externalUrl !== undefined) issues.push(finding('$.externalUrl', `A ${type} has a target, and no externalUrl.`))
  const targetId = wish.target === undefined ? kept?.targetId : await findTarget(context, type, wish.target)
  if (targetId === undefined || targetId === null)
    issues.push(finding('$.target', `There is no ${type} of that id or name. list_menu_targets shows what there is.`))
  return { targetId: targetId ?? null, externalUrl: null }
}

/** The values of a new item, or of one after a change. Throws AppError `invalid_input` with every issue, `conflict` for a place that cannot be. */
export async function readItem(context: TxContext, wish: ItemWish, before?: ItemRow): Promise<ItemValues> {
  const { tx, tenantId } = context
  const issues: Finding[] = []
  const type = wish.menuItemType ?? before?.itemType ?? 'Folder'
  const opens = await readOpens(context, type, wish, before, issues)
  const items = await listItems(tx, tenantId)
  const named = wish.parent === undefined || wish.parent === null ? undefined : await findItem(tx, tenantId, wish.parent)
  if (wish.parent !== undefined && wish.parent !== null && !named)
    issues.push(finding('$.parent', 'There is no such menu item. list_menu_items shows them.'))
  const parentId = wish.parent === undefined ? (before?.parentId ?? null) : (named?.menuItemId ?? null)
  if (issues[0]) throw new AppError('invalid_input', `The menu item cannot be saved: ${issues[0].message}`, { issues })
  const others = items.filter((one) => one.menuItemId !== before?.menuItemId)
  const last = others.filter((one) => one.parentId === parentId).reduce((most, one) => Math.max(most, one.displayOrder), 0)
  const displayOrder = wish.displayOrder ?? before?.displayOrder ?? last + 10
  refusePlaces([...others, { menuItemId: before?.menuItemId ?? 0, parentId, displayOrder }])
  return {
    ...opens,
    parentId,
    itemType: type,
    internalName: wish.internalName ?? before?.internalName ?? '',
    iconKey: wish.iconKey ?? before?.iconKey ?? '',
    displayOrder,
    isShared: wish.isShared ?? before?.isShared ?? true,
    isVisibleInMenu: wish.isVisibleInMenu ?? before?.isVisibleInMenu ?? true,
    isApiVisible: wish.isApiVisible ?? before?.isApiVisible ?? true,
    channelFlag: wish.channelFlag ?? before?.channelFlag ?? 15,
    roleFlag: wish.roleFlag ?? before?.roleFlag ?? 0,
    homeAreaId: wish.homeArea === undefined ? (before?.homeAreaId ?? null) : (homeAreaIdOf(wish.homeArea ?? undefined) ?? null),
  }
}

/** What a database error of a name means; any other one as it is. */
export function nameTaken(error: unknown): unknown {
  if (constraintOf(error) !== 'menu_item_name') return error
  return new AppError('already_exists', 'A menu item has that internalName. Choose another one.', { cause: error })
}

type GivenDisplay = Parameters<typeof readDisplays>[0][number]

/** Displays as they are kept. Throws AppError `invalid_input`. */
export async function readItemDisplays({ tx, tenantId }: TxContext, given: readonly GivenDisplay[], isOne = false) {
  const { displays, findings } = readDisplays(given, await loadReferences(tx, tenantId), isOne ? '$.display' : '$.displays')
  const issues = findings.map((one) => ({ ...one, path: one.path.replace('$.display[0]', '$') }))
  if (issues[0]) throw new AppError('invalid_input', `The name of the menu item cannot be saved: ${issues[0].message}`, { issues })
  return displays.map(({ languageRegionId, name }, index) => ({ languageRegionId, name, description: given[index]?.description ?? null }))
}

/** Under the menu's lock. Throws AppError `conflict` where the names of the menu would be more than it is read with. */
export async function saveDisplays(
  { tx, tenantId }: TxContext,
  menuItemId: number,
  displays: Parameters<typeof upsertDisplays>[3],
): Promise<void> {
  await upsertDisplays(tx, tenantId, menuItemId, displays)
  if (displays.length > 0 && (await countDisplayBytes(tx, tenantId)) > mostDisplayBytes)
    throw new AppError(
      'conflict',
      `The names and descriptions of a menu have at most ${mostDisplayBytes / 1024} KiB in all. Shorten descriptions.`,
    )
}
