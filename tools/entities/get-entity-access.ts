import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { storedRules } from './access.ts'
import { entityAccess, exampleRules } from './access.schema.ts'
import { cachedCatalog } from './catalog.ts'
import { mustFindEntity } from './service.ts'

export const getEntityAccess = defineOperation({
  ...reads(entityAccess),
  name: 'get_entity_access',
  title: 'Access rules of an entity',
  description:
    'Who may read, create, edit and delete which records of an entity, and which properties are withheld or read-only. No rules: everybody by role. Change them with set_entity_access; your own rights are in describe_entity.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/access',
  roles: 'BuilderAdmin',
  input: z.object({ entity: idOrName }),
  examples: [{ title: 'Work orders', input: { entity: 'WorkOrder' }, output: { entityId: 10_060, rules: exampleRules } }],
  async handler(context, input) {
    const { entityId } = await mustFindEntity(context, input.entity)
    return { entityId, rules: await storedRules(context, entityId, await cachedCatalog(context)) }
  },
})
