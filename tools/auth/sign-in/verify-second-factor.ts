import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, type StagedContext, writes } from '#platform/operation.ts'
import { mailsTopic } from '#platform/person-mail.ts'
import { hashToken } from '#platform/sessions.ts'

import { findAccount } from '../account/account.store.ts'
import { useCode } from '../factors/codes.ts'
import { exampleShownCredential, type ShownCredential, shownCredential } from '../factors/passkeys.schema.ts'
import { findShownPasskey, usePasskey } from '../factors/showing-passkeys.ts'
import { sharerOf, take, takePublicCall, wrongToken } from './attempts.ts'
import { codeLimits } from './sign-in.rules.ts'
import { code, exampleTenants, exampleToken, type SignInStep, signInStep, signInToken } from './sign-in.schema.ts'
import { countCode, deleteSignIn, findSignIn, type SignInRow } from './sign-in.store.ts'
import { stepAfterFactor } from './steps.ts'

export const verifySecondFactor = defineStagedOperation({
  ...writes(signInStep),
  errors: ['unauthenticated'],
  name: 'verify_second_factor',
  title: 'Verify a second factor',
  description:
    'Takes the code of the second factor, or a passkey; then select_tenant with the new signInToken. A wrong one leaves the token, five end it. Each counts once.',
  method: 'POST',
  path: '/api/v1/auth/verify',
  roles: 'Public',
  input: z.object({ signInToken, code: code.optional(), credential: shownCredential.optional() }),
  examples: [
    {
      title: 'A code of the app',
      input: { signInToken: exampleToken, code: '492039' },
      output: { signInToken: exampleToken, next: 'selectTenant', expiresAt: '2026-11-21T10:11:00.000Z', tenants: exampleTenants },
    },
    {
      title: 'A passkey',
      input: { signInToken: exampleToken, credential: exampleShownCredential },
      output: { signInToken: exampleToken, next: 'selectTenant', expiresAt: '2026-11-21T10:11:00.000Z', tenants: exampleTenants },
    },
  ],
  async stagedHandler(context, input) {
    if ((input.code === undefined) === (input.credential === undefined)) {
      const message = 'Give either code or credential.'
      throw new AppError('invalid_input', message, { issues: [finding('$.code', message)] })
    }
    const { databases } = context.services
    const sharer = sharerOf(context)
    await takePublicCall(context)
    const signIn = await databases.lookUp((tx) => findSignIn(tx, hashToken(input.signInToken), 'secondFactor'), sharer)
    if (!signIn) throw wrongToken()
    const { userId, signInId } = signIn
    // Of a passkey alone nobody is named yet, of whom it could be counted: what bounds it is that the calls are, and that nobody guesses a signature.
    const attempt = userId === null ? undefined : await take(context, codeLimits(userId))
    // Committed before it is looked at, so that a refusal does not take the count back.
    if (!(await databases.lookUp((tx) => countCode(tx, signInId), sharer))) throw wrongToken()
    const step = input.credential
      ? await afterPasskey(context, signIn, input.credential)
      : await afterCode(context, signIn, input.code ?? '')
    await attempt?.giveBack()
    return step
  },
})

/** Throws AppError `unauthenticated` where the code is none of the person's now. */
async function afterCode(context: StagedContext, signIn: SignInRow, given: string): Promise<SignInStep> {
  const { databases, secrets } = context.services
  const { signInId, userId, channel, factorId, sessionUntil, provider } = signIn
  const step = await databases.lookUp(async (tx) => {
    const shown =
      userId === null ? undefined : await useCode(tx, secrets, { userId, code: given, channel, factorId, boundTo: `signIn:${signInId}` })
    if (userId === null || shown === undefined) return undefined
    if (!(await deleteSignIn(tx, signInId))) throw wrongToken()
    return stepAfterFactor(tx, { userId, factor: shown, sessionUntil, provider })
  }, sharerOf(context))
  if (step) return step
  throw new AppError('unauthenticated', 'The code is wrong, was used, or is too old. Send the next one; five wrong ones end the sign-in.')
}

/** Throws likewise. Whoever is locked, or has nowhere to go, learns no more than whoever shows a passkey that nobody has. */
async function afterPasskey(context: StagedContext, signIn: SignInRow, credential: ShownCredential): Promise<SignInStep> {
  const { services } = context
  const sharer = sharerOf(context)
  const { signInId, userId, sessionUntil, provider } = signIn
  const wrong = () =>
    new AppError(
      'unauthenticated',
      'The passkey is none of this person, or the options were used or are over. Ask for new ones with select_second_factor.',
    )
  const shown = await findShownPasskey(services, { boundTo: `signIn:${signInId}`, credential, userId }, sharer)
  if (!shown) throw wrong()
  const step = await services.databases.lookUp(async (tx) => {
    // Whoever has no password came in by their tenant's provider: what they enrolled on its word goes with it, and is no sign-in of their own.
    if (userId === null && ((await findAccount(tx, shown.userId))?.passwordHash ?? null) === null) throw wrong()
    if (!(await usePasskey(tx, services, shown))) throw wrong()
    if (!(await deleteSignIn(tx, signInId))) throw wrongToken()
    return stepAfterFactor(tx, { userId: shown.userId, factor: 'passkey', sessionUntil, provider })
  }, sharer)
  services.wake.poke(mailsTopic)
  return step
}
