import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { entity, narrowInput, record } from '#tools/query/query.schema.ts'
import { readDocument, readFrame } from '#tools/query/service.ts'

import { exampleInstance, instance } from './instances.schema.ts'

export const getInstance = defineOperation({
  ...reads(instance),
  name: 'get_instance',
  title: 'Read one record',
  description:
    'Reads one live record by eiRecordId, or by key1 where the key has one part that is not a number. Keys with several parts, with digits alone or with a slash: get_instance_by_key. Earlier states: get_instance_history, get_instance_as_of.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}',
  roles: 'DataView',
  errors: ['not_found', 'unknown_property'],
  sharedPath: { whenBodyHasOnly: ['properties', 'withDataJson'] },
  input: z.object({ entity, record, ...narrowInput }),
  examples: [{ title: 'By id', input: { entity: 'WorkOrder', record: '20481' }, output: exampleInstance }],
  async handler(context, input) {
    return readDocument(context, await readFrame(context, input.entity), input.record, input)
  },
})
