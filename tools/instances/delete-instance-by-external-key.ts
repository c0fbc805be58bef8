import { z } from 'zod'

import { defineOperation, destroys } from '#platform/operation.ts'
import { entity } from '#tools/query/query.schema.ts'
import { keysInBody } from '#tools/query/service.ts'

import { deleteByKeys } from './deleting-by-key.ts'
import { deletion, dryRun } from './instances.schema.ts'

export const deleteInstanceByExternalKey = defineOperation({
  ...destroys(deletion),
  name: 'delete_instance_by_external_key',
  title: 'Delete one record by its external key',
  description:
    'Deletes the record with this externalKey, the key parts joined by " / ", with all records below it (deletedChildren; dryRun tells before). By eiRecordId: delete_instance.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/delete-by-external-key',
  roles: 'DataDelete',
  input: z.object({ entity, externalKey: z.string().min(1).max(30_000), dryRun }),
  examples: [
    {
      title: 'A key with two parts',
      input: { entity: 'Reading', externalKey: 'M-7 / 2026-03-01' },
      output: { eiRecordId: 30721, deleted: true, deletedChildren: 0 },
    },
  ],
  handler: (context, input) => deleteByKeys(context, input.entity, keysInBody(input), input.dryRun),
})
