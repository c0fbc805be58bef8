/** Who watches for what happens, kept with the catalog: a save learns of it with what it has confirmed already. */
import type { TxContext } from '#platform/operation.ts'

import { deleteWatchers, insertWatchers, type NewWatcher } from './watchers.store.ts'

/** Has a definition watch for these things alone, from now on. Inside `changeDefinitions`, whose new catalog tells saves. */
export async function replaceWatchers(context: TxContext, definitionId: number, watchers: readonly NewWatcher[]): Promise<void> {
  const { tx, tenantId, stamp } = context
  await deleteWatchers(tx, tenantId, definitionId)
  await insertWatchers(tx, tenantId, stamp, definitionId, watchers)
}
