import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { entity, record } from '#tools/query/query.schema.ts'
import { entityInPath, liveRecordId, noSuchRecord } from '#tools/query/service.ts'

import { exampleInstance, rowFields, savedInstance } from './instances.schema.ts'
import { saveOne } from './save/save-one-row.ts'
import { readWish } from './save/understand-rows.ts'
import { writeFrame } from './save/write-frame.ts'

const { parentEIRecordId, parentKey1, parentKey2, parentKey3, parentEntity, expectedRowHash } = rowFields

export const setInstanceParent = defineOperation({
  ...writes(savedInstance),
  isIdempotent: true,
  name: 'set_instance_parent',
  title: 'Put a record under another parent',
  description:
    'Moves one record, with all that stands below it, under the parent named by parentEIRecordId or parentKey1..3; parentEIRecordId null takes it from its parent. Its values stay. Below itself is 409. outcome is skipped where it stands there already.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/parent',
  roles: 'DataEdit',
  errors: ['not_found', 'already_exists', 'unprocessable'],
  input: z.object({
    entity,
    record,
    parentEIRecordId: parentEIRecordId.describe('null: no parent'),
    parentKey1,
    parentKey2,
    parentKey3,
    parentEntity,
    expectedRowHash,
  }),
  examples: [
    {
      title: 'A log entry that belongs to another order',
      input: { entity: 'WorkLog', record: '20502', parentKey1: 'WO-1002' },
      output: { ...exampleInstance, eiRecordId: 20502, entityId: 14, parentEIRecordId: 20482, outcome: 'updated', moved: true },
    },
  ],
  async handler(context, { entity: slot, record: target, ...parent }) {
    if (parent.parentEIRecordId === undefined && !parent.parentKey1)
      throw new AppError('invalid_input', 'Say the parent: parentEIRecordId (null for none), or parentKey1..3.')
    const frame = await writeFrame(context, (catalog) => entityInPath(catalog, slot))
    const id = await liveRecordId(context, { ...frame, sight: frame.access }, target)
    try {
      return await saveOne(context, frame, await readWish(frame.entity, { ...parent, data: {} }, id))
    } catch (error) {
      // A record that the caller does not see is told as one that nobody has: by the name that they gave it.
      throw error instanceof AppError && error.code === 'not_found' ? noSuchRecord(target) : error
    }
  },
})
