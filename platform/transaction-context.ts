/** What a handler, or whoever works in a transaction without a call, gets to work with. */
import type { OpenTransaction } from './db/transaction.ts'
import type { CallContext, TxContext } from './operation.ts'
import { insertOutboxEvent, outboxTopic } from './outbox.ts'
import type { Services } from './services.ts'

/** Runs `work` in the context of one transaction: a call's, or one that was opened outside of any (the relay, activities, boot). */
export async function inContext<T>(
  context: CallContext,
  open: OpenTransaction,
  stamp: string,
  attempt: number,
  afterwards: (() => void)[],
  wake: Services['wake'],
  work: (context: TxContext) => Promise<T>,
): Promise<T> {
  const assumed: Promise<unknown>[] = []
  try {
    const result = await work(txContext(context, open, stamp, attempt, afterwards, assumed, wake))
    await Promise.all(assumed)
    return result
  } catch (error) {
    // What was taken for granted may be why it failed.
    await Promise.all(assumed)
    throw error
  }
}

function txContext(
  context: CallContext,
  open: OpenTransaction,
  stamp: string,
  attempt: number,
  afterwards: (() => void)[],
  assumed: Promise<unknown>[],
  wake: Services['wake'],
): TxContext {
  const { tx } = open
  return {
    ...context,
    tx,
    stamp,
    attempt,
    async emit(event) {
      await insertOutboxEvent(tx, context.tenantId, event)
      afterwards.push(() => wake.poke(outboxTopic))
    },
    afterCommit: (run) => void afterwards.push(run),
    assume(check) {
      check.catch(() => {})
      assumed.push(check)
    },
    endHere: open.endHere,
    async asTenant(tenantId, run) {
      await tx`select set_config('app.tenant_id', ${String(tenantId)}, true)`
      const result = await run()
      await tx`select set_config('app.tenant_id', ${String(context.tenantId)}, true)`
      return result
    },
  }
}
