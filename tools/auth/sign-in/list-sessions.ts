import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'
import { sessionIdOf } from '#platform/sessions.ts'

import { exampleSession, session } from './sign-in.schema.ts'
import { listSessionRows } from './sign-in.store.ts'

export const listSessions = defineStagedOperation({
  ...reads(z.array(session)),
  errors: [],
  name: 'list_sessions',
  title: 'List my sessions',
  description:
    'The sessions of the person who calls, in all tenants, the latest first; those of the tenant’s own provider alone, to a session of that. revoke_session ends one.',
  method: 'POST',
  path: '/api/v1/auth/sessions/list',
  roles: 'Person',
  admitsProvider: true,
  input: z.object({}),
  examples: [{ title: 'Where I am signed in', input: {}, output: [exampleSession] }],
  async stagedHandler({ services, actor }) {
    const rows = await services.databases.lookUp((tx) => listSessionRows(tx, actor))
    return rows.map((row) => ({ ...row, isCurrent: row.sessionId === sessionIdOf(actor) }))
  },
})
