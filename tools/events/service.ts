/** What happened, told to all who act on it, and carried on to all who watch. */
export { comparesBefore, recordsChanged } from './records-changed.ts'
export {
  type Batch,
  deliveriesTopic,
  listDueSubscriptions,
  type Notify,
  type Post,
  recordTries,
  type Ref,
  subscriptionWatcher,
  endTurn,
  takeDue,
} from './delivering.ts'
export type { WatcherKinds } from './events.types.ts'
export { matchWaiting } from './matching.ts'
export { type TryResult } from './retries.rules.ts'
export { signatureOf } from './signing.ts'
export { measureDue } from './subscriptions.store.ts'
export { watcherKind as subscriptionWatcherKind } from './subscribing.ts'
export { dropOldEvents } from './upkeep.ts'
export { watchInParts } from './watching.ts'
