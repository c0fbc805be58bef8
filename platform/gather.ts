/** Questions of one kind answered together: those that come while a batch is under way make up the next one. */

const batchSize = 500

interface Asked<I, O> {
  readonly input: I
  resolve(output: O): void
  reject(error: unknown): void
}

export interface Gathered<I, O> {
  ask(input: I): Promise<O>
  /** Nothing is under way and nothing waits. */
  isIdle(): boolean
}

/** `run` answers its inputs in their order, one output each; where it throws, each of them fails. */
export function gather<I, O>(run: (inputs: readonly I[]) => Promise<readonly O[]>): Gathered<I, O> {
  let queue: Asked<I, O>[] = []
  let running = 0

  async function pump(): Promise<void> {
    running++
    // Those who ask in the same breath are answered together.
    await Promise.resolve()
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize)
      queue = queue.slice(batchSize)
      try {
        const outputs = await run(batch.map((one) => one.input))
        batch.forEach((one, index) => {
          const output = outputs[index]
          if (output === undefined) one.reject(new Error('A batch answered fewer than it was asked'))
          else one.resolve(output)
        })
      } catch (error) {
        for (const one of batch) one.reject(error)
      }
    }
    running--
  }

  return {
    ask: (input) =>
      new Promise((resolve, reject) => {
        queue.push({ input, resolve, reject })
        if (running === 0) void pump()
      }),
    isIdle: () => running === 0,
  }
}
