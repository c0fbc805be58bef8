import { AppError } from '#platform/errors.ts'

import type { Perform } from './step.types.ts'

export const callOperation: Perform = ({ config: { operation, input = {} }, call }) => {
  const name = String(operation)
  if (name.startsWith('await_'))
    throw new AppError('unprocessable', `${name.slice(0, 80)} waits, and a step does not: use ask or waitForEvent.`)
  return call(name, input, (answer) => ({ result: answer }))
}
