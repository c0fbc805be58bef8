import { printInstant } from '#platform/tokens/zoned.ts'
import { endOfWait } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

export const wait: Perform = async ({ config, open, scope }) => {
  const { wakeAt, begunAt } = open.row
  const untilMs = wakeAt === null ? endOfWait(config, Date.parse(begunAt), (await scope()).timeZone) : Date.parse(wakeAt)
  const at = printInstant(untilMs)
  if (untilMs <= Date.now()) return { kind: 'done', result: { at } }
  return { kind: 'waiting', untilMs, wait: { wakeAt: at } }
}
