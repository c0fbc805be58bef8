/** SQL of exports. */
import type { Tx } from '#platform/db/pool.ts'

/**
 * Lets the transaction read for longer than a call may. It writes nothing, so nobody who follows changes waits for it. A step of a job has five.
 */
export async function allowLongRead(tx: Tx): Promise<void> {
  await tx.unsafe(`set local transaction_timeout = '100s'`)
}
