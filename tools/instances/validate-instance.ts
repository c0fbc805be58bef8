import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { draftOf, type Finding, finding, validateDraft, validation } from '#platform/validation.ts'
import { entity, record } from '#tools/query/query.schema.ts'
import { entityInPath } from '#tools/query/service.ts'

import { moveParent, saveRow } from './instances.schema.ts'
import { rowNamed } from './save/named-row.ts'
import { leftAsItIs } from './save/save-one-row.ts'
import { tryRows } from './save/save-rows.ts'
import type { SaveRowInput } from './save/understand-row.rules.ts'
import { readWish } from './save/understand-rows.ts'
import { writeFrame } from './save/write-frame.ts'

const draft = saveRow.extend({ moveParent, record: record.optional() })
const writingRoles = roleBits.DataEdit | roleBits.DataImport

export const validateInstance = defineOperation({
  ...reads(validation),
  name: 'validate_instance',
  title: 'Check a record before it is saved',
  description:
    'Holds the row of save_instance, or with record that of upsert_instance, against all that a save asks, and writes nothing: values, keys taken, parents, expectedRowHash, access rules. Answers the findings.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/validate',
  roles: 'DataView',
  input: draftOf(draft, 'save_instance').extend({ entity }),
  examples: [
    {
      title: 'A misspelled option',
      input: { entity: 'WorkOrder', key1: 'WO-1001', data: { Status: 'opn' } },
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.data.Status',
            severity: 'error',
            message: 'There is no option "opn".',
            suggestion: 'open',
          },
        ],
      },
    },
  ],
  async handler(context, { entity: slot, ...input }) {
    const frame = await writeFrame(context, (catalog) => entityInPath(catalog, slot))
    // Whether a key is taken by a record that the caller does not see is told to who may save alone.
    if (frame.access && (context.actor.roleFlag & writingRoles) === 0) {
      const message = `A save of ${frame.entity.internalName} needs the role DataEdit, and its access rules let nobody else try one.`
      return validateDraft(draft, input, async () => [finding('$', message)])
    }
    // A read has no stamp, which rules on the time of the change are asked with.
    const trial = { ...context, stamp: new Date().toISOString() }
    return validateDraft(draft, input, async ({ record: target, moveParent: movesParents, ...row }) =>
      findingsOf(trial, { ...frame, isDry: true }, { row, target, movesParents }),
    )
  },
})

async function findingsOf(
  context: TxContext,
  frame: Parameters<typeof tryRows>[1],
  draftRow: { readonly row: SaveRowInput; readonly target: string | number | undefined; readonly movesParents: boolean | undefined },
): Promise<readonly Finding[]> {
  const { row, target, movesParents } = draftRow
  let named: ReturnType<typeof rowNamed>
  try {
    named = target === undefined ? { row } : rowNamed(target, row)
  } catch (error) {
    if (error instanceof AppError) return [finding('$.record', error.message)]
    throw error
  }
  const wish = await readWish(frame.entity, named.row, named.targetId)
  const outcome = (await tryRows(context, frame, [wish], { movesParents: movesParents === true })).get(wish.index)
  if (outcome?.outcome === 'failed') return outcome.errors
  const isLeft = outcome?.outcome === 'skipped' && wish.mode === 'insertOnly'
  return isLeft ? [finding('$.importMode', leftAsItIs(outcome.eiRecordId))] : []
}
