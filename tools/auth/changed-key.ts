/** The key that a call is about to change, if it may, and the word to whoever a session made or changed one for. */
import { mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { refuseChange } from '#tools/users/service.ts'

import { tellOfChange } from './account/notices.ts'
import { type ApiKeyRow, lockApiKey } from './auth.store.ts'

/** Throws AppError `not_found` for an absent or revoked key, `forbidden` where it holds a role that the caller lacks. */
export async function lockLesserKey({ tx, tenantId, actor }: TxContext, apiKeyId: number): Promise<ApiKeyRow> {
  const row = mustExist(await lockApiKey(tx, tenantId, apiKeyId), 'API key')
  refuseChange(actor.roleFlag, row.roleFlag, 'API key')
  return row
}

/** Mails the person of the session what became of a key; nothing where a key calls. After the commit, since what is a person's is not the tenant's transaction. */
export function tellOfKey({ afterCommit, services, actor, log }: TxContext, what: string): void {
  if (actor.kind !== 'session') return
  afterCommit(() => {
    services.databases
      .lookUp((tx) => tellOfChange(tx, services, actor.userId, what))
      .catch((error: unknown) => log.warn({ err: error }, 'word of a key could not be written'))
  })
}
