import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { exampleSecret, secret } from './secrets.schema.ts'
import { listSecretRows } from './secrets.store.ts'

export const listSecrets = defineOperation({
  ...reads(z.array(secret)),
  errors: [],
  name: 'list_secrets',
  title: 'List secrets',
  description: 'The names of the secrets that are kept, the hosts that each is for and when it was last used; never a value.',
  method: 'POST',
  path: '/api/v1/secrets/list',
  roles: 'AdminIntegration',
  input: z.object({}),
  examples: [{ title: 'All of them', input: {}, output: [exampleSecret] }],
  async handler({ tx, tenantId }) {
    const rows = await listSecretRows(tx, tenantId)
    return rows.map((row) => ({ ...row, hosts: [...row.hosts] }))
  },
})
