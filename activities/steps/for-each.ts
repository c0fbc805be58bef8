import { iterationsOf, onlyOnce, readItems } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

export const forEach: Perform = async ({ phase, joined, services, open, who, config, signal }) => {
  const { eiRecordId } = open.run
  if (phase !== 'join')
    return { kind: 'items', items: await onlyOnce(services, open, await readItems({ services, who, eiRecordId, signal }, config)) }
  const failed = joined?.failed ?? 0
  const { items, errors } = await iterationsOf(services, open, joined?.begun ?? 0)
  const result = { items, failed, errors }
  return joined?.isFailed ? { kind: 'failed', code: 'unprocessable', message: 'An iteration failed.', result } : { kind: 'done', result }
}
