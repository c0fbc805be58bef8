import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { vertical } from './schema.schema.ts'
import { listVerticals as listRows } from './schema.store.ts'

export const listVerticals = defineOperation({
  ...reads(z.array(vertical)),
  errors: [],
  name: 'list_verticals',
  title: 'List verticals',
  description: 'The lines of business that definitions may belong to. browse_catalog filters by them.',
  method: 'POST',
  path: '/api/v1/verticals',
  roles: 'any',
  input: z.object({}),
  examples: [{ title: 'All of them', input: {}, output: [{ verticalId: 2, internalName: 'FieldService' }] }],
  async handler({ tx }) {
    return listRows(tx)
  },
})
