import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { hashToken } from '#platform/sessions.ts'

import { factorChannel, factorId } from '../factors/factors.schema.ts'
import { sharerOf, takePublicCall, wrongToken } from './attempts.ts'
import { exampleToken, signInStep, signInToken } from './sign-in.schema.ts'
import { chooseChannel, findSignIn } from './sign-in.store.ts'
import { channelsOf } from './steps.ts'

export const selectSecondFactor = defineStagedOperation({
  ...writes(signInStep),
  errors: ['unauthenticated'],
  isIdempotent: true,
  name: 'select_second_factor',
  title: 'Choose a second factor',
  description: 'Chooses one of the channels that login answered. Then verify_second_factor with the code, and the same signInToken.',
  method: 'POST',
  path: '/api/v1/auth/second-factor',
  roles: 'Public',
  input: z.object({ signInToken, channel: factorChannel, factorId: factorId.optional().describe('Of several of one channel') }),
  examples: [
    {
      title: 'The authenticator app',
      input: { signInToken: exampleToken, channel: 'totp' },
      output: {
        signInToken: exampleToken,
        next: 'secondFactor',
        expiresAt: '2026-11-21T10:10:00.000Z',
        channels: [{ channel: 'totp', factorId: 4, hint: 'Authenticator app' }],
      },
    },
  ],
  async stagedHandler(context, input) {
    await takePublicCall(context)
    return context.services.databases.lookUp(async (tx) => {
      const signIn = await findSignIn(tx, hashToken(input.signInToken), 'secondFactor')
      if (!signIn) throw wrongToken()
      const channels = (await channelsOf(tx, signIn.userId)).filter(
        (one) => one.channel === input.channel && (input.factorId === undefined || one.factorId === input.factorId),
      )
      if (channels.length === 0) {
        const message = 'There is no such factor. Take a channel that login answered.'
        throw new AppError('invalid_input', message, { issues: [finding('$.channel', message)] })
      }
      await chooseChannel(tx, signIn.signInId, input.channel, input.factorId ?? null)
      return { signInToken: input.signInToken, next: 'secondFactor' as const, expiresAt: signIn.expiresAt, channels }
    }, sharerOf(context))
  },
})
