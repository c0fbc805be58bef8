import type { Perform } from './step.types.ts'
import { authorOf, task } from './tasks.ts'

export const approval: Perform = (step) =>
  task(step, ({ action, comment, at, ...answer }) => ({ action, comment: comment ?? null, by: authorOf(answer), at }))
