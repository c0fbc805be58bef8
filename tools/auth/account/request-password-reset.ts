import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { mailsTopic, queueMail, refuseWithoutMail } from '#platform/person-mail.ts'

import { sharerOf, takePublicCall } from '../sign-in/attempts.ts'
import { who } from '../sign-in/sign-in.schema.ts'

export const requestPasswordReset = defineStagedOperation({
  ...writes(z.object({ isAccepted: z.literal(true) })),
  errors: [],
  name: 'request_password_reset',
  title: 'Ask for a new password',
  description:
    'Mails a link for a new password to the proved e-mails of the person, if there is one. The answer is the same where there is none.',
  method: 'POST',
  path: '/api/v1/auth/forgot-password',
  roles: 'Public',
  input: z.object({ userName: who.optional().describe('The log-in name, or an e-mail'), email: who.optional().describe('In its place') }),
  examples: [{ title: 'Forgotten', input: { email: 'ana@example.com' }, output: { isAccepted: true } }],
  async stagedHandler(context, input) {
    const { services } = context
    const given = input.userName ?? input.email
    if (given === undefined || (input.userName !== undefined && input.email !== undefined)) {
      const message = 'Give either userName or email.'
      throw new AppError('invalid_input', message, { issues: [finding('$.userName', message)] })
    }
    await takePublicCall(context)
    refuseWithoutMail(services.config)
    // Who that is, if anybody, is found out later: here it could be told by the time that it takes.
    await services.databases.lookUp((tx) => queueMail(tx, services, { kind: 'reset', of: { logIn: given } }), sharerOf(context))
    services.wake.poke(mailsTopic)
    return { isAccepted: true as const }
  },
})
