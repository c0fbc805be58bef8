/** Work that may change one record several times in its transaction, of which each record is told once. */
import type { TxContext } from '#platform/operation.ts'

import type { QueuedJobs } from './events.types.ts'
import { whileHeld } from './held-changes.ts'
import { recordsChanged } from './records-changed.ts'

/**
 * Runs `work`, whose saves and deletions are told at its end: each record once, by the change that they come to. Answers the jobs that were queued, by
 * record, which the outcomes of those saves do not have. Within another one it is a part of that.
 */
export async function toldOnce<T>(context: TxContext, work: () => Promise<T>): Promise<{ readonly result: T; readonly jobs: QueuedJobs }> {
  const { result, held } = await whileHeld(context.tx, work)
  const jobs = new Map<number, readonly number[]>()
  for (const [, group] of Map.groupBy(held ?? [], ({ of }) => of.entity.entityId)) {
    const of = group.at(-1)?.of
    const changes = group.flatMap(({ change }) => change ?? [])
    const queued = of ? await recordsChanged(context, of, changes) : new Map<number, number[]>()
    for (const [id, jobIds] of queued) jobs.set(id, jobIds)
  }
  return { result, jobs }
}
