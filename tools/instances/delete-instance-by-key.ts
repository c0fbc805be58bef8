import { z } from 'zod'

import { defineOperation, destroys } from '#platform/operation.ts'
import { entity } from '#tools/query/query.schema.ts'
import { keysInBody } from '#tools/query/service.ts'

import { deleteByKeys } from './deleting-by-key.ts'
import { deletion, dryRun, keyPart } from './instances.schema.ts'

export const deleteInstanceByKey = defineOperation({
  ...destroys(deletion),
  name: 'delete_instance_by_key',
  title: 'Delete one record by its composite key',
  description:
    'Deletes the record with key1..3, with all records below it (deletedChildren; dryRun tells before). Many at once: delete_instances_bulk.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/delete-by-key',
  roles: 'DataDelete',
  input: z.object({ entity, key1: keyPart.min(1), key2: keyPart.optional(), key3: keyPart.optional(), dryRun }),
  examples: [
    {
      title: 'A key with two parts',
      input: { entity: 'Reading', key1: 'M-7', key2: '2026-03-01' },
      output: { eiRecordId: 30721, deleted: true, deletedChildren: 0 },
    },
  ],
  handler: (context, input) => deleteByKeys(context, input.entity, keysInBody(input), input.dryRun),
})
