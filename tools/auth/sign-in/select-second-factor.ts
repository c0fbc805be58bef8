import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { hashToken } from '#platform/sessions.ts'

import { factorChannel, factorId } from '../factors/factors.schema.ts'
import { listFactors } from '../factors/factors.store.ts'
import { listPasskeys } from '../factors/passkeys.store.ts'
import { isSent, sendCode } from '../factors/sent-codes.ts'
import { askForPasskey } from '../factors/showing-passkeys.ts'
import { sharerOf, takePublicCall, wrongToken } from './attempts.ts'
import { exampleToken, signInStep, signInToken } from './sign-in.schema.ts'
import { chooseChannel, findSignIn } from './sign-in.store.ts'
import { channelsOf } from './steps.ts'

export const selectSecondFactor = defineStagedOperation({
  ...writes(signInStep),
  errors: ['unauthenticated'],
  name: 'select_second_factor',
  title: 'Choose a second factor',
  description:
    'Chooses one of the channels that login answered; email and sms send a code. Then verify_second_factor with the code, or for a passkey with what the browser made of the options, and the same signInToken.',
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
    const { services } = context
    const { signInToken, channel } = input
    const { signIn, channels, toSend, passkeys } = await services.databases.lookUp(async (tx) => {
      const found = await findSignIn(tx, hashToken(signInToken), 'secondFactor')
      if (!found) throw wrongToken()
      const { userId } = found
      const isWanted = (one: { readonly factorId?: number | undefined }) => input.factorId === undefined || one.factorId === input.factorId
      const fitting = userId === null ? [] : (await channelsOf(tx, userId)).filter((one) => one.channel === channel && isWanted(one))
      // Whoever began with a passkey alone has named nobody whose factors there are.
      if (userId === null ? channel !== 'passkey' || input.factorId !== undefined : fitting.length === 0) {
        const message = 'There is no such factor. Take a channel that login answered.'
        throw new AppError('invalid_input', message, { issues: [finding('$.channel', message)] })
      }
      // A code is sent to one address.
      const chosen = isSent(channel) ? fitting[0]?.factorId : input.factorId
      await chooseChannel(tx, found.signInId, channel, chosen ?? null)
      return {
        signIn: found,
        channels: isSent(channel) ? fitting.slice(0, 1) : fitting,
        toSend: userId === null || !isSent(channel) ? undefined : (await listFactors(tx, userId)).find((one) => one.factorId === chosen),
        passkeys: userId === null || channel !== 'passkey' ? [] : (await listPasskeys(tx, userId)).filter(isWanted),
      }
    }, sharerOf(context))
    const step = {
      signInToken,
      next: 'secondFactor' as const,
      expiresAt: signIn.expiresAt,
      ...(signIn.userId === null ? {} : { channels }),
    }
    if (toSend) await sendCode(services, toSend, `signIn:${signIn.signInId}`, sharerOf(context))
    if (channel !== 'passkey') return step
    return { ...step, options: await askForPasskey(services, `signIn:${signIn.signInId}`, passkeys, sharerOf(context)) }
  },
})
