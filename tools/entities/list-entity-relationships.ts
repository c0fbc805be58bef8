import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { languageCode } from '#tools/properties/properties.schema.ts'

import { entityId, relative } from './entities.schema.ts'
import { relativesOf } from './relatives.ts'
import { mustFindEntity } from './service.ts'

export const listEntityRelationships = defineOperation({
  ...reads(z.object({ entityId, parents: z.array(relative), children: z.array(relative), peers: z.array(relative) })),
  name: 'list_entity_relationships',
  title: 'List the relationships of an entity',
  description:
    'The parents, children and peers of an entity. Under a parent, isRequired says that a record needs one, isList that a parent may have several. A record with several parent entities stands under one record of one of them. attach_child_entity and attach_peer_entity make relationships.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/relationships',
  roles: 'any',
  input: z.object({ entity: idOrName, languageCode: languageCode.optional() }),
  examples: [
    {
      title: 'By name',
      input: { entity: 'WorkOrder' },
      output: {
        entityId: 10_060,
        parents: [{ entityId: 10_058, internalName: 'Site', name: 'Site', isRequired: true, isList: true }],
        children: [{ entityId: 10_066, internalName: 'WorkLog', name: 'Work log', isRequired: true, isList: true }],
        peers: [],
      },
    },
  ],
  async handler(context, input) {
    const languages = await findDisplayLanguages(context, input.languageCode)
    const { entityId } = await mustFindEntity(context, input.entity)
    return { entityId, ...(await relativesOf(context, entityId, languages)) }
  },
})
