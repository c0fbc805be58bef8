/** Changes in masses that start no run: they are told as all others. */
import type { TxContext } from '#platform/operation.ts'

export function startingNothing(context: TxContext, fireTriggers: boolean | undefined): TxContext {
  return fireTriggers === false ? { ...context, origin: { ...context.origin, startsNothing: true } } : context
}
