import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'

import { findAccount } from '../account/account.store.ts'
import { factorId, factorName } from './factors.schema.ts'
import { countFactors, insertFactor, mostFactors } from './factors.store.ts'
import { challengeMinutes, creationOptions } from './passkeys.ts'
import { exampleCreation, passkeyOptions } from './passkeys.schema.ts'
import { listPasskeys, passkeyHandleOf, saveChallenge } from './passkeys.store.ts'

export const enrollPasskey = defineStagedOperation({
  ...writes(z.object({ factorId, options: passkeyOptions.describe('For navigator.credentials.create, on a page of the portal') })),
  errors: ['not_found', 'fresh_proof_required'],
  name: 'enroll_passkey',
  title: 'Enrol a passkey',
  description:
    'Answers what a browser needs to make a passkey. It counts once confirm_passkey got the answer, within 5 minutes. Needs a proof within 10 minutes.',
  method: 'POST',
  path: '/api/v1/auth/passkeys/enroll',
  roles: 'Person',
  admitsEnrolment: true,
  input: z.object({ name: factorName.optional() }),
  examples: [{ title: 'On this laptop', input: { name: 'Laptop' }, output: { factorId: 5, options: exampleCreation } }],
  async stagedHandler({ services, actor }, input) {
    refuseStaleProof(actor)
    const { userId, displayName } = actor
    const person = await services.databases.lookUp(async (tx) => {
      if ((await countFactors(tx, userId)) >= mostFactors)
        throw new AppError('conflict', `A person has at most ${mostFactors} factors. Delete one first.`)
      const account = mustExist(await findAccount(tx, userId), 'person')
      return {
        id: await insertFactor(tx, userId, { channel: 'passkey', name: input.name ?? 'Passkey' }),
        handle: await passkeyHandleOf(tx, userId),
        name: account.userName ?? account.emails[0] ?? displayName,
        passkeys: await listPasskeys(tx, userId),
      }
    })
    const options = await creationOptions(services.config, { ...person, displayName })
    await services.databases.lookUp((tx) => saveChallenge(tx, `factor:${person.id}`, options.challenge, challengeMinutes))
    return { factorId: person.id, options }
  },
})
