import { z } from 'zod'

import { listing } from '#platform/answer.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, encodeCursor, pageInput, pageOf } from '#platform/paging.ts'

import { apiKey, exampleApiKey } from './auth.schema.ts'
import { countApiKeys, listApiKeyRows, toApiKey } from './auth.store.ts'

export const listApiKeys = defineOperation({
  ...reads(z.array(apiKey)),
  name: 'list_api_keys',
  title: 'List API keys',
  description:
    'The keys of this tenant that are not revoked, the oldest first, with their roles and when they were last used; never the secrets.',
  method: 'POST',
  path: '/api/v1/api-keys/list',
  roles: 'AdminIntegration',
  input: z.object({ ...pageInput, includeTotal: z.boolean().optional().describe('false spares the count on the first page') }),
  examples: [{ title: 'All of them', input: {}, output: [exampleApiKey] }],
  async handler({ tx, tenantId }, input) {
    const { page, pageSize, cursor } = pageOf(input)
    const after = cursor === undefined ? 0 : decodeIdCursor(cursor)
    const rows = await listApiKeyRows(tx, tenantId, { after, offset: (page - 1) * pageSize, limit: pageSize })
    const shown = rows.slice(0, pageSize)
    const last = shown.at(-1)
    const isCounted = cursor === undefined && page === 1 && input.includeTotal !== false
    return listing(shown.map(toApiKey), {
      nextCursor: rows.length > pageSize && last ? encodeCursor([last.apiKeyId]) : undefined,
      totalCount: isCounted ? await countApiKeys(tx, tenantId) : undefined,
    })
  },
})
