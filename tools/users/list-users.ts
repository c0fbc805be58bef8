import { z } from 'zod'

import { listing } from '#platform/answer.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, encodeCursor, pageInput, pageOf } from '#platform/paging.ts'
import { flagOf } from '#platform/roles.ts'

import { exampleUser, roles, user } from './users.schema.ts'
import { countUsers, listUserRows, toUser } from './users.store.ts'

export const listUsers = defineOperation({
  ...reads(z.array(user)),
  name: 'list_users',
  title: 'List users',
  description:
    'The users of this tenant, the oldest first. search looks into user names, display names, e-mails and phones; roles asks for users who hold all of them. The service users of API keys are left out unless includeService.',
  method: 'POST',
  path: '/api/v1/tenants/users/list',
  roles: 'AdminUser',
  input: z.object({
    ...pageInput,
    search: z.string().min(1).max(200).optional(),
    roles: roles.optional(),
    includeService: z.boolean().optional(),
    includeTotal: z.boolean().optional().describe('false spares the count on the first page'),
  }),
  examples: [{ title: 'Who is Ana', input: { search: 'ana' }, output: [exampleUser] }],
  async handler({ tx, tenantId }, input) {
    const { page, pageSize, cursor } = pageOf(input)
    const after = cursor === undefined ? 0 : decodeIdCursor(cursor)
    const filter = { search: input.search, roleFlag: flagOf(input.roles ?? []), includeService: input.includeService === true }
    const rows = await listUserRows(tx, tenantId, { ...filter, after, offset: (page - 1) * pageSize, limit: pageSize })
    const shown = rows.slice(0, pageSize)
    const last = shown.at(-1)
    const isCounted = cursor === undefined && page === 1 && input.includeTotal !== false
    return listing(shown.map(toUser), {
      nextCursor: rows.length > pageSize && last ? encodeCursor([last.tenantUserId]) : undefined,
      totalCount: isCounted ? await countUsers(tx, tenantId, filter) : undefined,
    })
  },
})
