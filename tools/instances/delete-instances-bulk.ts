import { z } from 'zod'

import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { draftRows, finding, type Finding, readDraft } from '#platform/validation.ts'

import { deleteRecords, writeFrameWithBelow } from './deleting.ts'
import { eiRecordId, entity, rowErrors } from './instances.schema.ts'
import type { Keys } from './keys.rules.ts'
import { keyName } from './save.rules.ts'
import { findLiveByKeys } from './live.store.ts'

const keyRow = z.strictObject({ key1: z.string().min(1), key2: z.string().optional(), key3: z.string().optional() })

function keysOf({ key1, key2 = '', key3 = '' }: z.output<typeof keyRow>): Keys {
  return [key1, key2, key3]
}

function failed(index: number, findings: readonly Finding[]) {
  return { index, outcome: 'failed' as const, errors: [...findings] }
}

export const deleteInstancesBulk = defineOperation({
  ...destroys(
    z.object({
      results: z.array(
        z.object({
          index: z.int(),
          outcome: z.enum(['deleted', 'failed']),
          eiRecordId: eiRecordId.optional(),
          errors: rowErrors,
        }),
      ),
      deleted: z.int(),
      failed: z.int(),
    }),
  ),
  name: 'delete_instances_bulk',
  title: 'Delete many records by their keys',
  description:
    'Deletes up to 10,000 records of one entity by a list of composite keys, with their child records. A key that no live record has, or that is none, fails alone.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/bulk-delete',
  roles: 'DataDelete',
  input: z.object({ entity, keys: draftRows(keyRow) }),
  examples: [
    {
      title: 'Two keys, one of which is not there',
      input: { entity: 'Reading', keys: [{ key1: 'R-1' }, { key1: 'R-9' }] },
      output: {
        results: [
          { index: 0, outcome: 'deleted', eiRecordId: 30721 },
          { index: 1, outcome: 'failed', errors: [{ path: '$.keys[1]', severity: 'error', message: 'No such record.' }] },
        ],
        deleted: 1,
        failed: 1,
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, services } = context
    const { bulkRows } = services.config.limits
    if (input.keys.length > bulkRows)
      throw new AppError('too_large', `At most ${bulkRows} keys in one call, got ${input.keys.length}. Split the list.`)
    const frame = await writeFrameWithBelow(context, input.entity)
    const rows = input.keys.map((draft, index) => readDraft(keyRow, draft, `$.keys[${index}]`))
    const keys = rows.flatMap((row) => (row.isOk ? [keysOf(row.value)] : []))
    const live = await inRecords(tx, tenantId, () => findLiveByKeys(tx, tenantId, frame.entity.entityId, keys))
    const byKey = new Map(live.map((found) => [keyName([found.key1, found.key2, found.key3]), found.id]))
    const gone = await deleteRecords(context, frame, [...byKey.values()])
    const seen = new Set<string>()
    const results = rows.map((row, index) => {
      if (!row.isOk) return failed(index, row.findings)
      const name = keyName(keysOf(row.value))
      const id = byKey.get(name)
      const isSecond = seen.has(name)
      seen.add(name)
      if (!isSecond && id !== undefined && gone.has(id)) return { index, outcome: 'deleted' as const, eiRecordId: id }
      return failed(index, [finding(`$.keys[${index}]`, isSecond ? 'An earlier key of this call is the same.' : 'No such record.')])
    })
    const deleted = results.filter((result) => result.outcome === 'deleted').length
    context.audit({ deleted })
    return { results, deleted, failed: results.length - deleted }
  },
})
