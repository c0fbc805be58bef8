/** Reading changes by watermark, for changed-since and deleted-since. */
import { readEpoch } from '#platform/db/epoch.ts'
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'

import { compiling, type ReadFrame } from './frame.ts'
import { listChanges } from './read.store.ts'
import { encodeWatermark, parseWatermark } from './watermark.rules.ts'

export interface Changes {
  /** JSON texts. */
  readonly documents: readonly string[]
  readonly watermark: string
  readonly hasMore: boolean
}

const reset = () =>
  new AppError(
    'watermark_reset',
    'The watermark is from before a wipe or from another database. Drop your copy and begin without a watermark.',
  )

/**
 * A page of changes after a watermark. `epochMissing` prepares the epoch when the server was restarted; reads cannot write it themselves.
 */
export async function readChanges(
  context: TxContext,
  frame: ReadFrame,
  request: { watermark: string | undefined; pageSize: number; onlyDeleted: boolean },
  epochMissing: () => never,
): Promise<Changes> {
  const { tx, tenantId } = context
  const epoch = (await readEpoch(tx)) ?? epochMissing()
  const mark = parseWatermark(request.watermark)
  if (mark.kind === 'token') {
    if (mark.entityId !== frame.entity.entityId) throw new AppError('invalid_input', 'The watermark belongs to another entity.')
    if (mark.epochUuid !== epoch.epochUuid || mark.wipeNo !== frame.entity.wipeNo) throw reset()
  }
  const since = mark.kind === 'token' ? mark.since : undefined
  const sinceTime = mark.kind === 'time' ? mark.since : mark.kind === 'token' ? mark.sinceTime : undefined
  const { epochUuid } = epoch
  const { entityId, wipeNo } = frame.entity
  const token = (began: { since?: string | undefined; sinceTime?: string | undefined }, changeNo: string, id: string) =>
    encodeWatermark({ epochUuid, entityId, wipeNo, since: began.since, sinceTime: began.sinceTime, changeNo, id })
  // No table yet: nothing was ever written, and what will be is after the number zero.
  if (!frame.hasTable) return { documents: [], watermark: token({ since, sinceTime }, '0', '0'), hasMore: false }
  const { rows, bound } = await inRecords(tx, tenantId, () =>
    listChanges(tx, tenantId, compiling(frame), {
      after: mark.kind === 'token' ? { changeNo: mark.changeNo, id: mark.id } : undefined,
      since,
      sinceTime,
      onlyDeleted: request.onlyDeleted,
      limit: request.pageSize + 1,
      epoch: epoch.epoch,
    }),
  )
  const shown = rows.slice(0, request.pageSize)
  const last = shown.at(-1)
  const hasMore = rows.length > request.pageSize
  // Below the bound everything is committed; the next drain begins there, and what is created from there on is new to it.
  const end = (BigInt(bound) - 1n).toString()
  const watermark =
    hasMore && last ? token({ since, sinceTime }, last.changeNo, last.id) : token({ since: end }, end, '9223372036854775807')
  return { documents: shown.map((row) => row.document), watermark, hasMore }
}
