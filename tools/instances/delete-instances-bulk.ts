import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { toIssue } from '#platform/findings.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { envelopeBytes } from '#platform/paging.ts'
import { draftRows, finding, type Finding, readDraft } from '#platform/validation.ts'
import { entity } from '#tools/query/query.schema.ts'
import type { Keys } from '#tools/query/service.ts'

import { withinAnswer } from './bulk-answer.rules.ts'
import { findNamed } from './deleting-by-key.ts'
import { deleteRecords, findUndeletable, writeFrameWithBelow } from './deleting.ts'
import { deletion, dryRun, eiRecordId, errorsLeftOut, keyPart, rowErrors } from './instances.schema.ts'
import { keyName } from './save/understand-row.rules.ts'

const keyRow = z.strictObject({ key1: keyPart.min(1), key2: keyPart.optional(), key3: keyPart.optional() })

function keysOf({ key1, key2 = '', key3 = '' }: z.output<typeof keyRow>): Keys {
  return [key1, key2, key3]
}

function failed(index: number, findings: readonly Finding[]) {
  return { index, outcome: 'failed' as const, errors: findings.map(toIssue) }
}

export const deleteInstancesBulk = defineOperation({
  ...destroys(
    z.object({
      results: z.array(
        z.object({
          index: z.int(),
          outcome: z.enum(['deleted', 'wouldDelete', 'failed']),
          eiRecordId: eiRecordId.optional(),
          deleted: deletion.shape.deleted.optional(),
          deletedChildren: deletion.shape.deletedChildren.optional(),
          errors: rowErrors,
        }),
      ),
      deleted: z.int().describe('Of the keys; 0 in a dry run'),
      deletedChildren: z.int().describe('Records below them, all told'),
      failed: z.int(),
      errorsLeftOut,
    }),
  ),
  name: 'delete_instances_bulk',
  title: 'Delete many records by their keys',
  description:
    'Deletes up to 10,000 records of one entity by a list of composite keys, with all records below them (deletedChildren; dryRun tells before). A key that no live record has, or that is none, fails alone.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/bulk-delete',
  roles: 'DataDelete',
  input: z.object({ entity, keys: draftRows(keyRow).describe('{key1, key2?, key3?} or {externalKey} each'), dryRun }),
  examples: [
    {
      title: 'Two keys, one of which is not there',
      input: { entity: 'Reading', keys: [{ key1: 'R-1' }, { key1: 'R-9' }] },
      output: {
        results: [
          { index: 0, outcome: 'deleted', eiRecordId: 30721, deleted: true, deletedChildren: 2 },
          { index: 1, outcome: 'failed', errors: [{ path: '$.keys[1]', severity: 'error', message: 'No such record.' }] },
        ],
        deleted: 1,
        deletedChildren: 2,
        failed: 1,
      },
    },
  ],
  async handler(context, input) {
    const { services } = context
    const { bulkRows } = services.config.limits
    if (input.keys.length > bulkRows)
      throw new AppError('too_large', `At most ${bulkRows} keys in one call, got ${input.keys.length}. Split the list.`)
    const frame = await writeFrameWithBelow(context, input.entity)
    const rows = input.keys.map((draft, index) => readDraft(keyRow, draft, `$.keys[${index}]`))
    const keys = rows.flatMap((row) => (row.isOk ? [keysOf(row.value)] : []))
    const live = await findNamed(context, frame, keys)
    const byKey = new Map(live.map((found) => [keyName([found.key1, found.key2, found.key3]), found.id]))
    const isDry = input.dryRun === true
    const refused = await findUndeletable(context, frame, [...byKey.values()])
    const below = await deleteRecords(
      context,
      frame,
      [...byKey.values()].filter((id) => !refused.has(id)),
      isDry,
    )
    const outcome = isDry ? ('wouldDelete' as const) : ('deleted' as const)
    const seen = new Set<string>()
    const results = rows.map((row, index) => {
      if (!row.isOk) return failed(index, row.findings)
      const name = keyName(keysOf(row.value))
      const id = byKey.get(name)
      const isSecond = seen.has(name)
      seen.add(name)
      const deletedChildren = id === undefined ? undefined : below.get(id)
      const refusal = id === undefined ? undefined : refused.get(id)
      const why = refusal ?? 'No such record.'
      if (!isSecond && id !== undefined && deletedChildren !== undefined)
        return { index, outcome, eiRecordId: id, deleted: !isDry, deletedChildren }
      return failed(index, [finding(`$.keys[${index}]`, isSecond ? 'An earlier key of this call is the same.' : why)])
    })
    const deleted = results.filter((result) => result.outcome === 'deleted').length
    const deletedChildren = [...below.values()].reduce((sum, count) => sum + count, 0)
    const failedRows = results.filter((result) => result.outcome === 'failed').length
    context.audit({ deleted, deletedChildren, ...(isDry ? { dryRun: true } : {}) })
    return { ...withinAnswer(context.answerBytes - envelopeBytes, results), deleted, deletedChildren, failed: failedRows }
  },
})
