/** Calls that wait, as a test sees them: it goes on once they do, and needs no pause to be sure of it. */
import { vi } from 'vitest'

import { patience } from './patience.ts'
import type { World } from './world.ts'

export interface Waiters {
  /** How often a waiter of the topic has looked, found nothing and begun to wait. */
  waits(topic: string): number
  /** Resolves once the waiters of the topic have begun to wait this often. */
  reached(topic: string, waits?: number): Promise<void>
  end(): void
}

/** Counts from now on, until the end. */
export function watchWaiters({ platform }: World): Waiters {
  const { wake } = platform.services
  const listen = wake.listen.bind(wake)
  const counts = new Map<string, number>()
  const spy = vi.spyOn(wake, 'listen').mockImplementation((topic) => {
    const line = listen(topic)
    return {
      ...line,
      next(...limits) {
        counts.set(topic, (counts.get(topic) ?? 0) + 1)
        return line.next(...limits)
      },
    }
  })
  const waits = (topic: string) => counts.get(topic) ?? 0
  return {
    waits,
    reached: (topic, least = 1) => vi.waitUntil(() => waits(topic) >= least, { ...patience, interval: 2 }).then(() => {}),
    end: () => spy.mockRestore(),
  }
}
