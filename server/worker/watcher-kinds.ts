/** Who may be started by what happens, by the kind that the watcher's row names. */
import { subscriptionWatcher, subscriptionWatcherKind, type WatcherKinds } from '#tools/events/service.ts'
import { triggerWatcher, triggerWatcherKind, waitWatcherKind } from '#tools/workflows/service.ts'

export const watcherKinds: WatcherKinds = {
  [subscriptionWatcherKind]: subscriptionWatcher,
  [triggerWatcherKind]: triggerWatcher,
  [waitWatcherKind]: triggerWatcher,
}
