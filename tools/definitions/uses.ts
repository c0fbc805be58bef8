/** What uses an entity, a property, an option, a relationship or another definition, and the refusal to take it away. */
import type { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'

import { definitionNouns, type definitionUse } from './definitions.schema.ts'
import { listOpeningItems, listUsers } from './definitions.store.ts'
import type { Subject } from './references.rules.ts'
import { viewerOf } from './visibility.rules.ts'

const namedAtMost = 10
// More than a tenant may have of all kinds.
const countedAtMost = 100_000
const shownAtMost = 1_000

/** Throws AppError `conflict` with the names of the definitions and menu items that use what is to go; where `force` was said, it goes and they stay. */
export async function refuseUsed(context: TxContext, subject: Subject, name: string, force: boolean | undefined): Promise<void> {
  const { tx, tenantId } = context
  const { definitionId } = subject
  const users = await listUsers(tx, tenantId, subject, viewerOf(context), countedAtMost)
  const items = definitionId === undefined ? [] : await listOpeningItems(tx, tenantId, definitionId, countedAtMost)
  const count = users.length + items.length
  if (count === 0) return
  if (force === true) return context.audit({ stillUsedBy: [...users.map((user) => user.internalName), ...items].slice(0, namedAtMost) })
  const all = [
    ...users.map((user) => `the ${definitionNouns[user.kind]} ${user.internalName}`),
    ...items.map((item) => `the menu item ${item}`),
  ]
  const more = count > namedAtMost ? ` and ${count - namedAtMost} others` : ''
  const them = count > 1 ? 'Change or delete them' : 'Change or delete it'
  throw new AppError(
    'conflict',
    `${name} is used by ${all.slice(0, namedAtMost).join(', ')}${more}. ${them} first, or repeat with force: true.`,
  )
}

/** Who uses something, as an answer tells it. */
export async function usesOf(
  context: TxContext,
  subject: Subject,
): Promise<{ definitions: z.output<typeof definitionUse>[]; otherDefinitions: number }> {
  const users = await listUsers(context.tx, context.tenantId, subject, viewerOf(context), countedAtMost)
  const seen = users.filter((user) => user.isSeen).slice(0, shownAtMost)
  return {
    definitions: seen.map(({ kind, definitionId, internalName }) => ({ kind, definitionId, internalName })),
    otherDefinitions: users.length - seen.length,
  }
}
