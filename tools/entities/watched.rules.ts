/** What is watched for of an entity's records, all watchers taken together: so a save asks one question, however many they are. */
import type { Watched } from './catalog.types.ts'

interface Watcher {
  readonly eventKinds: readonly string[]
  readonly entityId: number | null
  readonly propertyIds: readonly number[] | null
}

export function watchedOf(watchers: readonly Watcher[], entityId: number): Watched | undefined {
  const watched = new Map<string, 'anything' | Set<number>>()
  for (const watcher of watchers) {
    if (watcher.entityId !== null && watcher.entityId !== entityId) continue
    for (const kind of watcher.eventKinds) {
      const known = watched.get(kind)
      if (known === 'anything') continue
      if (watcher.propertyIds === null) watched.set(kind, 'anything')
      else watched.set(kind, new Set([...(known ?? []), ...watcher.propertyIds]))
    }
  }
  return watched.size === 0 ? undefined : watched
}
