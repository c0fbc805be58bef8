/** What a process keeps for later calls: made when first asked for, one of each for a platform, and ended with it. */
import type { Services } from './services.ts'

/** The end of what a platform keeps. It is also what tells one platform from another: a test runs several in one process. */
export interface Keeping {
  readonly ends: (() => void)[]
  /** Ends what is kept, the last made first. */
  end(): void
}

export function createKeeping(): Keeping {
  const ends: (() => void)[] = []
  return {
    ends,
    end() {
      for (const end of ends.splice(0).toReversed()) end()
    },
  }
}

/** Declares a value that each platform keeps. Nothing is written here that another process must see, or that must outlive this one. */
export function kept<T extends object>(make: (services: Services) => T, end?: (value: T) => void): (services: Services) => T {
  const values = new WeakMap<Keeping, T>()
  return (services) => {
    const known = values.get(services.keeping)
    if (known) return known
    const made = make(services)
    values.set(services.keeping, made)
    if (end) services.keeping.ends.push(() => end(made))
    return made
  }
}
