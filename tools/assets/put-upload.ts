import { randomUUID } from 'node:crypto'

import { z } from 'zod'

import { insertAuditEvent } from '#platform/audit.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { rolesOfAbsent } from '#platform/holding.ts'
import { defineStagedOperation, type StagedContext, type TxContext, writes } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'

import { asset, exampleAsset } from './assets.schema.ts'
import * as store from './assets.store.ts'
import { type AssetOwner, fillPending } from './service.ts'
import { readUploadToken, type UploadToken } from './upload-url.rules.ts'

export const putUpload = defineStagedOperation({
  ...writes(asset),
  name: 'put_upload',
  title: 'Upload to a one-time URL',
  description: 'The target of the URL that create_upload_url answers: takes the bytes of one file, once.',
  method: 'PUT',
  path: '/api/v1/uploads/{uploadToken}',
  roles: 'Public',
  isUnlisted: true,
  bodyKind: 'stream',
  input: z.object({ uploadToken: z.string().max(300) }),
  errors: ['unauthenticated', 'not_found', 'unsupported_type'],
  examples: [
    {
      title: 'The bytes of a photograph',
      input: { uploadToken: '7.0d9f2f5e3a864a529f0a2c1d5b7e6a10.1795253400.5.Qm9vbS4uLg0d9f2f5e3a864a529f0a2c1d5b7e6a10' },
      output: exampleAsset,
    },
  ],
  async stagedHandler(context, input) {
    const { services, upload } = context
    const token = readUploadToken(input.uploadToken, (text, signature) => services.secrets.verify('upload', text, signature))
    if (!token || token.exp * 1000 < Date.now())
      throw new AppError('forbidden', 'The upload URL was changed or has expired. Ask for a new one with create_upload_url.')
    if (!upload) throw new AppError('invalid_input', 'The call holds no bytes. PUT them as the whole body.')
    const { ticket, storagePath } = await openTicket(context, token)
    const { assetKey, originalFileName, propertyId } = ticket
    const declaredType = ticket.mimeType || upload.mimeType
    const source = { stream: upload.stream, isTruncated: () => upload.isTruncated(), announcedBytes: ticket.announcedBytes ?? undefined }
    const asset = await fillPending(
      uploader(context, token.tenantId, ticket),
      { assetKey, storagePath, originalFileName, propertyId, declaredType },
      source,
      {
        keepsRow: true,
        async onStored(inner) {
          // A large file takes a while to come.
          await mustStillHold(context, token, ticket)
          await audit(inner, ticket)
        },
      },
    )
    // A process that was killed may have left its bytes there, and no row names them any more. One that still writes there has lost, and removes its own.
    await services.storage
      .delete(ticket.storagePath)
      .catch((error: unknown) => services.log.warn({ err: error, assetKey }, 'the bytes of an earlier try stay'))
    return asset
  },
})

/** Checks the ticket before a byte is read, and notes where this try writes: two at once must not write into one file. */
async function openTicket(context: StagedContext, token: UploadToken): Promise<{ ticket: store.UploadTicket; storagePath: string }> {
  return context.inTransaction(
    async ({ tx, stamp }) => {
      const { tenantId, assetKey } = token
      const ticket = mustExist(await store.findTicket(tx, tenantId, assetKey), 'upload')
      await mustStillHold(context, token, ticket)
      if (ticket.isUsed) throw new AppError('conflict', 'This upload URL has been used. Ask for a new one with create_upload_url.')
      const storagePath = `${tenantId}/${stamp.slice(0, 4)}/${stamp.slice(5, 7)}/${assetKey}.${randomUUID().slice(0, 8)}`
      await store.notePath(tx, tenantId, assetKey, storagePath)
      return { ticket, storagePath }
    },
    { tenantId: token.tenantId },
  )
}

/** The URL may what the key that asked for it may: 401 once that is gone, 403 where its right or its tenant's is. */
async function mustStillHold(
  { services }: StagedContext,
  { tenantId, apiKeyId }: UploadToken,
  { createdBy }: store.UploadTicket,
): Promise<void> {
  const asker = { kind: 'key', credentialId: `key:${apiKeyId}`, tenantId, tenantUserId: createdBy ?? 0 } as const
  const roleFlag = await rolesOfAbsent(services, asker)
  if ((roleFlag & roleBits.FileEdit) === 0)
    throw new AppError(
      'forbidden',
      'Whoever asked for this upload URL no longer has the role FileEdit. Ask for one with a key that has it.',
    )
}

function uploader(context: StagedContext, tenantId: number, ticket: store.UploadTicket): AssetOwner {
  const { services, signal } = context
  return { services, tenantId, tenantUserId: ticket.createdBy, signal, transact: (work) => context.inTransaction(work, { tenantId }) }
}

/** A public call leaves no audit row of its own; this one is an act of whoever asked for the URL. */
async function audit({ tx, tenantId, actor, transport, requestId }: TxContext, { createdBy, assetKey }: store.UploadTicket): Promise<void> {
  await insertAuditEvent(tx, {
    tenantId,
    actor: { ...actor, tenantId, tenantUserId: createdBy ?? 0, credentialId: 'upload-url' },
    operation: 'put_upload',
    outcome: 'done',
    transport,
    requestId,
    ip: undefined,
    facts: { assetKey },
  })
}
