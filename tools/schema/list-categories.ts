import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { category } from './schema.schema.ts'
import { listCategories as listRows } from './schema.store.ts'

export const listCategories = defineOperation({
  ...reads(z.array(category)),
  errors: [],
  name: 'list_categories',
  title: 'List categories',
  description: "The categories that properties and entities may be in: the product's and the tenant's own, which save_category makes.",
  method: 'POST',
  path: '/api/v1/categories',
  roles: 'any',
  input: z.object({}),
  examples: [{ title: 'All of them', input: {}, output: [{ categoryId: 7, internalName: 'Work' }] }],
  async handler({ tx, tenantId }) {
    const rows = await listRows(tx, tenantId)
    return rows.map(({ categoryId, internalName }) => ({ categoryId, internalName }))
  },
})
