import { z } from 'zod'

import { takeAttempt } from '#platform/attempts.ts'
import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { mailsTopic, refuseWithoutMail } from '#platform/person-mail.ts'

import { lockInvited } from './invited-user.ts'
import { invite } from './links/person-links.ts'
import { sendLimits } from './users.rules.ts'
import { tenantUserId } from './users.schema.ts'
import { toUser } from './users.store.ts'

const invitation = z.object({
  tenantUserId,
  sentTo: z.string().nullable().describe('Null: it was not mailed'),
  expiresAt: z.iso.datetime(),
  link: z.string().optional().describe('Of asLink, this once'),
})

export const inviteUser = defineStagedOperation({
  ...writes(invitation),
  errors: ['not_found'],
  issuesSecret: { idField: 'tenantUserId' },
  name: 'invite_user',
  title: 'Invite a user to sign in',
  description:
    'Mails a link, to the first e-mail of the user, by which the person takes the membership and chooses a log-in. Again: the older link is void. asLink answers the link instead, to hand over; it proves no e-mail.',
  method: 'POST',
  path: '/api/v1/tenants/users/{tenantUserId}/invite',
  roles: 'AdminUser',
  input: z.object({ tenantUserId, asLink: z.boolean().optional().describe('Answer the link, mail nothing') }),
  examples: [
    {
      title: 'By mail',
      input: { tenantUserId: 12 },
      output: { tenantUserId: 12, sentTo: 'ana@example.com', expiresAt: '2026-11-28T10:00:00.000Z' },
    },
  ],
  async stagedHandler(context, input) {
    const { services, tenantId, actor } = context
    const user = await context.inTransaction((inner) => lockInvited(inner, input.tenantUserId))
    const email = input.asLink === true ? null : toUser(user).email
    if (input.asLink !== true) {
      refuseWithoutMail(services.config)
      if (email === null)
        throw new AppError(
          'conflict',
          'The user has no e-mail. Add one with add_user_contact, or ask for the link with asLink and hand it over.',
        )
      await takeAttempt(services, sendLimits(email), String(tenantId))
    }
    const { url, expiresAt } = await services.databases.lookUp(
      (tx) =>
        invite(tx, services, {
          userId: user.userId,
          tenantId,
          tenantUserId: user.tenantUserId,
          recipient: user.displayName,
          languageCode: user.languageCode,
          roleFlag: actor.roleFlag,
          email,
        }),
      String(tenantId),
    )
    services.wake.poke(mailsTopic)
    context.audit({ asLink: input.asLink === true })
    return { tenantUserId: user.tenantUserId, sentTo: email, expiresAt, ...(input.asLink === true ? { link: url } : {}) }
  },
})
