import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'

import { exampleFactor, factor } from './factors.schema.ts'
import { listFactors } from './factors.store.ts'

export const listSecondFactors = defineStagedOperation({
  ...reads(z.array(factor)),
  errors: [],
  name: 'list_second_factors',
  title: 'List my second factors',
  description: 'The second factors of the person who calls, the oldest first.',
  method: 'POST',
  path: '/api/v1/auth/factors/list',
  roles: 'Person',
  input: z.object({}),
  examples: [{ title: 'Mine', input: {}, output: [exampleFactor] }],
  async stagedHandler({ services, actor }) {
    const rows = await services.databases.lookUp((tx) => listFactors(tx, actor.userId))
    return rows.map(({ sealedSecret: _sealed, lastStep: _step, ...shown }) => shown)
  },
})
