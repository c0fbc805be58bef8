import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { countedTo } from '#platform/paging.ts'
import { entity, filterRules } from '#tools/query/query.schema.ts'
import { countRecords, readFrame } from '#tools/query/service.ts'

export const countInstances = defineOperation({
  ...reads(z.object({ count: z.int(), isAtLeast: z.literal(true).optional().describe('There are more than were counted') })),
  name: 'count_instances',
  title: 'Count records',
  description: `How many live records of an entity a filter selects; all of them without one. The filter is that of list_instances. Where more than ${countedTo.toLocaleString('en-US')} is all you need to know, includeTotal: false stops there (isAtLeast).`,
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/count',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  input: z.object({
    entity,
    filterRules: filterRules.optional(),
    filters: filterRules.optional().describe('Another name of filterRules'),
    includeTotal: z.boolean().optional().describe('false stops at 10,000'),
  }),
  examples: [
    {
      title: 'Open work orders',
      input: { entity: 'WorkOrder', filterRules: [{ property: 'Status', op: 'eq', value: 'open' }] },
      output: { count: 42 },
    },
  ],
  async handler(context, input) {
    const frame = await readFrame(context, input.entity)
    const limit = input.includeTotal === false ? countedTo + 1 : undefined
    const count = await countRecords(context, frame, input, limit)
    return limit !== undefined && count === limit ? { count: countedTo, isAtLeast: true as const } : { count }
  },
})
