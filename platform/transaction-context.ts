/** What a handler, or whoever works in a transaction without a call, gets to work with. */
import type { OpenTransaction } from './db/transaction.ts'
import type { CallContext, TxContext } from './operation.ts'
import { insertErrands, outboxTopic, turnText } from './outbox.ts'
import type { Errand } from './shapes/errands.ts'

export interface TransactionWork {
  readonly context: CallContext
  readonly open: OpenTransaction
  readonly stamp: string
  readonly attempt: number
  /** What is to be run after the commit. */
  readonly afterwards: (() => void)[]
  /** Notes the other tenants that the work goes into. */
  readonly entered?: Set<number>
}

/** Runs `work` in the context of one transaction: a call's, or one that was opened outside of any (the relay, activities, boot). */
export async function inContext<T>(transaction: TransactionWork, work: (context: TxContext) => Promise<T>): Promise<T> {
  const assumed: Promise<unknown>[] = []
  try {
    const result = await work(txContext(transaction, assumed))
    await Promise.all(assumed)
    return result
  } catch (error) {
    // What was taken for granted may be why it failed.
    await Promise.all(assumed)
    throw error
  }
}

function txContext({ context, open, stamp, attempt, afterwards, entered }: TransactionWork, assumed: Promise<unknown>[]): TxContext {
  const { tx } = open
  const { wake } = context.services
  const enter = (tenantId: number) => tx`select set_config('app.tenant_id', ${String(tenantId)}, true)`.execute()
  const emitMany = async (errands: readonly Errand[]) => {
    if (errands.length === 0) return
    await insertErrands(tx, context.tenantId, errands)
    const { tenantId } = context
    for (const lane of new Set(errands.map((errand) => errand.lane)))
      afterwards.push(() => wake.poke(outboxTopic, turnText({ lane, tenantId })))
  }
  return {
    ...context,
    tx,
    stamp,
    attempt,
    emit: (errand) => emitMany([errand]),
    emitMany,
    afterCommit: (run) => void afterwards.push(run),
    assume(check) {
      check.catch(() => {})
      assumed.push(check)
    },
    endHere: open.endHere,
    async asTenant(tenantId, run) {
      await enter(tenantId)
      if (tenantId !== context.tenantId) entered?.add(tenantId)
      let result: Awaited<ReturnType<typeof run>>
      try {
        result = await run()
      } catch (error) {
        // Whoever catches it goes on as the own tenant; where a statement has failed, the transaction takes no other.
        await enter(context.tenantId).catch(() => {})
        throw error
      }
      await enter(context.tenantId)
      return result
    },
  }
}
