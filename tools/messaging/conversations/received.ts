/** What came in, for whoever acts on it. */
import type { TxContext } from '#platform/operation.ts'

import { findReceivedRow, type ReceivedRow } from './received.store.ts'
import { onlySeen } from './sight.ts'

export type { ReceivedRow } from './received.store.ts'

/** An inbound message; undefined where there is none, or its conversation is about a record that the caller does not see. */
export async function findReceived(context: TxContext, messageId: number): Promise<ReceivedRow | undefined> {
  const row = await findReceivedRow(context.tx, context.tenantId, messageId)
  return row && (await onlySeen(context, [row]))[0]
}
