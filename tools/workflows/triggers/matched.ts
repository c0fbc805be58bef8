/** What triggers watched for and has happened, kept until runs are started of it. */
import type { LoggedEvent, Matched, WatcherKind } from '#tools/events/events.types.ts'

import { startsTopic } from '../runs/starting.ts'
import { insertFirings, type NewFiring } from './triggers.store.ts'
import type { FiredEvent } from './triggers.types.ts'

function kept({ recordIds: _ids, versions: _versions, startsNothing: _starts, ...event }: LoggedEvent): FiredEvent {
  return event
}

/** What one transaction wrote the same way is one firing. */
function firingsOf(matches: readonly Matched[]): NewFiring[] {
  const wanted = matches.filter(({ event }) => !event.startsNothing)
  const batches = Map.groupBy(wanted, ({ watcher, event }) => `${watcher.watcherId} ${event.batch ?? event.eventId} ${event.kind}`)
  return [...batches.values()].flatMap((batch) => {
    const [first] = batch
    if (!first) return []
    const { watcher, event } = first
    const named = batch.flatMap(({ event: { recordIds, versions }, records }): readonly { id: number; version?: number }[] =>
      recordIds && !versions ? recordIds.map((id) => ({ id })) : records,
    )
    return [
      {
        definitionId: watcher.definitionId,
        part: watcher.part,
        event: kept(event),
        recordIds: named.map(({ id }) => id),
        versions: named.flatMap(({ version }) => version ?? []),
      },
    ]
  })
}

export const triggerWatcher: WatcherKind = {
  // Its filter is asked again where runs are started, and who asks wrongly is told by a run that failed.
  asksAgain: true,
  async matched(context, matches) {
    const firings = firingsOf(matches)
    if (firings.length === 0) return
    await insertFirings(context.tx, context.tenantId, context.stamp, firings)
    context.afterCommit(() => context.services.wake.poke(startsTopic))
  },
}
