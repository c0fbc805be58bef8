import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { examplePriority, languageCode, property } from './properties.schema.ts'
import { listProperties as listRows } from './shown.ts'

export const listProperties = defineOperation({
  ...reads(z.array(property)),
  errors: [],
  name: 'list_properties',
  title: 'List properties',
  description:
    'Every property of the tenant, in the order of their names: the typed fields that entities are composed of. Call it before create_property, so that a property which exists is attached instead of made twice. describe_property shows the rules of one; get_dictionary shows entities beside them.',
  method: 'POST',
  path: '/api/v1/properties/list',
  roles: 'any',
  input: z.object({ languageCode: languageCode.optional().describe('Language of name and description; your own unless told') }),
  examples: [{ title: 'All of them', input: {}, output: [examplePriority] }],
  async handler(context, input) {
    return listRows(context.tx, context.tenantId, await findDisplayLanguages(context, input.languageCode))
  },
})
