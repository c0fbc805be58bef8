/** Waiting for what must come. A test that passes never waits so long, so the bound is wide: a busy machine is no fault. */

/** For `vi.waitFor`, `vi.waitUntil` and their like; `expect.poll` has it from vitest.config.ts. */
export const patience = { timeout: 60_000, interval: 50 } as const

/** For what starts a process, and looks whether it is there. */
export const startPatience = { timeout: 240_000, interval: 200 } as const

/** What the clock shows from here on is later than all that it has shown, also where that is cut to milliseconds. */
export async function nextMillisecond(): Promise<void> {
  const before = Date.now()
  await eventually(() => Date.now() > before, 'the next millisecond')
}

/** Waits until the condition holds. Throws with `what` was waited for. */
export async function eventually(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + patience.timeout
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not within ${patience.timeout / 1000} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
