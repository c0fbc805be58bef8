import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { mailsTopic } from '#platform/person-mail.ts'
import { hashToken } from '#platform/sessions.ts'

import { sharerOf, takePublicCall } from '../sign-in/attempts.ts'
import { takeEmailLink } from './account.store.ts'
import { applyEmailLink } from './email-change.ts'
import { objectToReset } from './reset-factors.ts'

export const confirmEmailChange = defineStagedOperation({
  ...writes(z.object({ emails: z.array(z.string()).describe('That sign in now') })),
  errors: ['unauthenticated'],
  name: 'confirm_email_change',
  title: 'Confirm a change of e-mail',
  description:
    'Takes the token of a mailed link: that of request_email_change makes the address one that signs in, that of the word to the old ones puts these back and ends all sessions; that of a reset of second factors keeps them.',
  method: 'POST',
  path: '/api/v1/auth/confirm-email',
  roles: 'Public',
  input: z.object({ token: z.string().min(1).max(200).describe('Behind the # of the link') }),
  examples: [
    {
      title: 'The new address',
      input: { token: 'q3k7-7wAAbW9yZSByYW5kb20gYml0cyB0aGFuIHRoYXQ' },
      output: { emails: ['ana@new.example.com'] },
    },
  ],
  async stagedHandler(context, input) {
    const { services } = context
    await takePublicCall(context)
    const emails = await services.databases.lookUp(async (tx) => {
      const link = await takeEmailLink(tx, hashToken(input.token))
      if (link) return applyEmailLink(tx, services, link)
      const kept = await objectToReset(tx, services, hashToken(input.token))
      if (kept) return kept
      throw new AppError('unauthenticated', 'The link is over, was used, or a newer one was sent. Ask for another one.')
    }, sharerOf(context))
    services.wake.poke(credentialsTopic)
    services.wake.poke(mailsTopic)
    return { emails: [...emails] }
  },
})
