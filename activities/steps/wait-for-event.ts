import { AppError } from '#platform/errors.ts'
import { addDuration, printInstant, readDuration } from '#platform/tokens/zoned.ts'
import { awaitedName, isObject, textIn } from '#tools/workflows/service.ts'

import type { Perform, StepContext } from './step.types.ts'

/** What is waited for: a signal by its name, or what a trigger would fire on, about the run's record unless told. */
function awaitedBy({ config, open }: StepContext) {
  const { trigger } = config
  if (!isObject(trigger)) return { awaits: textIn(config['event']) ?? null }
  const { eiRecordId } = isObject(trigger['config']) ? trigger['config'] : {}
  const named = eiRecordId === undefined ? open.run.eiRecordId : Number(eiRecordId)
  if (named !== null && !Number.isSafeInteger(named))
    throw new AppError('unprocessable', 'The eiRecordId that the step waits for is none. Name a record, or leave it out.')
  return { awaitsTrigger: awaitedName(open.version, open.found.name), awaitsRecord: named }
}

/** A signal that came before is taken at once; of what a trigger would fire on only what happens from now on counts. */
export const waitForEvent: Perform = async (step) => {
  const { config, open, scope } = step
  const { answer, wakeAt, begunAt } = open.row
  if (answer) return { kind: 'done', result: { payload: answer.payload ?? null }, by: answer.by }
  const awaited = awaitedBy(step)
  if (wakeAt !== null && Date.parse(wakeAt) <= Date.now())
    return { kind: 'done', result: { payload: null }, goTo: textIn(config['onTimeout']) }
  if (config['timeout'] === undefined) return { kind: 'waiting', wait: awaited }
  const duration = readDuration(config['timeout'])
  const time = duration && addDuration({ kind: 'instant', ms: Date.parse(begunAt) }, duration, (await scope()).timeZone)
  if (!time) throw new AppError('unprocessable', 'The timeout is no duration, such as P7D.')
  return { kind: 'waiting', untilMs: time.ms, wait: { ...awaited, wakeAt: printInstant(time.ms) } }
}
