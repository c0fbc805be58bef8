import { runAs } from '#platform/acting.ts'

import { receiversOf } from './receivers.ts'
import type { Perform } from './step.types.ts'

interface Sent {
  readonly messageId: number
}

/** A message to each person that is meant; the last is recorded with the step. */
export const notify: Perform = async (step) => {
  const { config, services, who, open, signal, call } = step
  const { to, ...message } = config
  const about = open.run.eiRecordId === null ? {} : { eiRecordId: open.run.eiRecordId }
  const all = await receiversOf(step, to)
  const last = all.at(-1)
  for (const [index, one] of all.slice(0, -1).entries())
    await runAs(services, who, 'send_message', { ...message, ...about, to: one }, { key: `${open.row.effectNo}:to:${index}`, signal })
  // send_message answers the ids of what it sent.
  return call('send_message', { ...message, ...about, to: last }, (answer) => ({ result: { messageId: (answer as Sent).messageId } }))
}
