import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { entity, filterRules } from '#tools/query/query.schema.ts'
import { countRecords, entityInPath, selectIds } from '#tools/query/service.ts'

import { data, fireTriggers } from '../instances.schema.ts'
import { readWish } from '../save/understand-rows.ts'
import { writeFrame } from '../save/write-frame.ts'
import { saveAlike } from './save-alike.ts'
import { startingNothing } from './starting-nothing.ts'

export const updateInstancesByFilter = defineOperation({
  ...writes(
    z.object({ matched: z.int().describe('Records that the filter selects'), updated: z.int().describe('Of them, those that differed') }),
  ),
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity', 'unprocessable'],
  name: 'update_instances_by_filter',
  title: 'Change all records that a filter selects',
  description:
    'Sets the same values on every record of an entity that a filter selects, up to 10,000, all or nothing. First with dryRun: it tells how many and what would be refused. Different values: save_instances_bulk.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/bulk-update',
  roles: 'DataEdit',
  input: z.object({ entity, filterRules, data, fireTriggers, dryRun: z.boolean().optional().describe('Only tells: updated is 0') }),
  examples: [
    {
      title: 'Close what is done',
      input: { entity: 'WorkOrder', filterRules: [{ property: 'Status', op: 'eq', value: 'done' }], data: { Status: 'closed' } },
      output: { matched: 42, updated: 42 },
    },
  ],
  async handler(context, input) {
    const { bulkRows } = context.services.config.limits
    const isDry = input.dryRun === true
    const frame = await writeFrame(context, (catalog) => entityInPath(catalog, input.entity))
    if (Object.keys(input.data).length === 0)
      throw new AppError('invalid_input', 'Say in data what to set.', { issues: [finding('$.data', 'Expected at least one property.')] })
    const wish = await readWish(frame.entity, { data: input.data }, 0)
    const seen = { ...frame, sight: frame.access }
    const ids = await selectIds(context, seen, input.filterRules, { limit: bulkRows + 1, isHeld: !isDry })
    if (ids.length > bulkRows) {
      const matched = await countRecords(context, seen, input, undefined)
      throw new AppError(
        'too_large',
        `The filter selects ${matched} records, and one call changes at most ${bulkRows}, all or nothing. Take them in parts: add ` +
          `{"property": "eiRecordId", "op": "lte", "value": ${ids[bulkRows - 1]}} to the filter, then go on with gt.`,
      )
    }
    const updated = await saveAlike(startingNothing(context, input.fireTriggers), frame, wish, ids, isDry)
    context.audit({ matched: ids.length, updated, ...(isDry ? { dryRun: true } : {}) })
    return { matched: ids.length, updated }
  },
})
