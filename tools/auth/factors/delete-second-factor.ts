import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineStagedOperation, destroys } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'

import { findUnmet } from '../policy/policy.rules.ts'
import { listDemands } from '../policy/policy.store.ts'
import { exampleFactor, factor, factorId } from './factors.schema.ts'
import { deleteFactor, listFactors, lockPerson, replaceRecoveryCodes } from './factors.store.ts'
import { tellOfFactor } from './telling.ts'

export const deleteSecondFactor = defineStagedOperation({
  ...destroys(factor),
  errors: ['not_found', 'fresh_proof_required'],
  name: 'delete_second_factor',
  title: 'Delete a second factor',
  description:
    'Removes one of my second factors; with the last one the recovery codes go. The last one that a tenant of mine demands stays: 409. Needs a proof within 10 minutes.',
  method: 'DELETE',
  path: '/api/v1/auth/factors/{factorId}',
  roles: 'Person',
  input: z.object({ factorId }),
  examples: [{ title: 'An old phone', input: { factorId: 4 }, output: exampleFactor }],
  async stagedHandler({ services, actor }, input) {
    refuseStaleProof(actor)
    return services.databases.lookUp(async (tx) => {
      // Of two deletions at once the second sees what the first left.
      await lockPerson(tx, actor.userId)
      const deleted = mustExist(await deleteFactor(tx, actor.userId, input.factorId), 'factor')
      const left = await listFactors(tx, actor.userId)
      const unmet = findUnmet(
        await listDemands(tx, actor.userId),
        left.map(({ channel }) => channel),
      )
      if (unmet)
        throw new AppError(
          'conflict',
          `${unmet.name} asks you for a second factor, and this is your last one that counts. Enrol another one first.`,
        )
      if (left.length === 0) await replaceRecoveryCodes(tx, actor.userId, [])
      await tellOfFactor(tx, services, actor.userId, { kind: 'removed', name: deleted.name })
      return deleted
    })
  },
})
