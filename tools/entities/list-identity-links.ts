import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf } from '#platform/paging.ts'

import { listIdentityLinks as listRows, totalOfLinks } from './identity.store.ts'
import { mustFindEntity } from './service.ts'

export const listIdentityLinks = defineOperation({
  ...reads(
    z.array(
      z.object({
        eiRecordId: z.int(),
        entityId: z.int(),
        tenantUserId: z.int(),
        userName: z.string(),
        displayName: z.string(),
        matchedBy: z.enum(['email', 'phone']),
        linkedDate: z.iso.datetime(),
      }),
    ),
  ),
  name: 'list_identity_links',
  title: 'List the users behind records',
  description:
    'The records of an entity that are linked to users of the tenant, and by what they were matched; set_entity_identity_bridge makes an entity link. Ordered by record id.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/identity-links',
  roles: 'AdminUser',
  input: z.object({ entity: idOrName, ...pageInput }),
  examples: [
    {
      title: 'Of technicians',
      input: { entity: 'Technician' },
      output: [
        {
          eiRecordId: 20_481,
          entityId: 10_095,
          tenantUserId: 17,
          userName: 'maria',
          displayName: 'María Soler',
          matchedBy: 'email',
          linkedDate: '2026-11-20T09:30:00.000Z',
        },
      ],
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { entityId } = await mustFindEntity(context, input.entity)
    const page = pageOf(context, input)
    const after = page.cursor === undefined ? 0 : decodeIdCursor(page.cursor)
    return listOf(page, await listRows(tx, tenantId, entityId, page, after), {
      show: (row) => row,
      cursor: ({ eiRecordId }) => [eiRecordId],
      total: await totalOfLinks(tx, tenantId, entityId, page),
    })
  },
})
