import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { toIssue } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { envelopeBytes } from '#platform/paging.ts'
import { draftRows, readDraft } from '#platform/validation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { entity } from '#tools/query/query.schema.ts'
import { entityInPath } from '#tools/query/service.ts'

import { withinAnswer } from './bulk-answer.rules.ts'
import { bulkResult, fireTriggers, importMode, moveParent, saveRow } from './instances.schema.ts'
import { startingNothing } from './many/starting-nothing.ts'
import { saveRows } from './save/save-rows.ts'
import { type ImportMode, type SaveWish, toWish } from './save/understand-row.rules.ts'
import { readWishes, type RowMeans } from './save/understand-rows.ts'
import { writeFrame } from './save/write-frame.ts'

// Where so much is wrong, the first mistake of each further row says enough.
const findingsInFull = 2_000

/** What a row means; one that has not the shape of a row means nothing but its findings. */
function readRow(
  catalogEntity: CatalogEntity,
  draft: unknown,
  index: number,
  modeOfCall: ImportMode | undefined,
  means: RowMeans,
  most: number,
): SaveWish {
  const at = { index, path: `$.rows[${index}]`, modeOfCall, ...means, most }
  const row = readDraft(saveRow, draft, at.path, most)
  if (row.isOk) return toWish(catalogEntity, row.value, at)
  return { ...toWish(catalogEntity, {}, at), issues: row.findings }
}

export const saveInstancesBulk = defineOperation({
  ...writes(bulkResult),
  name: 'save_instances_bulk',
  title: 'Save many records',
  description:
    'Saves up to 10,000 rows of one entity in one transaction, each found by its key as in save_instance. A row that is not valid fails alone and the others are saved; a row may name a parent that an earlier row makes; the importMode of a row goes before that of the call. Results stand in the order of the rows. For files use import_instances.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/bulk',
  roles: 'DataImport',
  errors: ['not_found', 'unknown_property'],
  input: z.object({ entity, importMode: importMode.optional(), moveParent, fireTriggers, rows: draftRows(saveRow) }),
  examples: [
    {
      title: 'Two readings',
      input: {
        entity: 'Reading',
        rows: [
          { key1: 'R-1', data: { Value: 12.5 } },
          { key1: 'R-2', data: { Value: 13 } },
        ],
      },
      output: {
        results: [
          { index: 0, outcome: 'inserted', eiRecordId: 30721 },
          { index: 1, outcome: 'skipped', eiRecordId: 30722 },
        ],
        inserted: 1,
        updated: 0,
        skipped: 1,
        failed: 0,
      },
    },
  ],
  async handler(context, input) {
    const { bulkRows } = context.services.config.limits
    if (input.rows.length > bulkRows)
      throw new AppError(
        'too_large',
        `At most ${bulkRows} rows in one call, got ${input.rows.length}. Split the rows, or use import_instances.`,
      )
    const frame = await writeFrame(context, (catalog) => entityInPath(catalog, input.entity))
    let told = 0
    let cutFrom: number | undefined
    const wishes = await readWishes(input.rows, (row, index, means) => {
      const isCut = told >= findingsInFull
      const wish = readRow(frame.entity, row, index, input.importMode, means, isCut ? 1 : maxIssues)
      told += wish.issues.length
      if (isCut && wish.issues.length > 0) cutFrom ??= index
      return wish
    })
    const outcomes = await saveRows(startingNothing(context, input.fireTriggers), frame, wishes, {
      movesParents: input.moveParent === true,
    })
    const counts = { inserted: 0, updated: 0, skipped: 0, failed: 0 }
    for (const { outcome } of outcomes) counts[outcome]++
    context.audit(counts)
    const results = outcomes.map((one) => {
      const { index, outcome, eiRecordId } = one
      const known = { index, outcome, ...(eiRecordId === undefined ? {} : { eiRecordId }) }
      return one.outcome === 'failed'
        ? { ...known, errors: one.errors.map(toIssue) }
        : { ...known, ...(one.moved ? { moved: one.moved } : {}), ...(one.jobIds ? { jobIds: [...one.jobIds] } : {}) }
    })
    const moved = outcomes.filter((one) => one.outcome === 'updated' && one.moved).length
    return {
      ...withinAnswer(context.answerBytes - envelopeBytes, results),
      ...counts,
      ...(moved > 0 ? { moved } : {}),
      ...(cutFrom === undefined ? {} : { oneErrorFrom: cutFrom }),
    }
  },
})
