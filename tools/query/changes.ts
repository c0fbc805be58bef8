/** Reading changes by watermark, for changed-since and deleted-since. */
import { readEpoch } from '#platform/db/epoch.ts'
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { envelopeBytes } from '#platform/paging.ts'

import { listChanges } from './changes.store.ts'
import { showing, type Shown } from './document.rules.ts'
import type { ReadFrame } from './frame.ts'
import { encodeWatermark, parseWatermark } from './watermark.rules.ts'

/** A place among changes, which a watermark can stand behind. */
export interface ChangePosition {
  readonly changeNo: string
  readonly id: string
}

export interface Changes {
  /** A JSON array, as text. */
  readonly items: string
  readonly hasMore: boolean
  /** Rules look at related records: rows that enter or leave through those alone are not told. */
  readonly sightMayLag: boolean
  /** The watermark behind the page. */
  readonly watermark: string
  /** The watermark behind one of its rows, for whoever ends the page there. */
  readonly watermarkAt: (position: ChangePosition) => string
}

const reset = () =>
  new AppError(
    'watermark_reset',
    'The watermark is from before a wipe, from another database, or from when other access rules held for you. Drop your copy and begin without a watermark.',
  )

/**
 * A page of changes after a watermark. `epochMissing` prepares the epoch when the server was restarted; reads cannot write it themselves.
 */
export async function readChanges(
  context: TxContext,
  frame: ReadFrame,
  request: { watermark: string | undefined; pageSize: number; onlyDeleted: boolean; shown?: Shown },
  epochMissing: () => never,
): Promise<Changes> {
  const { tx, tenantId } = context
  const epoch = (await readEpoch(tx)) ?? epochMissing()
  const mark = parseWatermark(request.watermark)
  if (mark.kind === 'token') {
    if (mark.entityId !== frame.entity.entityId) throw new AppError('invalid_input', 'The watermark belongs to another entity.')
    if (mark.epochUuid !== epoch.epochUuid || mark.wipeNo !== frame.entity.wipeNo || mark.fingerprint !== frame.sight?.fingerprint)
      throw reset()
  }
  const since = mark.kind === 'token' ? mark.since : undefined
  const sinceTime = mark.kind === 'time' ? mark.since : mark.kind === 'token' ? mark.sinceTime : undefined
  const { epochUuid } = epoch
  const sightMayLag = frame.sight?.mayLag === true
  const { entityId, wipeNo } = frame.entity
  const token = (began: { since?: string | undefined; sinceTime?: string | undefined }, changeNo: string, id: string) =>
    encodeWatermark({
      epochUuid,
      entityId,
      wipeNo,
      since: began.since,
      sinceTime: began.sinceTime,
      changeNo,
      id,
      fingerprint: frame.sight?.fingerprint,
    })
  const watermarkAt = ({ changeNo, id }: ChangePosition) => token({ since, sinceTime }, changeNo, id)
  // No table yet: nothing was ever written, and what will be is after the number zero.
  if (!frame.hasTable) return { items: '[]', hasMore: false, sightMayLag, watermark: watermarkAt({ changeNo: '0', id: '0' }), watermarkAt }
  const found = await inRecords(tx, tenantId, () =>
    listChanges(tx, frame, showing(frame, request.shown, { rows: 'withDeleted' }), {
      after: mark.kind === 'token' ? { changeNo: mark.changeNo, id: mark.id } : undefined,
      since,
      sinceTime,
      onlyDeleted: request.onlyDeleted,
      limit: request.pageSize,
      bytes: context.answerBytes - envelopeBytes,
      epoch: epoch.epoch,
    }),
  )
  if (found.found > found.fitting && found.position) {
    const [changeNo, id] = found.position
    return { items: found.items, hasMore: true, sightMayLag, watermark: watermarkAt({ changeNo, id }), watermarkAt }
  }
  // Below the bound everything is committed; the next drain begins there, and what is created from there on is new to it.
  const end = (BigInt(found.bound) - 1n).toString()
  return { items: found.items, hasMore: false, sightMayLag, watermark: token({ since: end }, end, '9223372036854775807'), watermarkAt }
}
