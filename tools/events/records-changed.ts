/**
 * The one place where a change of records is told, in the transaction that makes it: by a save once for all its rows, by a deletion once for each level.
 * Whoever acts on changes is a listener here, so that no way of changing a record can forget one.
 */
import type { TxContext } from '#platform/operation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'

import { attachmentAnalyses } from './attachment-analyses.ts'
import type { ChangedEntity, ChangeKind, Listener, QueuedJobs, RecordChange } from './events.types.ts'
import { fileHolders } from './file-holders.ts'
import { identityLinks } from './identity-links.ts'
import { recordEvents } from './record-events.ts'

const listeners: readonly Listener[] = [identityLinks, fileHolders, attachmentAnalyses, recordEvents]

/** Whether somebody compares what records of the entity held with what they hold, so that a change has to read it. */
export function comparesBefore(entity: CatalogEntity, kind: ChangeKind): boolean {
  return listeners.some((listener) => listener.compares(entity, kind))
}

/** Tells all who act on changes of records. Answers the jobs that they have queued, by record. */
export async function recordsChanged(context: TxContext, of: ChangedEntity, changes: readonly RecordChange[]): Promise<QueuedJobs> {
  const queued = new Map<number, number[]>()
  if (changes.length === 0) return queued
  for (const listener of listeners) {
    const jobs = await listener.hear(context, of, changes)
    for (const [id, jobIds] of jobs ?? []) queued.set(id, [...(queued.get(id) ?? []), ...jobIds])
  }
  return queued
}
