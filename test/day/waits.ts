/** What the day's jobs wait for, told to whoever watches: Temporal may be built for minutes, or never come. */
import { setTimeout as delay } from 'node:timers/promises'

import { z } from 'zod'

const readiness = z.object({
  dependencies: z.object({ temporal: z.object({ state: z.string(), detail: z.string().default(''), remedy: z.string().default('') }) }),
})

export interface WaitOptions {
  readonly url: string
  /** Told a sentence when it is another one than before. */
  readonly tell: (sentence: string) => void
  readonly signal: AbortSignal
  readonly everyMs?: number
  /** How long a Temporal that is down may take to come back. */
  readonly downLimitMs?: number
}

/**
 * Tells what the jobs of the server wait for, as long as they do. Resolves once Temporal is up or the signal ends it; rejects with what to do where
 * Temporal cannot be had, or stays down past the limit: no job would ever end.
 */
export async function tellWaits({ url, tell, signal, everyMs = 5_000, downLimitMs = 60_000 }: WaitOptions): Promise<void> {
  let told = ''
  let downSince: number | undefined
  while (!signal.aborted) {
    const temporal = await stateOf(url)
    if (temporal?.state === 'up') return
    if (temporal) {
      const { state, detail, remedy } = temporal
      const sentence = `jobs wait for Temporal, which is ${state}${detail ? `: ${detail}` : ''}`
      downSince = state === 'down' ? (downSince ?? performance.now()) : undefined
      if (state === 'absent' || (downSince !== undefined && performance.now() - downSince > downLimitMs))
        throw new Error([`The ${sentence}`, remedy].filter((part) => part !== '').join(' '))
      if (sentence !== told) tell(sentence)
      told = sentence
    }
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/** Undefined where the server does not answer, which the day's own calls will tell. */
async function stateOf(url: string) {
  const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  const parsed = readiness.safeParse(await answer?.json().catch(() => undefined))
  return parsed.data?.dependencies.temporal
}
