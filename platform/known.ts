/**
 * What was looked up a moment ago and is asked for by every call. A thousand calls that come at once look it up once, and calls go on with what is known while
 * it is looked up again.
 */
import { LRUCache } from 'lru-cache'

export interface Known<V extends object> {
  /** What is known by the name, else what `lookUp` finds. What it does not find, or fails at, is not kept. */
  find(name: string, lookUp: () => Promise<V | undefined>): Promise<V | undefined>
  forget(name: string): void
  /** Something has changed: a look-up that began before neither is kept nor answers one who asks after it. */
  clear(): void
}

/** For so long anything is believed whose change nobody was told of, since the line that tells may break. */
const keptMs = 1_000
/** Older than this it is looked up again while calls go on, so that what is in use does not wait for the database. */
const freshMs = 500

interface Entry<V> {
  readonly value: V
  /** When its look-up began. */
  readonly since: number
}

export function createKnown<V extends object>({ max }: { readonly max: number }): Known<V> {
  const entries = new LRUCache<string, Entry<V>>({ max })
  const looking = new Map<string, Promise<V | undefined>>()

  function look(name: string, lookUp: () => Promise<V | undefined>): Promise<V | undefined> {
    const underWay = looking.get(name)
    if (underWay) return underWay
    const since = performance.now()
    const begun: Promise<V | undefined> = lookUp()
      .then((value) => {
        if (looking.get(name) !== begun) return value
        if (value) entries.set(name, { value, since })
        else entries.delete(name)
        return value
      })
      .finally(() => {
        if (looking.get(name) === begun) looking.delete(name)
      })
    looking.set(name, begun)
    return begun
  }

  return {
    find(name, lookUp) {
      const entry = entries.get(name)
      const age = entry ? performance.now() - entry.since : Infinity
      if (entry && age < freshMs) return Promise.resolve(entry.value)
      const looked = look(name, lookUp)
      if (!entry || age >= keptMs) return looked
      // Where it fails, what is known is looked up again by the next call, until it is too old.
      looked.catch(() => {})
      return Promise.resolve(entry.value)
    },
    forget: (name) => void entries.delete(name),
    clear() {
      entries.clear()
      looking.clear()
    },
  }
}
