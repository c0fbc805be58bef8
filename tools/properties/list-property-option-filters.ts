import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { optionFilter } from './properties.schema.ts'
import { listOptionFilters } from './property-options.store.ts'
import { mustFindProperty } from './service.ts'

export const listPropertyOptionFilters = defineOperation({
  ...reads(z.array(optionFilter)),
  name: 'list_property_option_filters',
  title: 'List the option subsets of a property',
  description:
    'The named subsets of the options of a Choice or Hierarchy. update_entity_property sets one for an entity, save_property_option_filter makes them.',
  method: 'POST',
  path: '/api/v1/properties/{property}/option-filters/list',
  roles: 'any',
  input: z.object({ property: idOrName }),
  examples: [
    {
      title: 'By name',
      input: { property: 'Priority' },
      output: [
        {
          propertyOptionFilterId: 10_045,
          propertyId: 10_041,
          internalName: 'ForTechnicians',
          optionIds: [10_042, 10_043],
          options: ['Low', 'Normal'],
        },
      ],
    },
  ],
  async handler(context, input) {
    const { propertyId } = await mustFindProperty(context, input.property)
    return listOptionFilters(context.tx, context.tenantId, propertyId)
  },
})
