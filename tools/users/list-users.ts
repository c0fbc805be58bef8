import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf } from '#platform/paging.ts'
import { flagOf } from '#platform/roles.ts'

import { exampleUser, roles, user, userStatus } from './users.schema.ts'
import { countUsers, listUserRows, toUser } from './users.store.ts'

export const listUsers = defineOperation({
  ...reads(z.array(user)),
  errors: [],
  name: 'list_users',
  title: 'List users',
  description:
    'The users of this tenant, the oldest first. search looks into user names, display names, e-mails and phones; roles asks for users who hold all of them. The service users of API keys are left out unless includeService.',
  method: 'POST',
  path: '/api/v1/tenants/users/list',
  roles: 'AdminUser',
  input: z.object({
    ...pageInput,
    search: z.string().min(1).max(200).optional().describe('Part of a name, an e-mail or a phone'),
    roles: roles.optional(),
    status: userStatus.optional().describe('invited: has not come yet'),
    hasSecondFactor: z.boolean().optional().describe('Whether they have one'),
    includeService: z.boolean().optional().describe('Those of API keys too'),
  }),
  examples: [
    { title: 'Who is Ana', input: { search: 'ana' }, output: [exampleUser] },
    { title: 'Who signs in by a password alone', input: { status: 'active', hasSecondFactor: false }, output: [exampleUser] },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const page = pageOf(context, input)
    const after = page.cursor === undefined ? 0 : decodeIdCursor(page.cursor)
    const { search, status, hasSecondFactor } = input
    const filter = { search, roleFlag: flagOf(input.roles ?? []), status, hasSecondFactor, includeService: input.includeService === true }
    return listOf(page, await listUserRows(tx, tenantId, page, { ...filter, after }), {
      show: toUser,
      cursor: ({ tenantUserId }) => [tenantUserId],
      total: await countUsers(tx, tenantId, page, filter),
    })
  },
})
