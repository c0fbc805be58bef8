import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { aggregateList, entity, filterRules, groupBy, reportRow, sort } from '#tools/query/query.schema.ts'
import { aggregateRecords, entityInPath, readFrameOf } from '#tools/query/service.ts'

export const aggregateInstances = defineOperation({
  ...reads(z.object({ rows: z.array(reportRow), totalCount: z.int().describe('Groups in all') })),
  name: 'aggregate_instances',
  title: 'Sum and count records by group',
  description:
    'SUM, COUNT, AVG, MIN and MAX over the records of an entity, by groups, under a filter. For how many records alone: count_instances.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/aggregate',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  input: z.object({
    entity,
    filterRules: filterRules.optional(),
    groupBy: groupBy.optional(),
    aggregates: aggregateList,
    having: filterRules.optional().describe('As filterRules, over aliases'),
    sort: sort.optional().describe('By aliases, or properties of groupBy'),
    page: z.int().min(1).optional().describe('From 1'),
    pageSize: z.int().min(1).max(1_000).optional().describe('1,000 unless told'),
  }),
  examples: [
    {
      title: 'Open work orders and their cost by month',
      input: {
        entity: 'WorkOrder',
        filterRules: [{ property: 'Status', op: 'eq', value: 'open' }],
        groupBy: [{ property: 'DueDate', datePart: 'month' }],
        aggregates: [
          { fn: 'COUNT', alias: 'orders' },
          { fn: 'SUM', property: 'Cost', alias: 'cost' },
        ],
        having: [{ property: 'orders', op: 'gt', value: 5 }],
        sort: [{ property: 'cost', direction: 'desc' }],
      },
      output: {
        rows: [
          {
            combinedPivotJson: '{"WorkOrder_DueDate": "2026-03", "WorkOrder_COUNT": 12, "WorkOrder_Cost": 4210.5}',
            data: { WorkOrder_DueDate: '2026-03', orders: 12, cost: 4210.5 },
          },
        ],
        totalCount: 1,
      },
    },
  ],
  async handler(context, { entity: slot, ...input }) {
    // Asked for first: a statement that takes long is not to be run again because the catalog turns out to have changed.
    const catalog = await cachedCatalog(context)
    return aggregateRecords(context, await readFrameOf(context, catalog, entityInPath(catalog, slot)), input)
  },
})
