import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { exampleInstance, instance } from '#tools/instances/instances.schema.ts'
import { listInput, narrowInput } from '#tools/query/query.schema.ts'
import { listRecords, readFrame } from '#tools/query/service.ts'

import { soundView } from './shown.ts'
import { entity, viewSlot } from './views.schema.ts'

export const executeView = defineOperation({
  ...reads(z.array(instance)),
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'execute_view',
  title: 'Run a view',
  description:
    'A page of the records of a saved view; data holds its columns. filterRules narrow it further, sort takes the place of its own. list_views gives the names.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/views/{view}/execute',
  roles: 'DataView',
  input: z.object({ entity, view: viewSlot, ...listInput, ...narrowInput }),
  examples: [
    {
      title: 'The first page',
      input: { entity: 'WorkOrder', view: 'OpenOrders' },
      output: [{ ...exampleInstance, data: { Title: 'Replace the gate valve', modifiedDate: '2026-03-01T08:30:00.000Z' } }],
    },
  ],
  async handler(context, input) {
    const frame = await readFrame(context, input.entity)
    const { query } = await soundView(context, frame.catalog, frame.entity, input.view)
    const { columns, filters: within, sort, pageSize } = query
    return listRecords(context, frame, { ...input, columns, sort: input.sort ?? sort, pageSize: input.pageSize ?? pageSize }, { within })
  },
})
