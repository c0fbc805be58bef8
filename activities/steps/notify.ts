import { AppError } from '#platform/errors.ts'
import { isObject, usersOfAssignment } from '#tools/workflows/service.ts'
import { runAs } from '#platform/acting.ts'

import { assignmentOf } from './assignees.ts'
import type { Perform } from './step.types.ts'

interface Sent {
  readonly messageId: number
}

const known = ['tenantUserId', 'phone', 'email', 'eiRecordId']

/** A message to each person that is meant; the last is recorded with the step. */
export const notify: Perform = async (step) => {
  const { config, services, who, open, signal, call } = step
  const { to, template, ...message } = config
  if (template !== undefined) throw new AppError('unprocessable', 'There are no templates for messages here. Give the text.')
  const about = open.run.eiRecordId === null ? {} : { eiRecordId: open.run.eiRecordId }
  const isAddress = isObject(to) && Object.keys(to).every((key) => known.includes(key))
  const all = isAddress
    ? [to]
    : (await usersOfAssignment(services, open.order.tenantId, await assignmentOf(step, to))).map((tenantUserId) => ({ tenantUserId }))
  const last = all.at(-1)
  if (last === undefined) throw new AppError('unprocessable', 'Nobody is found to send this to.')
  for (const [index, one] of all.slice(0, -1).entries())
    await runAs(services, who, 'send_message', { ...message, ...about, to: one }, { key: `${open.row.effectNo}:to:${index}`, signal })
  // send_message answers the ids of what it sent.
  return call('send_message', { ...message, ...about, to: last }, (answer) => ({ result: { messageId: (answer as Sent).messageId } }))
}
