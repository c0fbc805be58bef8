/** Applications that a person let in, on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { roleNames } from '#platform/roles.ts'
import { tenantId } from '#tools/users/users.schema.ts'

export const appId = z.int().min(1).describe('From list_connected_apps')

export const connectedApp = z.object({
  appId,
  name: z.string().describe('As it calls itself'),
  clientHost: z.string().nullable().describe('Where it says who it is; null: it registered itself'),
  redirectHost: z.string().describe('Where the browser went back to'),
  tenantId,
  roles: z.array(z.enum(roleNames)).describe('What it was given; a call has those of them that I have then'),
  createdDate: z.iso.datetime(),
  lastUsedDate: z.iso.datetime().nullable(),
})

export type ConnectedApp = z.infer<typeof connectedApp>

export const exampleApp: ConnectedApp = {
  appId: 3,
  name: 'Claude',
  clientHost: 'claude.ai',
  redirectHost: 'claude.ai',
  tenantId: 1,
  roles: ['DataView', 'DataEdit', 'FileEdit'],
  createdDate: '2026-11-21T10:00:00.000Z',
  lastUsedDate: '2026-11-21T10:20:00.000Z',
}

component('ConnectedApp', connectedApp)
