import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'

import { exampleFactor, factor, factorId, factorName } from './factors.schema.ts'
import { updateFactorName } from './factors.store.ts'

export const renameSecondFactor = defineStagedOperation({
  ...writes(factor),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'rename_second_factor',
  title: 'Rename a second factor',
  description: 'Names one of my second factors. Take factorId from list_second_factors.',
  method: 'PUT',
  path: '/api/v1/auth/factors/{factorId}',
  roles: 'Person',
  input: z.object({ factorId, name: factorName }),
  examples: [{ title: 'Which phone it is', input: { factorId: 4, name: 'Work phone' }, output: { ...exampleFactor, name: 'Work phone' } }],
  async stagedHandler({ services, actor }, input) {
    return mustExist(await services.databases.lookUp((tx) => updateFactorName(tx, actor.userId, input.factorId, input.name)), 'factor')
  },
})
