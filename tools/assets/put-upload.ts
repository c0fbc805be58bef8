import { z } from 'zod'

import { insertAuditEvent } from '#platform/audit.ts'
import { AppError } from '#platform/errors.ts'
import { rolesOfAbsent } from '#platform/holding.ts'
import { defineStagedOperation, type StagedContext, type TxContext, writes } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'

import { asset, exampleAsset } from './assets.schema.ts'
import type * as store from './assets.store.ts'
import { takeUpload } from './take-upload.ts'
import { credentialOfAsker, readUploadToken, type UploadToken } from './upload-url.rules.ts'

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
    const { services } = context
    const token = readUploadToken(input.uploadToken, (text, signature) => services.secrets.verify('upload', text, signature))
    if (!token || token.exp * 1000 < Date.now())
      throw new AppError('forbidden', 'The upload URL was changed or has expired. Ask for a new one with create_upload_url.')
    const { tenantId, assetKey } = token
    return takeUpload(context, {
      tenantId,
      assetKey,
      mustHold: (ticket) => mustStillHold(context, token, ticket),
      onStored: audit,
    })
  },
})

/** The URL may what the key or the application that asked for it may: 401 once that is gone, 403 where its right or its tenant's is. */
async function mustStillHold(
  { services }: StagedContext,
  { tenantId, asker: askedBy }: UploadToken,
  { createdBy }: store.UploadTicket,
): Promise<void> {
  const asker = { ...credentialOfAsker(askedBy), tenantId, tenantUserId: createdBy ?? 0 }
  const roleFlag = await rolesOfAbsent(services, asker)
  if ((roleFlag & roleBits.FileEdit) === 0)
    throw new AppError(
      'forbidden',
      'Whoever asked for this upload URL no longer has the role FileEdit. Ask for one with a key that has it.',
    )
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
