import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { exampleUrgent, languageCode, propertyOption } from './properties.schema.ts'
import { mustFindProperty } from './service.ts'
import { listOptions } from './shown.ts'

export const listPropertyOptions = defineOperation({
  ...reads(z.array(propertyOption)),
  name: 'list_property_options',
  title: 'List the options of a property',
  description:
    'The options of a Choice or Hierarchy, in their order, with parents and displays; an empty list for other types. A save takes the internalName of an option as the value.',
  method: 'POST',
  path: '/api/v1/properties/{property}/options/list',
  roles: 'any',
  input: z.object({ property: idOrName, languageCode: languageCode.optional() }),
  examples: [{ title: 'Of a choice', input: { property: 'Priority' }, output: [exampleUrgent] }],
  async handler(context, input) {
    const languages = await findDisplayLanguages(context, input.languageCode)
    const { propertyId } = await mustFindProperty(context, input.property)
    return listOptions(context.tx, context.tenantId, propertyId, languages)
  },
})
