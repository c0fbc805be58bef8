import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { type CallContext, defineStagedOperation, writes } from '#platform/operation.ts'
import { hashToken } from '#platform/sessions.ts'

import { exampleRequest } from '../factors/passkeys.schema.ts'
import { askForPasskey } from '../factors/showing-passkeys.ts'
import { sharerOf, takePublicCall } from './attempts.ts'
import { checkPassword } from './checked-password.ts'
import { exampleTenants, exampleToken, password, type SignInStep, signInStep, who } from './sign-in.schema.ts'
import { insertPasskeySignIn } from './sign-in.store.ts'
import { newSignInToken, stepAfterPassword } from './steps.ts'

export const login = defineStagedOperation({
  ...writes(signInStep),
  errors: ['unauthenticated'],
  name: 'login',
  title: 'Sign in',
  description:
    'The first step of a person’s sign-in, by log-in name or proved e-mail, or by a passkey alone. Then select_second_factor and verify_second_factor where next says so, and select_tenant. A wrong name and a wrong password answer alike.',
  method: 'POST',
  path: '/api/v1/auth/login',
  roles: 'Public',
  input: z.object({
    userName: who.optional().describe('The log-in name, or an e-mail'),
    email: who.optional().describe('In its place'),
    password: password.optional(),
    passkey: z.literal(true).optional().describe('Alone: a passkey in place of name and password'),
  }),
  examples: [
    {
      title: 'Without a second factor',
      input: { userName: 'admin', password: 'correct horse battery' },
      output: { signInToken: exampleToken, next: 'selectTenant', expiresAt: '2026-11-21T10:10:00.000Z', tenants: exampleTenants },
    },
    {
      title: 'With one',
      input: { email: 'ana@example.com', password: 'correct horse battery' },
      output: {
        signInToken: exampleToken,
        next: 'secondFactor',
        expiresAt: '2026-11-21T10:10:00.000Z',
        channels: [{ channel: 'totp', factorId: 4, hint: 'Authenticator app' }, { channel: 'recovery' }],
      },
    },
    {
      title: 'By a passkey alone',
      input: { passkey: true },
      output: { signInToken: exampleToken, next: 'secondFactor', expiresAt: '2026-11-21T10:10:00.000Z', options: exampleRequest },
    },
  ],
  async stagedHandler(context, input) {
    const { databases } = context.services
    const given = input.userName ?? input.email
    if (input.passkey === true && given === undefined && input.password === undefined) return beginByPasskey(context)
    if (
      given === undefined ||
      input.password === undefined ||
      input.passkey === true ||
      (input.userName !== undefined && input.email !== undefined)
    ) {
      const message = 'Give either userName or email, with the password; or passkey alone.'
      throw new AppError('invalid_input', message, { issues: [finding('$.userName', message)] })
    }
    const { person, giveBack } = await checkPassword(context.services, {
      logIn: given,
      password: input.password,
      ip: context.ip,
      knownBrowser: context.knownBrowser,
    })
    const step = await databases.lookUp((tx) => stepAfterPassword(tx, person.userId), sharerOf(context))
    await giveBack()
    return step
  },
})

/** Who it is, the passkey will tell. */
async function beginByPasskey(context: CallContext): Promise<SignInStep> {
  await takePublicCall(context)
  const signInToken = newSignInToken()
  const { signInId, expiresAt } = await context.services.databases.lookUp(
    (tx) => insertPasskeySignIn(tx, hashToken(signInToken)),
    sharerOf(context),
  )
  return {
    signInToken,
    next: 'secondFactor',
    expiresAt,
    options: await askForPasskey(context.services, `signIn:${signInId}`, [], sharerOf(context)),
  }
}
