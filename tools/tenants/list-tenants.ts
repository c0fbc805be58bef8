import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf } from '#platform/paging.ts'

import { exampleTenant, tenant } from './tenants.schema.ts'
import { countTenants, listTenantRows, toTenant } from './tenants.store.ts'

const envelope = z.object({
  returnValue: z.int().describe('0: done'),
  resultData: z.array(tenant),
  nextCursor: z.string().optional(),
  totalCount: z.int().optional(),
  totalAtLeast: z.int().optional().describe('In place of totalCount: there are more'),
})

export const listTenants = defineOperation({
  ...reads(envelope),
  errors: [],
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
  }),
  examples: [{ title: 'All of them', input: {}, output: { returnValue: 0, resultData: [exampleTenant], totalCount: 1 } }],
  async handler(context, input) {
    const { tx, services } = context
    const page = pageOf(context, input)
    const after = page.cursor === undefined ? 0 : decodeIdCursor(page.cursor)
    const listed = listOf(page, await listTenantRows(tx, page, input.search, after), {
      show: (row) => toTenant(row, services.config.tenantDomain),
      cursor: ({ tenantId }) => [tenantId],
      total: await countTenants(tx, page, input.search),
    })
    const { nextCursor, totalCount, totalAtLeast } = listed
    return {
      returnValue: 0,
      resultData: [...listed.items],
      ...(nextCursor === undefined ? {} : { nextCursor }),
      ...(totalCount === undefined ? {} : { totalCount }),
      ...(totalAtLeast === undefined ? {} : { totalAtLeast }),
    }
  },
})
