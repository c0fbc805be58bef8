import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { hashToken } from '#platform/sessions.ts'

import { useCode } from '../factors/codes.ts'
import { sharerOf, take, takePublicCall, wrongToken } from './attempts.ts'
import { codeLimits } from './sign-in.rules.ts'
import { code, exampleTenants, exampleToken, signInStep, signInToken } from './sign-in.schema.ts'
import { countCode, deleteSignIn, findSignIn } from './sign-in.store.ts'
import { stepAfterFactor } from './steps.ts'

export const verifySecondFactor = defineStagedOperation({
  ...writes(signInStep),
  errors: ['unauthenticated'],
  name: 'verify_second_factor',
  title: 'Verify a second factor',
  description:
    'Takes the code of the second factor; then select_tenant with the new signInToken. A wrong code leaves the token, five end it. Each code counts once.',
  method: 'POST',
  path: '/api/v1/auth/verify',
  roles: 'Public',
  input: z.object({ signInToken, code }),
  examples: [
    {
      title: 'A code of the app',
      input: { signInToken: exampleToken, code: '492039' },
      output: { signInToken: exampleToken, next: 'selectTenant', expiresAt: '2026-11-21T10:11:00.000Z', tenants: exampleTenants },
    },
  ],
  async stagedHandler(context, input) {
    const { databases, secrets } = context.services
    const sharer = sharerOf(context)
    await takePublicCall(context)
    const hash = hashToken(input.signInToken)
    const signIn = await databases.lookUp((tx) => findSignIn(tx, hash, 'secondFactor'), sharer)
    if (!signIn) throw wrongToken()
    const { signInId, userId, channel, factorId, sessionUntil } = signIn
    const attempt = await take(context, codeLimits(userId))
    // Committed before the code is looked at, so that a refusal does not take the count back.
    if (!(await databases.lookUp((tx) => countCode(tx, signInId), sharer))) throw wrongToken()
    const step = await databases.lookUp(async (tx) => {
      const shown = await useCode(tx, secrets, { userId, code: input.code, channel, factorId })
      if (shown === undefined) return undefined
      if (!(await deleteSignIn(tx, signInId))) throw wrongToken()
      return stepAfterFactor(tx, { userId, factor: shown, sessionUntil })
    }, sharer)
    if (!step)
      throw new AppError(
        'unauthenticated',
        'The code is wrong, was used, or is too old. Send the next one; five wrong ones end the sign-in.',
      )
    await attempt.giveBack()
    return step
  },
})
