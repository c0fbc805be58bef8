import { z } from 'zod'

import { listing, rawJson } from '#platform/answer.ts'
import { inRecords } from '#platform/db/records.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, pageInput, pageOf, totalOf } from '#platform/paging.ts'
import { entity, filterRules, narrowInput } from '#tools/query/query.schema.ts'
import { compiling, listDocumentsAsOf, listingOf, queryOf, readFrame, shownOf, timeOf } from '#tools/query/service.ts'

import { exampleInstance, instance } from './instances.schema.ts'

export const listInstancesAsOf = defineOperation({
  ...reads(z.array(instance)),
  name: 'list_instances_as_of',
  title: 'Records as of a time',
  description:
    'The records of an entity that lived at a time, as they were then, by eiRecordId. The filter looks at the values of that time. One record: get_instance_as_of.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/as-of',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property'],
  input: z.object({
    entity,
    asOfDate: z.string().max(100).describe('ISO 8601 time; a day means its end, in UTC'),
    ...pageInput,
    filterRules: filterRules.optional(),
    filters: filterRules.optional().describe('Another name of filterRules'),
    ...narrowInput,
  }),
  examples: [{ title: 'At the end of March', input: { entity: 'WorkOrder', asOfDate: '2026-03-31T23:59:59Z' }, output: [exampleInstance] }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const at = timeOf(input.asOfDate, 'asOfDate', 'end')
    const page = pageOf(context, input)
    const frame = await readFrame(context, input.entity)
    const { filter } = queryOf(frame, input)
    const shown = shownOf(context, frame, input)
    if (!frame.hasTable) return listing<never>(rawJson('[]'), totalOf(page, 0))
    const afterId = page.cursor === undefined ? undefined : decodeIdCursor(page.cursor)
    const rows = await inRecords(tx, tenantId, () =>
      listDocumentsAsOf(tx, tenantId, compiling(frame, shown), page, { at, filter, afterId }),
    )
    return listingOf(page, rows, (position) => position)
  },
})
