import { z } from 'zod'

import { defineStagedOperation, writes } from '#platform/operation.ts'
import { sessionIdOf } from '#platform/sessions.ts'

import { endSession } from './ending.ts'
import { sessionId } from './sign-in.schema.ts'

export const logout = defineStagedOperation({
  ...writes(z.object({ sessionId })),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'logout',
  title: 'Sign out',
  description: 'Ends the session that calls, at once. revoke_session ends another one.',
  method: 'POST',
  path: '/api/v1/auth/logout',
  roles: 'Person',
  admitsProvider: true,
  input: z.object({}),
  examples: [{ title: 'At the end of the day', input: {}, output: { sessionId: 9 } }],
  async stagedHandler(context) {
    const id = sessionIdOf(context.actor) ?? 0
    await endSession(context, id, 'logout')
    return { sessionId: id }
  },
})
