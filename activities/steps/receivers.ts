/** Who is sent a message by a step. */
import { AppError } from '#platform/errors.ts'
import { isObject, type Said, usersOfAssignment } from '#tools/workflows/service.ts'

import { assignmentOf } from './assignees.ts'
import type { StepContext } from './step.types.ts'

const addresses = ['tenantUserId', 'phone', 'email', 'eiRecordId']

/** Each as send_message takes it: an address as it is said, else everybody whom the assignee means. Throws AppError `unprocessable` where that is nobody. */
export async function receiversOf(step: StepContext, said: unknown = step.config['to']): Promise<readonly Said[]> {
  if (isObject(said) && Object.keys(said).every((key) => addresses.includes(key))) return [said]
  const users = await usersOfAssignment(step.services, step.open.order.tenantId, await assignmentOf(step, said))
  if (users.length === 0) throw new AppError('unprocessable', 'Nobody is found to send this to.')
  return users.map((tenantUserId) => ({ tenantUserId }))
}
