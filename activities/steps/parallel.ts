import { resultsOfLanes } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

/** Its lanes are carried out by the run; afterwards each is told by the result of its last step. */
export const parallel: Perform = async ({ phase, joined, open, scope }) => {
  if (phase !== 'join') return { kind: 'lanes' }
  const result = resultsOfLanes(open.found.config['lanes'], await (await scope()).resolve('[[$steps]]'))
  return joined?.isFailed ? { kind: 'failed', code: 'unprocessable', message: 'A lane failed.', result } : { kind: 'done', result }
}
