import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { entity, listInput, narrowInput } from '#tools/query/query.schema.ts'
import { listRecords, readFrame, timeOf } from '#tools/query/service.ts'

import { exampleInstance, instance } from './instances.schema.ts'

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
    modifiedSinceUtc: z.string().max(100).optional().describe('Only records changed at or after this ISO 8601 time, or day'),
    changedSince: z.string().max(100).optional().describe('Another name of modifiedSinceUtc'),
    includeDeleted: z.boolean().optional().describe('Deleted records too, with deletedDate'),
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
    const { modifiedSinceUtc, changedSince } = input
    if (modifiedSinceUtc !== undefined && changedSince !== undefined && modifiedSinceUtc !== changedSince) {
      throw new AppError('invalid_input', 'modifiedSinceUtc and changedSince are two names of one thing and differ. Send one of them.')
    }
    const since = modifiedSinceUtc ?? changedSince
    const field = modifiedSinceUtc === undefined ? 'changedSince' : 'modifiedSinceUtc'
    const modifiedSince = since === undefined ? undefined : timeOf(since, field, 'begin')
    return listRecords(context, await readFrame(context, input.entity), input, {
      rows: input.includeDeleted === true ? 'withDeleted' : 'live',
      modifiedSince,
    })
  },
})
