import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'
import { rolesOf } from '#platform/roles.ts'

import { clientHostOf } from './grants.rules.ts'
import { connectedApp, exampleApp } from './grants.schema.ts'
import { listGrants } from './grants.store.ts'

export const listConnectedApps = defineStagedOperation({
  ...reads(z.array(connectedApp)),
  errors: [],
  name: 'list_connected_apps',
  title: 'List my connected applications',
  description:
    'The applications that the person who calls let in by OAuth, in all tenants, the latest first. revoke_connected_app ends one.',
  method: 'POST',
  path: '/api/v1/auth/apps/list',
  roles: 'Person',
  input: z.object({}),
  examples: [{ title: 'What acts in my name', input: {}, output: [exampleApp] }],
  async stagedHandler({ services, actor }) {
    const rows = await services.databases.lookUp((tx) => listGrants(tx, actor.userId))
    return rows.map(({ grantId, clientId, clientName, roleFlag, ...row }) => ({
      appId: grantId,
      name: clientName,
      clientHost: clientHostOf(clientId),
      ...row,
      roles: rolesOf(roleFlag),
    }))
  },
})
