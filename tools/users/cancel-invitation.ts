import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineStagedOperation, destroys } from '#platform/operation.ts'

import { lockLesserPerson } from './changed-user.ts'
import { deleteInvitation } from './links/links.store.ts'
import { tenantUserId } from './users.schema.ts'

export const cancelInvitation = defineStagedOperation({
  ...destroys(z.object({ tenantUserId })),
  name: 'cancel_invitation',
  title: 'Cancel an invitation',
  description: 'Voids the open invitation of a user. The user stays; invite_user makes another one.',
  method: 'DELETE',
  path: '/api/v1/tenants/users/{tenantUserId}/invite',
  roles: 'AdminUser',
  input: z.object({ tenantUserId }),
  examples: [{ title: 'Sent to the wrong address', input: { tenantUserId: 12 }, output: { tenantUserId: 12 } }],
  async stagedHandler(context, input) {
    const { userId } = await context.inTransaction((inner) => lockLesserPerson(inner, input.tenantUserId))
    const wasOpen = await context.services.databases.lookUp((tx) => deleteInvitation(tx, userId), String(context.tenantId))
    mustExist(wasOpen ? input : undefined, 'invitation')
    return { tenantUserId: input.tenantUserId }
  },
})
