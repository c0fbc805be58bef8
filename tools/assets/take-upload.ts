/** Takes the bytes that a one-time upload URL waits for, whoever gave the URL out. */
import { randomUUID } from 'node:crypto'

import { AppError, mustExist } from '#platform/errors.ts'
import type { StagedContext, TxContext } from '#platform/operation.ts'

import type { Asset } from './assets.schema.ts'
import * as store from './assets.store.ts'
import { type AssetOwner, fillPending } from './service.ts'

export interface AwaitedUpload {
  readonly tenantId: number
  readonly assetKey: string
  readonly maxBytes?: number
  /**
   * Throws where the URL holds no longer. Asked before a byte is read, and once all are there; never inside a transaction, since it may open one of
   * its own, and uploads that each hold a connection would wait for each other's second.
   */
  readonly mustHold: (ticket: store.UploadTicket) => Promise<void>
  /** In the transaction that shows the asset. */
  readonly onStored: (context: TxContext, ticket: store.UploadTicket) => Promise<void>
}

/** Throws AppError `conflict` where the bytes have come before, and whatever keeping a file throws. */
export async function takeUpload(context: StagedContext, awaited: AwaitedUpload): Promise<Asset> {
  const { services, upload } = context
  const { tenantId, maxBytes, mustHold, onStored } = awaited
  if (!upload) throw new AppError('invalid_input', 'The call holds no bytes. PUT them as the whole body.')
  const { ticket, storagePath } = await openTicket(context, awaited)
  const { assetKey, originalFileName, propertyId } = ticket
  const declaredType = ticket.mimeType || upload.mimeType
  const source = { stream: upload.stream, isTruncated: () => upload.isTruncated(), announcedBytes: ticket.announcedBytes ?? undefined }
  const asset = await fillPending(
    uploader(context, tenantId, ticket),
    { assetKey, storagePath, originalFileName, propertyId, declaredType },
    source,
    {
      keepsRow: true,
      maxBytes,
      // A large file takes a while to come.
      beforeStored: () => mustHold(ticket),
      onStored: (inner) => onStored(inner, ticket),
    },
  )
  // A process that was killed may have left its bytes there, and no row names them any more. One that still writes there has lost, and removes its own.
  await services.storage
    .delete(ticket.storagePath)
    .catch((error: unknown) => services.log.warn({ err: error, assetKey }, 'the bytes of an earlier try stay'))
  return asset
}

/** Checks the ticket before a byte is read, and notes where this try writes: two at once must not write into one file. */
async function openTicket(
  context: StagedContext,
  { tenantId, assetKey, mustHold }: AwaitedUpload,
): Promise<{ ticket: store.UploadTicket; storagePath: string }> {
  const find = async ({ tx }: Pick<TxContext, 'tx'>) => mustExist(await store.findTicket(tx, tenantId, assetKey), 'upload')
  await mustHold(await context.inTransaction(find, { tenantId, readOnly: true }))
  return context.inTransaction(
    async (inner) => {
      const { tx, stamp } = inner
      const ticket = await find(inner)
      if (ticket.isUsed) throw new AppError('conflict', 'This upload URL has been used. Ask for a new one.')
      const storagePath = `${tenantId}/${stamp.slice(0, 4)}/${stamp.slice(5, 7)}/${assetKey}.${randomUUID().slice(0, 8)}`
      await store.notePath(tx, tenantId, assetKey, storagePath)
      return { ticket, storagePath }
    },
    { tenantId },
  )
}

function uploader(context: StagedContext, tenantId: number, ticket: store.UploadTicket): AssetOwner {
  const { services, signal } = context
  return { services, tenantId, tenantUserId: ticket.createdBy, signal, transact: (work) => context.inTransaction(work, { tenantId }) }
}
