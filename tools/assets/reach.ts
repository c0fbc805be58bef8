/** Whether the caller reaches a file that somebody may hold in a record with access rules. */
import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { findWithheldFiles } from '#tools/query/service.ts'

import { listMakers } from './assets.store.ts'

/** Throws 404 for a file that the caller does not reach, as for one that is not there. */
export async function mustReach(context: TxContext, assetKey: string): Promise<void> {
  const files = await listMakers(context.tx, context.tenantId, [assetKey])
  const withheld = await findWithheldFiles(context, files)
  if (withheld.size > 0) mustExist(undefined, 'asset')
}
