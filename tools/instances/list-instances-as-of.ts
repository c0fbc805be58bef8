import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { entity, listInput, narrowInput } from '#tools/query/query.schema.ts'
import { listRecords, readFrame, timeOf } from '#tools/query/service.ts'

import { exampleInstance, instance } from './instances.schema.ts'

export const listInstancesAsOf = defineOperation({
  ...reads(z.array(instance)),
  name: 'list_instances_as_of',
  title: 'Records as of a time',
  description:
    'The records of an entity that lived at a time, as they were then. Filter and sort look at the values of that time. One record: get_instance_as_of.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/as-of',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  input: z.object({
    entity,
    asOfDate: z.string().max(100).describe('ISO 8601 time; a day means its end, in UTC'),
    ...listInput,
    ...narrowInput,
  }),
  examples: [{ title: 'At the end of March', input: { entity: 'WorkOrder', asOfDate: '2026-03-31T23:59:59Z' }, output: [exampleInstance] }],
  async handler(context, input) {
    const at = timeOf(input.asOfDate, 'asOfDate', 'end')
    return listRecords(context, await readFrame(context, input.entity), input, { asOf: at })
  },
})
