import { z } from 'zod'

import { rawJson } from '#platform/answer.ts'
import { inRecords } from '#platform/db/records.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { entity, record } from '#tools/query/query.schema.ts'
import { entityInPath, noSuchRecord, recordName, seenAmong } from '#tools/query/service.ts'

import { exampleInstance, rowFields, savedInstance } from './instances.schema.ts'
import { wishOfVersion } from './reverting.ts'
import { findLiveByIds, findLiveByKeys } from './save/live.store.ts'
import { saveOne } from './save/save-one-row.ts'
import { writeFrame } from './save/write-frame.ts'

const notReverted = z
  .array(z.object({ property: z.string(), reason: z.string() }))
  .describe('What keeps its present value: gone since, no longer allowed, or not yours to write')

export const revertInstance = defineOperation({
  ...writes(savedInstance.extend({ notReverted })),
  isIdempotent: true,
  name: 'revert_instance',
  title: 'Take a record back to an earlier version',
  description:
    'Saves the values that one record had in an earlier version, as a new version; take version from get_instance_history. Key and parent stay. What cannot be saved again keeps its present value and stands in notReverted. A deleted record: restore_instance first.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/revert',
  roles: 'DataEdit',
  errors: ['not_found', 'already_exists', 'unknown_property', 'unprocessable'],
  input: z.object({
    entity,
    record,
    version: z.int().min(1).describe('As get_instance_history numbers them'),
    expectedRowHash: rowFields.expectedRowHash,
  }),
  examples: [
    {
      title: 'As it was when it was made',
      input: { entity: 'WorkOrder', record: '20481', version: 1 },
      output: { ...exampleInstance, outcome: 'updated', notReverted: [] },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const frame = await writeFrame(context, (catalog) => entityInPath(catalog, input.entity))
    const { entityId } = frame.entity
    const name = recordName(input.record)
    if ('id' in name && !Number.isSafeInteger(name.id)) throw noSuchRecord(input.record)
    const [live] = await inRecords(tx, tenantId, () =>
      'id' in name ? findLiveByIds(tx, tenantId, entityId, [name.id]) : findLiveByKeys(tx, tenantId, entityId, [name.keys]),
    )
    if (!live || !(await seenAmong(context, frame.catalog, frame.entity, [live.id])).has(live.id)) throw noSuchRecord(input.record)
    const { wish, kept } = await wishOfVersion(context, frame, live, input.version)
    const expectedRowHash = input.expectedRowHash?.toUpperCase()
    const { text } = await saveOne(context, frame, { ...wish, expectedRowHash })
    context.audit({ version: input.version })
    return rawJson(`${text.slice(0, -1)},"notReverted":${JSON.stringify(kept)}}`)
  },
})
