import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { languageCode } from '#tools/properties/properties.schema.ts'

import { entity, exampleEntity } from './entities.schema.ts'
import { listEntities as listRows } from './shown.ts'

export const listEntities = defineOperation({
  ...reads(z.array(entity)),
  errors: [],
  name: 'list_entities',
  title: 'List entities',
  description:
    'Every kind of record that the tenant has, in the order of their names. describe_entity shows what one is composed of, list_entity_relationships how it stands to others, get_dictionary all of it at once. Take the names from here for every operation on records.',
  method: 'POST',
  path: '/api/v1/entities/list',
  roles: 'any',
  input: z.object({ languageCode: languageCode.optional().describe('Language of name and description; your own unless told') }),
  examples: [{ title: 'All of them', input: {}, output: [exampleEntity] }],
  async handler(context, input) {
    return listRows(context.tx, context.tenantId, await findDisplayLanguages(context, input.languageCode))
  },
})
