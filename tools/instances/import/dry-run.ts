/**
 * Dry imports: each chunk is saved as an import would save it, in a transaction that is then taken back. What earlier rows of the file would have made is
 * kept beside the job and saved again before the rows that name it, so that a later row of one key updates, and finds the parent that an earlier one makes.
 */
import { createHash } from 'node:crypto'

import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { RunningJob } from '#tools/jobs/service.ts'

import type { SaveOutcome } from '../save/match-records.ts'
import { saveRows } from '../save/save-rows.ts'
import { type SaveRowInput, type SaveWish, toWish } from '../save/understand-row.rules.ts'
import { readWishes } from '../save/understand-rows.ts'
import type { WriteFrame } from '../save/write-frame.ts'
import { importFrame, type ImportInput, importWork, type Position, reachedBy, wishOf } from './chunks.ts'
import type { PlanEntity } from './mapping.rules.ts'
import { countTogether } from './order.rules.ts'
import type { PlannedChunk } from './planning.ts'
import { mergeSaves } from './preview.rules.ts'
import { listPreviews, type Preview, savePreviews } from './preview.store.ts'

/** Of one chunk: so many rows of before are saved again for it. */
const maxReplayed = 10_000

const hashOf = (keys: readonly string[]) => createHash('sha256').update(keys.join('\u0000')).digest('hex')

/** Ends the transaction of a dry chunk, which takes back what it wrote. */
class TakenBack extends Error {
  override readonly name = 'TakenBack'
  readonly reached: Position
  readonly previews: readonly Preview[]

  constructor(reached: Position, previews: readonly Preview[]) {
    super('A dry run takes back what it wrote')
    this.reached = reached
    this.previews = previews
  }
}

/** Tries a chunk out; answers where the dry run then is, and what commits it together with that. */
export async function tryChunk(
  services: Services,
  job: RunningJob,
  of: { readonly input: ImportInput; readonly plan: PlanEntity },
  before: Position,
  chunk: PlannedChunk,
): Promise<{ readonly reached: Position; keep(context: TxContext): Promise<void> }> {
  try {
    const dry = async (context: TxContext) => {
      const { reached, previews } = await saveDry(context, job, of, before, chunk)
      throw new TakenBack(reached, previews)
    }
    await inSystemTransaction(services, job.tenantId, dry, importWork(job, of.input))
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error
    const { reached, previews } = error
    return { reached, keep: ({ tx }) => savePreviews(tx, job, previews) }
  }
  throw new Error('A dry run was committed')
}

async function saveDry(
  context: TxContext,
  job: RunningJob,
  { input, plan }: { readonly input: ImportInput; readonly plan: PlanEntity },
  before: Position,
  chunk: PlannedChunk,
): Promise<{ reached: Position; previews: Preview[] }> {
  const frame = await importFrame(context, input, plan)
  const isOwnParent = frame.entity.parents.some((parent) => parent.entityId === input.entityId)
  const wishes = await readWishes(chunk.rows, (row, index, means) => wishOf(frame.entity, input, row, index, means))
  const parentOf = (wish: SaveWish) => (isOwnParent && wish.parent.kind === 'key' ? hashOf(wish.parent.keys) : null)
  const named = new Set(wishes.flatMap((wish) => [nameOf(wish), parentOf(wish)]).filter((hash) => hash !== null))
  const earlier = await listPreviews(context.tx, job, [...named], maxReplayed)
  if (earlier === undefined)
    throw new AppError(
      'too_large',
      `The rows after row ${before.rows} build on more than ${maxReplayed} rows before them, which a dry run does not follow. Try a part of the file.`,
    )
  const replayed = await readWishes(earlier, (preview, index, means) =>
    // As `mergeSaves` wrote it.
    toWish(frame.entity, JSON.parse(preview.save) as SaveRowInput, { index, path: '$', modeOfCall: input.importMode, ...means }),
  )
  await saveInOrder(context, frame, input, replayed, isOwnParent)
  const outcomes = await saveInOrder(context, frame, input, wishes, isOwnParent)
  const previews = new Map(earlier.map((preview) => [preview.keyHash, preview]))
  const changed = new Map<string, Preview>()
  for (const outcome of outcomes) {
    const wish = wishes[outcome.index]
    const row = chunk.rows[outcome.index]
    const keyHash = wish ? nameOf(wish) : null
    if (!wish || !row || keyHash === null || (outcome.outcome !== 'inserted' && outcome.outcome !== 'updated')) continue
    const known = previews.get(keyHash)
    const save = mergeSaves(known && (JSON.parse(known.save) as SaveRowInput), row.save, input.importMode)
    const preview = { keyHash, parentHash: parentOf(wish) ?? known?.parentHash ?? null, save: JSON.stringify(save) }
    previews.set(keyHash, preview)
    changed.set(keyHash, preview)
  }
  return { reached: reachedBy(before, chunk, outcomes), previews: [...changed.values()] }
}

/** Of a record that later rows can name. */
function nameOf({ keys }: SaveWish): string | null {
  return keys && keys[0] !== '' ? hashOf(keys) : null
}

/** Saves the rows as an import does, as many at a time as go together. */
async function saveInOrder(
  context: TxContext,
  frame: WriteFrame,
  input: ImportInput,
  wishes: readonly SaveWish[],
  isOwnParent: boolean,
): Promise<SaveOutcome[]> {
  const outcomes: SaveOutcome[] = []
  let left = wishes
  while (left.length > 0) {
    const together = left.slice(0, countTogether(left, isOwnParent))
    outcomes.push(...(await saveRows(context, frame, together, { movesParents: input.moveParent === true, leavesWithheld: true })))
    left = left.slice(together.length)
  }
  return outcomes
}
