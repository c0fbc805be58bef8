import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { verifyPassword } from '#platform/passwords.ts'

import { sharerOf, take, takePublicCall, wrongLogIn } from './attempts.ts'
import { logInOf, passwordLimits } from './sign-in.rules.ts'
import { exampleTenants, exampleToken, password, signInStep, who } from './sign-in.schema.ts'
import { findPersonByLogIn } from './sign-in.store.ts'
import { stepAfterPassword } from './steps.ts'

export const login = defineStagedOperation({
  ...writes(signInStep),
  errors: ['unauthenticated'],
  name: 'login',
  title: 'Sign in',
  description:
    'The first step of a person’s sign-in, by log-in name or proved e-mail. Then select_second_factor and verify_second_factor where next says so, and select_tenant. A wrong name and a wrong password answer alike.',
  method: 'POST',
  path: '/api/v1/auth/login',
  roles: 'Public',
  input: z.object({
    userName: who.optional().describe('The log-in name, or an e-mail'),
    email: who.optional().describe('In its place'),
    password,
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
  ],
  async stagedHandler(context, input) {
    const { databases } = context.services
    const given = input.userName ?? input.email
    if (given === undefined || (input.userName !== undefined && input.email !== undefined)) {
      const message = 'Give either userName or email.'
      throw new AppError('invalid_input', message, { issues: [finding('$.userName', message)] })
    }
    await takePublicCall(context)
    const logIn = logInOf(given)
    const attempt = await take(context, passwordLimits(logIn, context.ip))
    const person = await databases.lookUp((tx) => findPersonByLogIn(tx, logIn), sharerOf(context))
    const isRight = await verifyPassword(input.password, person?.passwordHash ?? null)
    if (!isRight || !person) throw wrongLogIn()
    const step = await databases.lookUp((tx) => stepAfterPassword(tx, person.userId), sharerOf(context))
    await attempt.giveBack()
    return step
  },
})
