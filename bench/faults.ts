/** `npm run bench -- faults`: runs with people, a pack and events in great number on a whole product, whose processes are killed at random meanwhile. */
import { openStack } from '../test/day/stack.ts'
import { playStorm, stormSettings } from '../test/faults/storm.ts'

/** Throws where anything is lost, or done twice. BENCH_RUNS (1,000), BENCH_KILLS (20) and BENCH_SEED (1) set what is played. */
export async function measureFaults(say: (text: string) => void): Promise<void> {
  const size = (name: string, unlessTold: number) => Number(process.env[name] ?? unlessTold)
  const cases = size('BENCH_RUNS', 1_000)
  say('Starting a whole product with Temporal')
  const stack = await openStack(stormSettings)
  try {
    await stack.ready()
    const sizes = { cases, webhooks: cases, kills: size('BENCH_KILLS', 20), seed: size('BENCH_SEED', 1) }
    say(JSON.stringify(await playStorm(stack, sizes, say), null, 2))
  } finally {
    await stack.stop()
  }
}
