import { z } from 'zod'

import { rawJson } from '#platform/answer.ts'
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { entity, narrowInput, record } from '#tools/query/query.schema.ts'
import { anyRecordId, showing, findDocument, readFrame, shownOf, timeOf } from '#tools/query/service.ts'

import { exampleInstance, instance } from './instances.schema.ts'

export const getInstanceAsOf = defineOperation({
  ...reads(instance),
  name: 'get_instance_as_of',
  title: 'One record as of a time',
  description:
    'One record as it was at a time; deletedDate is set where it was deleted by then. 404 where it did not exist yet. All records at a time: list_instances_as_of.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/as-of',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property'],
  queryFields: ['utc'],
  input: z.object({ entity, record, utc: z.string().max(100).describe('ISO 8601 time; a day means its end, in UTC'), ...narrowInput }),
  examples: [
    {
      title: 'At the end of March',
      input: { entity: 'WorkOrder', record: '20481', utc: '2026-03-31T23:59:59Z' },
      output: { ...exampleInstance, deletedDate: null },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const at = timeOf(input.utc, 'utc', 'end')
    const frame = await readFrame(context, input.entity)
    const shown = shownOf(context, frame, input)
    const id = await anyRecordId(context, frame, input.record)
    const document = await inRecords(tx, tenantId, () => findDocument(tx, showing(frame, shown, { rows: 'withDeleted', asOf: at }), { id }))
    if (document === undefined)
      throw new AppError('not_found', `The record did not exist at ${at}. get_instance_history tells since when it does.`)
    return rawJson(document)
  },
})
