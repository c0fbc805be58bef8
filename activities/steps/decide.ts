import { branchOf } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

/** Branches are asked once: what is kept as its result is where the run goes. */
export const decide: Perform = async ({ open: { found }, scope }) => {
  const goTo = (await branchOf(await scope(), found)) ?? found.next
  return { kind: 'done', result: { goTo }, goTo }
}
