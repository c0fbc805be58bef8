import { z } from 'zod'

import { listing } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeCursor, encodeCursor, pageInput, pageOf } from '#platform/paging.ts'

import { countIdentityLinks, listIdentityLinks as listRows } from './identity.store.ts'
import { mustFindEntity } from './service.ts'

function readCursor(cursor: string): number {
  const [after] = decodeCursor(cursor, 1)
  if (typeof after !== 'number' || !Number.isSafeInteger(after))
    throw new AppError('invalid_input', 'The cursor is not one of this list. Start without one.')
  return after
}

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
  input: z.object({ entity: idOrName, ...pageInput, includeTotal: z.boolean().optional().describe('true unless told') }),
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
    const { page, pageSize, cursor } = pageOf(input)
    const after = cursor === undefined ? 0 : readCursor(cursor)
    const rows = await listRows(tx, tenantId, entityId, { after, offset: (page - 1) * pageSize, limit: pageSize })
    const items = rows.slice(0, pageSize)
    const last = items.at(-1)
    const isCounted = cursor === undefined && page === 1 && input.includeTotal !== false
    return listing(items, {
      nextCursor: rows.length > pageSize && last ? encodeCursor([last.eiRecordId]) : undefined,
      totalCount: isCounted ? await countIdentityLinks(tx, tenantId, entityId) : undefined,
    })
  },
})
