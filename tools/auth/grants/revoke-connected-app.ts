import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineStagedOperation, destroys } from '#platform/operation.ts'

import { appId } from './grants.schema.ts'
import { endGrant } from './ending-grants.ts'

export const revokeConnectedApp = defineStagedOperation({
  ...destroys(z.object({ appId })),
  name: 'revoke_connected_app',
  title: 'End what an application may do',
  description:
    'Ends the access of an application that the person who calls let in, at once, with all its tokens. Take appId from list_connected_apps.',
  method: 'DELETE',
  path: '/api/v1/auth/apps/{appId}',
  roles: 'Person',
  input: z.object({ appId }),
  examples: [{ title: 'No longer used', input: { appId: 3 }, output: { appId: 3 } }],
  async stagedHandler({ services, actor, requestId, transport, ip }, input) {
    const by = { userId: actor.userId, operation: 'revoke_connected_app', requestId, transport, ip }
    mustExist(await endGrant(services, input.appId, by), 'application')
    return { appId: input.appId }
  },
})
