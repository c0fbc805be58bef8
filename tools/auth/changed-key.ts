/** The key that a call is about to change, if it may. */
import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { refuseChange } from '#tools/users/service.ts'

import { type ApiKeyRow, lockApiKey } from './auth.store.ts'

/** Throws AppError `not_found` for an absent or revoked key, `forbidden` where it holds a role that the caller lacks. */
export async function lockLesserKey({ tx, tenantId, actor }: TxContext, apiKeyId: number): Promise<ApiKeyRow> {
  const row = mustExist(await lockApiKey(tx, tenantId, apiKeyId), 'API key')
  refuseChange(actor.roleFlag, row.roleFlag, 'API key')
  return row
}
