/** What a clock has set going, as a test that holds the clock waits for it. */

interface Watched {
  readonly mock: { readonly results: readonly { readonly value: unknown }[] }
}

/** Resolves once every call has been answered, those among them that an answer led to. */
export async function allAnswered({ mock }: Watched): Promise<void> {
  for (let answered = -1; answered < mock.results.length;) {
    answered = mock.results.length
    await Promise.allSettled(mock.results.map(({ value }) => value))
    // Whoever asked goes on first.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
