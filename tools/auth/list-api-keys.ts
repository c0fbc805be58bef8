import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf } from '#platform/paging.ts'

import { apiKey, exampleApiKey } from './auth.schema.ts'
import { countApiKeys, listApiKeyRows, toApiKey } from './auth.store.ts'

export const listApiKeys = defineOperation({
  ...reads(z.array(apiKey)),
  errors: [],
  name: 'list_api_keys',
  title: 'List API keys',
  description:
    'The keys of this tenant, the oldest first, without the revoked unless includeRevoked, with their roles and when they were last used; never the secrets.',
  method: 'POST',
  path: '/api/v1/api-keys/list',
  roles: 'AdminIntegration',
  input: z.object({
    ...pageInput,
    prefix: z.string().min(1).max(200).optional().describe('How it begins'),
    includeRevoked: z.boolean().optional().describe('Those that were revoked too'),
  }),
  examples: [{ title: 'All of them', input: {}, output: [exampleApiKey] }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const page = pageOf(context, input)
    const after = page.cursor === undefined ? 0 : decodeIdCursor(page.cursor)
    const filter = { prefix: input.prefix, includeRevoked: input.includeRevoked === true }
    return listOf(page, await listApiKeyRows(tx, tenantId, page, { ...filter, after }), {
      show: toApiKey,
      cursor: ({ apiKeyId }) => [apiKeyId],
      total: await countApiKeys(tx, tenantId, page, filter),
    })
  },
})
