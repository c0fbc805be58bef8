import { z } from 'zod'

import { rawJson } from '#platform/answer.ts'
import { compareEpoch } from '#platform/db/epoch.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { pageSizeMax } from '#platform/paging.ts'
import { entity, narrowInput } from '#tools/query/query.schema.ts'
import { readChanges, readFrame, shownOf } from '#tools/query/service.ts'

import { changedInstance, exampleInstance, sightMayLag } from './instances.schema.ts'

export const listInstancesChangedSince = defineOperation({
  ...reads(z.object({ rows: z.array(changedInstance), watermark: z.string(), hasMore: z.boolean(), sightMayLag })),
  name: 'list_instances_changed_since',
  title: 'Records changed since a watermark',
  description:
    'What was added, modified or deleted since a watermark, one row a record. Keep the answered watermark and send it next time; repeat at once while hasMore. Without a watermark it starts from the beginning. 409 watermark_reset means: begin anew. No committed change is lost or repeated.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/changed-since',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property', 'watermark_reset'],
  input: z.object({
    entity,
    watermark: z.string().max(2000).optional().describe('From the last answer, or an ISO 8601 time (inclusive; may repeat)'),
    pageSize: z.int().min(1).max(pageSizeMax).optional(),
    ...narrowInput,
  }),
  examples: [
    {
      title: 'From the beginning',
      input: { entity: 'WorkOrder' },
      output: { rows: [{ ...exampleInstance, deletedDate: null, changeKind: 'added' }], watermark: 'WyJ3MSIsImY2', hasMore: false },
    },
  ],
  async handler(context, input) {
    const frame = await readFrame(context, input.entity)
    const shown = shownOf(context, frame, input)
    const {
      items,
      watermark,
      hasMore,
      sightMayLag: mayLag,
    } = await readChanges(context, frame, { watermark: input.watermark, pageSize: input.pageSize ?? 50, onlyDeleted: false, shown }, () => {
      throw new StaleRead('the cluster was restarted', () => compareEpoch(context.services.databases))
    })
    return rawJson(`{"rows":${items},"watermark":${JSON.stringify(watermark)},"hasMore":${hasMore}${mayLag ? ',"sightMayLag":true' : ''}}`)
  },
})
