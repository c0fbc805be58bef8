import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { shownUser } from './changed-user.ts'
import { findTimeZone } from './users.rules.ts'
import { exampleUser, tenantUserId, timezone, user } from './users.schema.ts'
import { lockUserRow, updateTimeZone } from './users.store.ts'

export const setUserTimezone = defineOperation({
  ...writes(user),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_user_timezone',
  title: "Set a user's time zone",
  description: 'The IANA time zone that local times, quiet hours and due dates of the user are told in.',
  method: 'PUT',
  path: '/api/v1/tenants/users/{tenantUserId}/timezone',
  roles: 'AdminUser',
  input: z.object({ tenantUserId, timezone }),
  examples: [{ title: 'Madrid', input: { tenantUserId: 12, timezone: 'Europe/Madrid' }, output: exampleUser }],
  async handler(context, input) {
    const found = findTimeZone(input.timezone)
    if (!found.isOk) throw new AppError('invalid_input', found.issue.message, { issues: [found.issue] })
    const { tenantUserId } = mustExist(await lockUserRow(context.tx, context.tenantId, input.tenantUserId), 'user')
    await updateTimeZone(context.tx, context.tenantId, tenantUserId, found.value)
    return shownUser(context, tenantUserId)
  },
})
