import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { defineOperation, type Operation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf, sifted } from '#platform/paging.ts'

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
      const after = page.cursor === undefined ? 0 : decodeIdCursor(page.cursor)
      const catalog = await cachedCatalog(context)
      const entity = mustBeEntity(catalog, entityId)
      const pageAfter = (id: number) => listRows(tx, tenantId, entityId, page, id)
      const sift = async (rows: readonly IdentityLink[]) => {
        const seen = await floor.seenAmong(
          context,
          catalog,
          entity,
          rows.map((row) => row.eiRecordId),
        )
        return rows.filter((row) => seen.has(row.eiRecordId))
      }
      const found = await sifted(page, await pageAfter(after), (last) => pageAfter(last.eiRecordId), sift)
      return listOf(page, found, {
        show: (row) => row,
        cursor: ({ eiRecordId }) => [eiRecordId],
        // How many there are would tell of those that are not shown.
        ...(entity.access ? {} : { total: await totalOfLinks(tx, tenantId, entityId, page) }),
      })
    },
  })
