import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { entity, listInput, narrowInput } from '#tools/query/query.schema.ts'
import { listRecords, readFrame } from '#tools/query/service.ts'

import { exampleInstance, instance } from './instances.schema.ts'
import { listedInput, listedOf } from './listed.ts'

export const listInstances = defineOperation({
  ...reads(z.array(instance)),
  name: 'list_instances',
  title: 'List records',
  description:
    'A page of live records under a filter, in an order. Filter by property internalName or by eiRecordId, key1..3, externalKey, createdDate, createdBy, modifiedDate, modifiedBy; describe_entity gives names and types. Page with nextCursor. To keep a copy up to date use list_instances_changed_since; for a number alone count_instances.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/list',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  input: z.object({
    entity,
    ...listInput,
    ...narrowInput,
    ...listedInput,
  }),
  examples: [
    {
      title: 'Open work orders, the newest first',
      input: {
        entity: 'WorkOrder',
        filterRules: { logic: 'AND', rules: [{ property: 'Status', op: 'eq', value: 'open' }] },
        sort: [{ property: 'modifiedDate', direction: 'desc' }],
        pageSize: 20,
      },
      output: [exampleInstance],
    },
  ],
  async handler(context, input) {
    return listRecords(context, await readFrame(context, input.entity), input, listedOf(input))
  },
})
