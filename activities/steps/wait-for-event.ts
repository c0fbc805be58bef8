import { AppError } from '#platform/errors.ts'
import { addDuration, printInstant, readDuration } from '#platform/tokens/zoned.ts'
import { textIn } from '#tools/workflows/service.ts'

import type { Perform } from './step.types.ts'

/** Waits for a signal; one that came before is taken at once. */
export const waitForEvent: Perform = async ({ config, open, scope }) => {
  const { answer, wakeAt, begunAt } = open.row
  if (answer) return { kind: 'done', result: { payload: answer.payload ?? null }, by: answer.by }
  const awaits = textIn(config['event'])
  if (awaits === undefined)
    throw new AppError('unprocessable', 'This installation has nothing that waits for triggers yet. Wait for an event.')
  if (wakeAt !== null && Date.parse(wakeAt) <= Date.now())
    return { kind: 'done', result: { payload: null }, goTo: textIn(config['onTimeout']) }
  if (config['timeout'] === undefined) return { kind: 'waiting', wait: { awaits } }
  const duration = readDuration(config['timeout'])
  const time = duration && addDuration({ kind: 'instant', ms: Date.parse(begunAt) }, duration, (await scope()).timeZone)
  if (!time) throw new AppError('unprocessable', 'The timeout is no duration, such as P7D.')
  return { kind: 'waiting', untilMs: time.ms, wait: { awaits, wakeAt: printInstant(time.ms) } }
}
