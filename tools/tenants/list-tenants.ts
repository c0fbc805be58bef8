import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, encodeCursor, pageInput, pageOf } from '#platform/paging.ts'

import { exampleTenant, tenant } from './tenants.schema.ts'
import { countTenants, listTenantRows, toTenant } from './tenants.store.ts'

const envelope = z.object({
  returnValue: z.int().describe('0: done'),
  resultData: z.array(tenant),
  nextCursor: z.string().optional(),
  totalCount: z.int().optional(),
})

export const listTenants = defineOperation({
  ...reads(envelope),
  name: 'list_tenants',
  title: 'List tenants',
  description:
    'Every tenant of the installation, the oldest first, with its users counted. search looks into names, sub-domains and hosts.',
  method: 'POST',
  path: '/api/v1/tenants/list',
  roles: 'GlobalAdmin',
  input: z.object({
    ...pageInput,
    search: z.string().min(1).max(200).optional(),
    includeTotal: z.boolean().optional().describe('false spares the count on the first page'),
  }),
  examples: [{ title: 'All of them', input: {}, output: { returnValue: 0, resultData: [exampleTenant], totalCount: 1 } }],
  async handler({ tx }, input) {
    const { page, pageSize, cursor } = pageOf(input)
    const after = cursor === undefined ? 0 : decodeIdCursor(cursor)
    const rows = await listTenantRows(tx, { search: input.search, after, offset: (page - 1) * pageSize, limit: pageSize })
    const shown = rows.slice(0, pageSize)
    const last = shown.at(-1)
    const isCounted = cursor === undefined && page === 1 && input.includeTotal !== false
    return {
      returnValue: 0,
      resultData: shown.map(toTenant),
      ...(rows.length > pageSize && last ? { nextCursor: encodeCursor([last.tenantId]) } : {}),
      ...(isCounted ? { totalCount: await countTenants(tx, input.search) } : {}),
    }
  },
})
