import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineStagedOperation, destroys } from '#platform/operation.ts'
import { refuseStaleProof } from '#platform/sessions.ts'

import { tellOfChange } from '../account/notices.ts'
import { exampleFactor, factor, factorId } from './factors.schema.ts'
import { deleteFactor, listFactors, replaceRecoveryCodes } from './factors.store.ts'

export const deleteSecondFactor = defineStagedOperation({
  ...destroys(factor),
  errors: ['not_found', 'fresh_proof_required'],
  name: 'delete_second_factor',
  title: 'Delete a second factor',
  description: 'Removes one of my second factors; with the last one the recovery codes go. Needs a proof within 10 minutes.',
  method: 'DELETE',
  path: '/api/v1/auth/factors/{factorId}',
  roles: 'Person',
  input: z.object({ factorId }),
  examples: [{ title: 'An old phone', input: { factorId: 4 }, output: exampleFactor }],
  async stagedHandler({ services, actor }, input) {
    refuseStaleProof(actor)
    return services.databases.lookUp(async (tx) => {
      const deleted = mustExist(await deleteFactor(tx, actor.userId, input.factorId), 'factor')
      if ((await listFactors(tx, actor.userId)).length === 0) await replaceRecoveryCodes(tx, actor.userId, [])
      await tellOfChange(tx, services, actor.userId, `A second factor was removed: ${deleted.name}.`)
      return deleted
    })
  },
})
