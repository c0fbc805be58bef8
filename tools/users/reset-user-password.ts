import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { mailsTopic, queueMail, refuseWithoutMail } from '#platform/person-mail.ts'

import { lockLesserPerson } from './changed-user.ts'
import { tenantUserId } from './users.schema.ts'

export const resetUserPassword = defineStagedOperation({
  ...writes(z.object({ tenantUserId })),
  errors: ['not_found'],
  name: 'reset_user_password',
  title: 'Send a user a link for a new password',
  description:
    'Mails a link for a new password to the e-mails that the person proved, whatever the tenant wrote down. For who has taken the invitation; invite_user is for the others.',
  method: 'POST',
  path: '/api/v1/tenants/users/{tenantUserId}/reset-password',
  roles: 'AdminUser',
  input: z.object({ tenantUserId }),
  examples: [{ title: 'Ana forgot hers', input: { tenantUserId: 12 }, output: { tenantUserId: 12 } }],
  async stagedHandler(context, input) {
    const { services, tenantId } = context
    const user = await context.inTransaction((inner) => lockLesserPerson(inner, input.tenantUserId))
    if (user.acceptedDate === null) throw new AppError('conflict', 'Nobody has taken this membership yet. invite_user sends an invitation.')
    refuseWithoutMail(services.config)
    await services.databases.lookUp((tx) => queueMail(tx, services, { kind: 'reset', of: { userId: user.userId } }), String(tenantId))
    services.wake.poke(mailsTopic)
    return { tenantUserId: user.tenantUserId }
  },
})
