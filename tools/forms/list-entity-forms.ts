import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { entity, exampleForm, form } from './forms.schema.ts'
import { formPageInput, listFormPage } from './listing.ts'
import { placeOfForms } from './shown.ts'

export const listEntityForms = defineOperation({
  ...reads(z.array(form)),
  name: 'list_entity_forms',
  title: 'List the forms of an entity',
  description:
    'The forms by which records of this entity are entered, those that you may use, by name. list_forms shows those of all entities.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/forms/list',
  roles: 'DataView',
  input: z.object({ entity, ...formPageInput }),
  examples: [{ title: 'Of work orders', input: { entity: 'WorkOrder' }, output: [exampleForm] }],
  async handler(context, { entity: slot, ...input }) {
    const catalog = await cachedCatalog(context)
    const { entityId } = entityInPath(catalog, slot)
    return listFormPage(context, catalog, { ...placeOfForms, entityId }, input)
  },
})
