import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { definitionUses } from '#tools/definitions/definitions.schema.ts'
import { usesOf } from '#tools/definitions/service.ts'

import { entityId } from './entities.schema.ts'
import { relativesOf } from './relatives.ts'
import { mustFindEntity } from './service.ts'

export const getEntityUsage = defineOperation({
  ...reads(
    z.object({
      entityId,
      internalName: z.string(),
      entities: z.array(z.object({ entityId: z.int(), internalName: z.string(), relation: z.enum(['parent', 'child', 'peer']) })),
      ...definitionUses,
    }),
  ),
  name: 'get_entity_usage',
  title: 'Where an entity is used',
  description:
    'The entities that are related to an entity, and as what, and the definitions that use it. Call it before delete_entity or a rename to see whom the change concerns.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/usage',
  roles: 'any',
  input: z.object({ entity: idOrName }),
  examples: [
    {
      title: 'By name',
      input: { entity: 'WorkOrder' },
      output: {
        entityId: 10_060,
        internalName: 'WorkOrder',
        entities: [{ entityId: 10_066, internalName: 'WorkLog', relation: 'child' }],
        definitions: [{ kind: 'view', definitionId: 10_120, internalName: 'UrgentOrders' }],
        otherDefinitions: 0,
      },
    },
  ],
  async handler(context, input) {
    const { entityId, internalName } = await mustFindEntity(context, input.entity)
    const { parents, children, peers } = await relativesOf(context, entityId, await findDisplayLanguages(context))
    const as = (relation: 'parent' | 'child' | 'peer') => (one: { entityId: number; internalName: string }) => ({
      entityId: one.entityId,
      internalName: one.internalName,
      relation,
    })
    return {
      entityId,
      internalName,
      entities: [...parents.map(as('parent')), ...children.map(as('child')), ...peers.map(as('peer'))],
      ...(await usesOf(context, { entityId })),
    }
  },
})
