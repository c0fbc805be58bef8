import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { mailsTopic, refuseWithoutMail } from '#platform/person-mail.ts'

import { askForFactorReset } from './links/factor-reset.ts'

export const resetUserFactors = defineStagedOperation({
  ...writes(z.object({ userId: z.int().min(1), dueAt: z.iso.datetime() })),
  errors: ['not_found'],
  name: 'reset_user_factors',
  title: 'Take the second factors from a person who lost them',
  description:
    'Removes all second factors of a person after 24 hours and ends the sessions, unless the person, who is mailed at once, objects by the link. Take userId from get_user.',
  method: 'POST',
  path: '/api/v1/users/{userId}/reset-factors',
  roles: 'GlobalAdmin',
  input: z.object({ userId: z.int().min(1).max(2_147_483_647).describe('From get_user') }),
  examples: [
    { title: 'Phone and recovery codes are gone', input: { userId: 12 }, output: { userId: 12, dueAt: '2026-11-22T10:00:00.000Z' } },
  ],
  async stagedHandler({ services, tenantId }, { userId }) {
    // The person objects by a mailed link alone.
    refuseWithoutMail(services.config)
    const outcome = await services.databases.lookUp((tx) => askForFactorReset(tx, services, userId), String(tenantId))
    switch (outcome.kind) {
      case 'nobody':
        throw new AppError('not_found', 'No such person.')
      case 'noFactor':
        throw new AppError('conflict', 'The person has no second factor. reset_user_password sends a link for a new password.')
      case 'waiting':
        throw new AppError('conflict', `A reset is under way already, and is due at ${outcome.dueAt}.`)
      case 'asked':
        services.wake.poke(mailsTopic)
        return { userId, dueAt: outcome.dueAt }
    }
  },
})
