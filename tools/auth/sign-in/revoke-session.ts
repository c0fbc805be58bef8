import { z } from 'zod'

import { defineStagedOperation, destroys } from '#platform/operation.ts'

import { endSession } from './ending.ts'
import { sessionId } from './sign-in.schema.ts'

export const revokeSession = defineStagedOperation({
  ...destroys(z.object({ sessionId })),
  name: 'revoke_session',
  title: 'End one of my sessions',
  description: 'Ends a session of the person who calls, in whatever tenant, at once. Take sessionId from list_sessions.',
  method: 'DELETE',
  path: '/api/v1/auth/sessions/{sessionId}',
  roles: 'Person',
  admitsProvider: true,
  input: z.object({ sessionId }),
  examples: [{ title: 'A lost phone', input: { sessionId: 9 }, output: { sessionId: 9 } }],
  async stagedHandler(context, input) {
    await endSession(context, input.sessionId, 'revoke_session')
    return { sessionId: input.sessionId }
  },
})
