import { callOf } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

/** A step that is one call of an operation. */
export const called: Perform = ({ config, open, call }) => {
  const one = callOf(open.found.stepType, config)
  if (!one) throw new Error(`A step of the type ${open.found.stepType} calls nothing`)
  return call(one.operation, one.input, (answer) => one.doneOf(answer), one.shownIn)
}
