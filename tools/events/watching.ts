/** Who watches for what happens, kept with the catalog: a save learns of it with what it has confirmed already. */
import type { TxContext } from '#platform/operation.ts'

import type { NewWatcher } from './events.types.ts'
import { deleteWatchers, insertWatchers, replaceParts } from './watchers.store.ts'

/** Has a definition watch for these things alone, from now on. Inside `changeDefinitions`, whose new catalog tells saves. */
export async function replaceWatchers(context: TxContext, definitionId: number, watchers: readonly NewWatcher[]): Promise<void> {
  const { tx, tenantId, stamp } = context
  await deleteWatchers(tx, tenantId, definitionId)
  await insertWatchers(tx, tenantId, stamp, definitionId, watchers)
}

/**
 * The same of the parts of a definition that are of one kind, each of which is told by its name: one that goes on watching loses nothing that happened
 * before and waits to be carried on. Inside `changeDefinitions`.
 */
export async function watchInParts(
  context: TxContext,
  of: { readonly definitionId: number; readonly watcherKind: string },
  watchers: readonly Omit<NewWatcher, 'watcherKind'>[],
): Promise<void> {
  await replaceParts(context.tx, context.tenantId, context.stamp, of, watchers)
}
