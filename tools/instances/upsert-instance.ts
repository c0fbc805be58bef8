import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { entity, record } from '#tools/query/query.schema.ts'
import { entityInPath } from '#tools/query/service.ts'

import { exampleInstance, moveParent, rowFields, savedInstance } from './instances.schema.ts'
import { rowNamed } from './save/named-row.ts'
import { saveOne } from './save/save-one-row.ts'
import { readWish } from './save/understand-rows.ts'
import { writeFrame } from './save/write-frame.ts'

export const upsertInstance = defineOperation({
  ...writes(savedInstance),
  name: 'upsert_instance',
  title: 'Save the record named in the path',
  description:
    'Saves one record that is named by eiRecordId or by key1. With an id the record must exist, keys in the body rename it and a parent moves it; with a key it is made where absent, and moving needs moveParent. Send data or dataJson with the properties to change; expectedRowHash from get_instance refuses a lost update with 409.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}',
  roles: 'DataEdit',
  errors: ['not_found', 'already_exists', 'unknown_property', 'unprocessable'],
  sharedPath: { whenBodyHas: ['data', 'dataJson'] },
  input: z.object({ entity, record, ...rowFields, moveParent }),
  examples: [
    {
      title: 'Close a work order',
      input: { entity: 'WorkOrder', record: '20481', data: { Status: 'done' }, expectedRowHash: exampleInstance.rowHash },
      output: { ...exampleInstance, outcome: 'updated' },
    },
  ],
  async handler(context, { entity: name, record: target, moveParent: movesParents, ...row }) {
    if (row.data === undefined && row.dataJson === undefined)
      throw new AppError('invalid_input', 'Send data or dataJson with the values to save. To read the record, call get_instance.')
    const frame = await writeFrame(context, (catalog) => entityInPath(catalog, name))
    const named = rowNamed(target, row)
    return saveOne(context, frame, await readWish(frame.entity, named.row, named.targetId), movesParents)
  },
})
