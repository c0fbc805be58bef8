import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { freshProofMs, sessionIdOf } from '#platform/sessions.ts'

import { code, password } from '../sign-in/sign-in.schema.ts'
import { markProved } from './account.store.ts'
import { proveCode, provePassword } from './proof.ts'

export const proveIdentity = defineStagedOperation({
  ...writes(z.object({ provedUntil: z.iso.datetime() })),
  errors: ['not_found'],
  name: 'prove_identity',
  title: 'Prove who I am again',
  description:
    'Shows the password, or a code of a second factor, again: for 10 minutes the session may do what fresh_proof_required asks for.',
  method: 'POST',
  path: '/api/v1/auth/prove',
  roles: 'Person',
  isNeverReplayed: true,
  input: z.object({ password: password.optional(), code: code.optional() }),
  examples: [
    { title: 'By the password', input: { password: 'correct horse battery' }, output: { provedUntil: '2026-11-21T10:10:00.000Z' } },
  ],
  async stagedHandler(context, input) {
    const { services, actor } = context
    if ((input.password === undefined) === (input.code === undefined)) {
      const message = 'Give either password or code.'
      throw new AppError('invalid_input', message, { issues: [finding('$.password', message)] })
    }
    const factor = input.password === undefined ? await proveCode(context, input.code ?? '') : null
    if (input.password !== undefined) await provePassword(context, input.password)
    const at = mustExist(await services.databases.lookUp((tx) => markProved(tx, sessionIdOf(actor) ?? 0, factor)), 'session')
    services.wake.poke(credentialsTopic)
    return { provedUntil: new Date(Date.parse(at) + freshProofMs).toISOString() }
  },
})
