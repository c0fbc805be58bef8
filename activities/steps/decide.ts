import type { Perform } from './step.types.ts'

/** Its branches are asked as those of every step; it does nothing beside. */
export const decide: Perform = () => ({ kind: 'done' })
