/**
 * Long work in slices. Whoever works through an input of many parts gives way every few milliseconds, and of all who do so one goes on in each turn of
 * the event loop, so that twenty bulks at once hold up a short call no longer than one.
 */

/** What a caller waits at most for each of those before it. */
const sliceMs = 8
// Of work that begins: most of it ends within this, and many may begin in the same turn.
const firstSliceMs = 2

const waiting: (() => void)[] = []

function goOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}

/** Resolves in a turn of the event loop that no other slice has. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(goOn)
  })
}

/** Runs work that yields wherever it may pause, and answers what it returns. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  let until = performance.now() + firstSliceMs
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() < until) continue
    await nextTurn()
    until = performance.now() + sliceMs
  }
}

/** Calls `visit` for each item in order, giving way between them. */
export function eachInTurns<T>(items: readonly T[], visit: (item: T, index: number) => void): Promise<void> {
  return inTurns(eachOf(items, visit))
}

function* eachOf<T>(items: readonly T[], visit: (item: T, index: number) => void): Generator<void, void> {
  for (const [index, item] of items.entries()) {
    visit(item, index)
    yield
  }
}

/** The results of `make` for each item in order, giving way between them. */
export async function mapInTurns<T, R>(items: readonly T[], make: (item: T, index: number) => R): Promise<R[]> {
  const results: R[] = []
  await eachInTurns(items, (item, index) => void results.push(make(item, index)))
  return results
}
