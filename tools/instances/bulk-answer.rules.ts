/** The answer of a bulk: a write is never refused for its size, so that only what says why rows failed can be left out. */

interface RowResult {
  readonly index: number
  readonly errors?: readonly unknown[]
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) + 1

/**
 * Every row with its index and outcome, and the errors of the first ones that fit. `errorsLeftOut` counts the failed rows behind them, whose errors are
 * told when these are sent again by themselves.
 */
export function withinAnswer<R extends RowResult>(bytes: number, results: readonly R[]): { results: R[]; errorsLeftOut?: number } {
  let left = bytes
  for (const { errors: _errors, ...row } of results) left -= bytesOf(row)
  let leftOut = 0
  const fitting = results.map((result): R => {
    if (result.errors === undefined) return result
    if (leftOut === 0) left -= bytesOf({ errors: result.errors })
    if (leftOut === 0 && left >= 0) return result
    leftOut++
    const { errors: _errors, ...row } = result
    // The errors of a result are optional, so that it is one without them too.
    return row as R
  })
  return { results: fitting, ...(leftOut === 0 ? {} : { errorsLeftOut: leftOut }) }
}
