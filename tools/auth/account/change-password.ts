import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { hashPassword } from '#platform/passwords.ts'
import { refuseStaleProof, sessionIdOf } from '#platform/sessions.ts'

import { password } from '../sign-in/sign-in.schema.ts'
import { findPasswordIssue } from './account.rules.ts'
import { changePasswordHash } from './account.store.ts'
import { isCommon } from './common-passwords.ts'
import { tellOfChange } from './notices.ts'
import { provePassword } from './proof.ts'

export const changePassword = defineStagedOperation({
  ...writes(z.object({ userId: z.int().min(1) })),
  errors: ['not_found', 'fresh_proof_required'],
  name: 'change_password',
  title: 'Change my password',
  description:
    'Sets a new password with the present one and ends the other sessions of the person. Keys stay. Needs a proof within 10 minutes.',
  method: 'POST',
  path: '/api/v1/auth/password',
  roles: 'Person',
  input: z.object({ password: password.describe('The present one'), newPassword: password.describe('12 to 256 characters') }),
  examples: [
    {
      title: 'A new one',
      input: { password: 'correct horse battery', newPassword: 'nine silver herons at dusk' },
      output: { userId: 12 },
    },
  ],
  async stagedHandler(context, input) {
    const { services, actor } = context
    refuseStaleProof(actor)
    const { userName, passwordHash } = await provePassword(context, input.password)
    const issue = findPasswordIssue(input.newPassword, { path: '$.newPassword', userNames: userName === null ? [] : [userName], isCommon })
    if (issue) throw new AppError('invalid_input', issue.message, { issues: [issue] })
    const to = await hashPassword(input.newPassword)
    const keptSession = sessionIdOf(actor) ?? 0
    const isChanged = await services.databases.lookUp(async (tx) => {
      if (!(await changePasswordHash(tx, actor.userId, { from: passwordHash, to, keptSession }))) return false
      await tellOfChange(tx, services, actor.userId, 'Your password was changed, and your other sessions have ended.')
      return true
    })
    if (!isChanged) throw new AppError('conflict', 'The password was changed meanwhile. Sign in with the new one.')
    services.wake.poke(credentialsTopic)
    return { userId: actor.userId }
  },
})
