/**
 * Epochs of change numbers. A change number is `epoch << 48 | transaction id`; transaction ids start over in a restored cluster, so another
 * cluster, or another timeline of it, opens a new epoch before anything is written or read by watermark.
 */
import type { Databases } from './databases.ts'
import type { Tx } from './pool.ts'

export interface Epoch {
  readonly epoch: number
  readonly epochUuid: string
}

/** The current epoch as this transaction sees it; undefined where the server was restarted since it was last compared. */
export async function readEpoch(tx: Tx): Promise<Epoch | undefined> {
  const [row] = await tx<(Epoch & { isCompared: boolean })[]>`
    select epoch, epoch_uuid, postmaster_start = pg_postmaster_start_time() as is_compared
    from platform.watermark_epoch order by epoch desc limit 1`.execute()
  return row?.isCompared ? { epoch: row.epoch, epochUuid: row.epochUuid } : undefined
}

/** Compares the cluster with the newest epoch, in a transaction of its own: the same cluster goes on, another one opens a new epoch. */
export async function compareEpoch(databases: Databases): Promise<void> {
  await databases.transact({ tenantId: null }, async ({ tx }) => {
    await tx`select pg_advisory_xact_lock(7024003)`
    const [now] = await tx<{ systemIdentifier: string; timeline: number }[]>`
      select (select system_identifier::text from pg_control_system()) as system_identifier, (select timeline_id from pg_control_checkpoint()) as timeline`
    const [last] = await tx<{ epoch: number; systemIdentifier: string; timeline: number }[]>`
      select epoch, system_identifier, timeline from platform.watermark_epoch order by epoch desc limit 1`
    if (!now) throw new Error('The cluster does not tell its identity')
    if (last && last.systemIdentifier === now.systemIdentifier && last.timeline === now.timeline) {
      await tx`update platform.watermark_epoch set postmaster_start = pg_postmaster_start_time() where epoch = ${last.epoch}`
    } else {
      await tx`
        insert into platform.watermark_epoch (epoch, system_identifier, timeline, postmaster_start)
        values (${(last?.epoch ?? 0) + 1}, ${now.systemIdentifier}, ${now.timeline}, pg_postmaster_start_time())`
    }
  })
}
