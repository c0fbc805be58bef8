import { z } from 'zod'

import { constraintOf } from '#platform/db/transaction.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'

import { countFrom } from './confirming.ts'
import { exampleFactor, factor, factorId, recoveryCodes } from './factors.schema.ts'
import { findPendingFactor } from './factors.store.ts'
import { readNewPasskey } from './passkeys.ts'
import { exampleNewCredential, newCredential } from './passkeys.schema.ts'
import { keepPasskey, takeChallenge } from './passkeys.store.ts'

export const confirmPasskey = defineStagedOperation({
  ...writes(factor.extend({ recoveryCodes: recoveryCodes.optional() })),
  errors: ['not_found', 'already_exists', 'fresh_proof_required'],
  issuesSecret: { idField: 'factorId' },
  name: 'confirm_passkey',
  title: 'Confirm a passkey',
  description:
    'Takes what the browser made of the options of enroll_passkey, once; from now on the person signs in with it. With the first factor come ten recovery codes.',
  method: 'POST',
  path: '/api/v1/auth/passkeys/confirm',
  roles: 'Person',
  admitsEnrolment: true,
  input: z.object({ factorId: factorId.describe('From enroll_passkey'), credential: newCredential }),
  examples: [
    {
      title: 'The second factor of the person',
      input: { factorId: 5, credential: exampleNewCredential },
      output: { ...exampleFactor, factorId: 5, channel: 'passkey', name: 'Laptop' },
    },
  ],
  async stagedHandler(context, input) {
    const { services, actor } = context
    refuseStaleProof(actor)
    const find = { userId: actor.userId, factorId: input.factorId, channel: 'passkey' } as const
    // Spent before the answer is looked at.
    const challenge = await services.databases.lookUp(async (tx) => {
      mustExist(await findPendingFactor(tx, find), 'factor')
      return takeChallenge(tx, `factor:${input.factorId}`)
    })
    const passkey = challenge === undefined ? undefined : await readNewPasskey(services.config, challenge, input.credential)
    if (!passkey) {
      const message =
        'This is no answer to the options of enroll_passkey, or they are over. Ask for new ones, and make the passkey on a page of the portal.'
      throw new AppError('invalid_input', message, { issues: [finding('$.credential', message)] })
    }
    return services.databases.lookUp(async (tx) => {
      const pending = mustExist(await findPendingFactor(tx, find), 'factor')
      await keepPasskey(tx, pending.factorId, passkey).catch((error: unknown) => {
        if (constraintOf(error) !== 'person_factor_credential') throw error
        throw new AppError('already_exists', 'This passkey is enrolled already. Make another one.', { cause: error })
      })
      return countFrom(tx, context, pending)
    })
  },
})
