import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { entity } from '#tools/query/query.schema.ts'
import { entityInPath } from '#tools/query/service.ts'

import { exampleInstance, moveParent, rowFields, savedInstance } from './instances.schema.ts'
import { saveOne } from './save/save-one-row.ts'
import { readWish } from './save/understand-rows.ts'
import { writeFrame } from './save/write-frame.ts'

export const saveInstance = defineOperation({
  ...writes(savedInstance),
  name: 'save_instance',
  title: 'Save one record',
  description:
    'Saves one record of an entity: found by its key (key1..3, or the properties that are key parts), inserted where none has it. A key names one record whatever its parent: another parent than the record has is 409, unless moveParent. Call describe_entity first for property names and types; values of Attachment properties are assetKeys from create_upload_url. outcome tells inserted, updated or skipped. For many rows use save_instances_bulk or import_instances.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances',
  roles: 'DataEdit',
  errors: ['not_found', 'already_exists', 'unknown_property', 'unprocessable'],
  input: z.object({ entity, ...rowFields, moveParent }),
  examples: [
    {
      title: 'A work order',
      input: { entity: 'WorkOrder', key1: 'WO-1001', data: { Title: 'Replace the gate valve', Status: 'open' } },
      output: { ...exampleInstance, outcome: 'inserted' },
    },
  ],
  async handler(context, { entity: name, moveParent: movesParents, ...row }) {
    const frame = await writeFrame(context, (catalog) => entityInPath(catalog, name))
    return saveOne(context, frame, await readWish(frame.entity, row), movesParents)
  },
})
