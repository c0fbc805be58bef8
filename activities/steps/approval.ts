import type { Perform } from './step.types.ts'
import { task } from './tasks.ts'

export const approval: Perform = (step) => task(step, ({ action, comment, by, at }) => ({ action, comment: comment ?? null, by, at }))
