/** What items of a menu open: stored definitions that their callers see. */
import type { TxContext } from '#platform/operation.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { DefinitionKind } from '#tools/definitions/definitions.schema.ts'
import { listHeads, viewerOf } from '#tools/definitions/service.ts'

import { type ItemType, itemTypes, type MenuItem } from './menu.schema.ts'

/** Surfaces are not stored yet, so that none can be named. */
const kinds: Readonly<Partial<Record<ItemType, DefinitionKind>>> = {
  Form: 'form',
  View: 'view',
  Report: 'report',
  Workflow: 'workflow',
  ActionPack: 'actionPackInstall',
}

export interface Target {
  readonly targetId: number
  readonly internalName: string
  readonly name: string
  readonly description: string
}

/** Of each type those that the caller sees. */
export async function listTargets(context: TxContext): Promise<{ menuItemType: ItemType; menuItemTypeId: number; targets: Target[] }[]> {
  const heads = await listHeads(context.tx, context.tenantId, Object.values(kinds), viewerOf(context))
  return itemTypes
    .filter((type) => type !== 'Url' && type !== 'Folder')
    .map((menuItemType) => ({
      menuItemType,
      menuItemTypeId: itemTypes.indexOf(menuItemType) + 1,
      targets: heads
        .filter((head) => head.kind === kinds[menuItemType])
        .map(({ definitionId, internalName, description }) => ({ targetId: definitionId, internalName, name: internalName, description })),
    }))
}

/** The definition that an item of this type opens; undefined where there is none that the caller sees. */
export async function findTarget(context: TxContext, type: ItemType, slot: IdOrName): Promise<number | undefined> {
  const kind = kinds[type]
  if (kind === undefined) return undefined
  const { id, name } = readIdOrName(slot)
  const heads = await listHeads(context.tx, context.tenantId, [kind], viewerOf(context))
  return heads.find((head) => (id === null ? head.internalName.toLowerCase() === name.toLowerCase() : head.definitionId === id))
    ?.definitionId
}

/** Those that open something that is there and that the caller sees. */
export async function withTargets(context: TxContext, items: readonly MenuItem[]): Promise<MenuItem[]> {
  const heads = await listHeads(context.tx, context.tenantId, Object.values(kinds), viewerOf(context))
  const seen = new Set(heads.map((head) => `${head.kind}:${head.definitionId}`))
  return items.filter(
    ({ menuItemType, targetId }) => kinds[menuItemType] === undefined || seen.has(`${kinds[menuItemType]}:${String(targetId)}`),
  )
}
