import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { defineOperation, type Operation, reads } from '#platform/operation.ts'
import { countSifted, decodeIdCursor, listOf, pageInput, pageOf, type PageRequest, sifted } from '#platform/paging.ts'

import type { AccessFloor } from './access.types.ts'
import { cachedCatalog } from './catalog.ts'
import { type IdentityLink, listIdentityLinks as listRows, totalOfLinks } from './identity.store.ts'
import { mustBeEntity, mustFindEntity } from './service.ts'

export const listIdentityLinks = (floor: AccessFloor): Operation =>
  defineOperation({
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
      const after = page.cursor === undefined ? undefined : decodeIdCursor(page.cursor)
      const catalog = await cachedCatalog(context)
      const entity = mustBeEntity(catalog, entityId)
      const sieve = {
        read: (part: PageRequest, id: number | undefined) => listRows(tx, tenantId, entityId, part, id ?? 0),
        placeOf: ({ eiRecordId }: IdentityLink) => eiRecordId,
        sift: async (rows: readonly IdentityLink[]) => {
          const ids = rows.map((row) => row.eiRecordId)
          const seen = await floor.seenAmong(context, catalog, entity, ids)
          return rows.filter((row) => seen.has(row.eiRecordId))
        },
      }
      const found = await sifted(page, after, sieve)
      return listOf(page, found, {
        show: (row) => row,
        cursor: ({ eiRecordId }) => [eiRecordId],
        total: entity.access ? await countSifted(page, sieve) : await totalOfLinks(tx, tenantId, entityId, page),
      })
    },
  })
