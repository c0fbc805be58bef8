/**
 * How long work holds the event loop, for the promise that nothing holds it for more than 50 ms. It is counted in time of the processor, of this thread
 * alone, so that waiting is not counted; and it is the least of several tries, so that compiling and collecting garbage are not either. What a slow machine,
 * or one whose cores others use too, takes longer for a fixed piece of work is taken off. A fault that takes several times as long is found on any machine.
 */

/** The longest that anything may compute without a turn for others. */
export const turnLimitMs = 50

const now = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** What work takes that is done at once. */
export function spentMs(work: () => unknown): number {
  const began = now()
  work()
  return now() - began
}

/** The longest turn of work that waits in between. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  let ms = 0
  let before = now()
  const look = () => {
    const after = now()
    ms = Math.max(ms, after - before)
    before = after
  }
  const watch = setInterval(look, 2)
  try {
    const result = await work()
    look()
    return { result, ms }
  } finally {
    clearInterval(watch)
  }
}

/** The longest step of work that gives others their turn after each. */
export function longestStep<T>(work: Iterator<unknown, T>): { readonly result: T; readonly ms: number; readonly steps: number } {
  let ms = 0
  for (let steps = 1; ; steps++) {
    const began = now()
    const step = work.next()
    ms = Math.max(ms, now() - began)
    if (step.done) return { result: step.value, ms, steps }
  }
}

const tries = 8

/** Measures again, as long as that is not below the limit of a turn, and answers the least. */
export async function leastMs(measure: () => number | Promise<number>): Promise<number> {
  let least = Infinity
  for (let count = 0; count < tries && least >= turnLimitMs; count++) {
    const ms = await measure()
    least = Math.min(least, ms < turnLimitMs ? ms : ms / slowness())
  }
  return least
}

const rows = Array.from({ length: 3_000 }, (_, n) => ({ n, name: `row ${n}`, at: '2026-03-01T09:30:00Z' }))

function fixedPiece(): void {
  const names = new Map<string, number>()
  for (let round = 0; round < 10; round++)
    for (const { name } of JSON.parse(JSON.stringify(rows)) as typeof rows)
      names.set(name, (names.get(name) ?? 0) + name.replaceAll(/\d/g, 'x').length)
}

/** Of the fixed piece, on two quiet cores of an AMD EPYC. */
const quietMs = 22

/** How many times as long as on a quiet machine things take now; at least once. */
function slowness(): number {
  return Math.max(1, Math.min(spentMs(fixedPiece), spentMs(fixedPiece)) / quietMs)
}
