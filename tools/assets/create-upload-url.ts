import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { assetKey, fileFields, fileName, mediaType } from './assets.schema.ts'
import { openPending } from './service.ts'
import { uploadAskerOf, uploadUrlSeconds, writeUploadToken } from './upload-url.rules.ts'

export const createUploadUrl = defineOperation({
  ...writes(z.object({ url: z.url().describe('PUT the bytes here, once, as the whole body'), assetKey, expiresAt: z.iso.datetime() })),
  name: 'create_upload_url',
  title: 'Get a URL to upload a file to',
  description:
    'Answers a URL that takes the bytes of one file by PUT within an hour, without another credential but only while that of the caller and its right hold: curl -T photo.jpg "<url>". ' +
    'The assetKey counts once the PUT has answered 200; until then get_asset answers 404. A PUT that breaks off may be repeated, one that was complete may not.',
  method: 'POST',
  path: '/api/v1/assets/upload-url',
  roles: 'FileEdit',
  issuesSecret: { idField: 'assetKey' },
  input: z.object({
    fileName,
    mimeType: mediaType.optional(),
    sizeBytes: z.int().min(1).optional().describe('Any other number of bytes is then refused'),
    ...fileFields,
  }),
  errors: ['unprocessable', 'unsupported_type'],
  examples: [
    {
      title: 'For a photograph',
      input: { fileName: 'gate-4.jpg', mimeType: 'image/jpeg', sizeBytes: 482133 },
      output: {
        url: 'https://ops.example.com/api/v1/uploads/7.0d9f2f5e3a864a529f0a2c1d5b7e6a10.1795253400.5.Qm9vbS4uLg0d9f2f5e3a864a529f0a2c1d5b7e6a10',
        assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10',
        expiresAt: '2026-11-21T10:30:00.000Z',
      },
    },
  ],
  async handler(context, input) {
    const { services, tenantId, actor, stamp } = context
    const { secrets, config } = services
    if (input.sizeBytes !== undefined && input.sizeBytes > config.limits.uploadBytes) {
      throw new AppError('too_large', `A file may have at most ${config.limits.uploadBytes} bytes.`)
    }
    const asker = uploadAskerOf(actor)
    if (asker === undefined) throw new AppError('forbidden', 'Only an API key or an application can be given an upload URL.')
    const exp = Math.floor(Date.parse(stamp) / 1000) + uploadUrlSeconds
    const expiresAt = new Date(exp * 1000).toISOString()
    const pending = await openPending(context, actor.tenantUserId || null, input, { until: expiresAt, announcedBytes: input.sizeBytes })
    context.audit({ assetKey: pending.assetKey })
    const token = writeUploadToken({ tenantId, assetKey: pending.assetKey, exp, asker }, (text) => secrets.sign('upload', text))
    return { url: `${config.publicUrl}/api/v1/uploads/${token}`, assetKey: pending.assetKey, expiresAt }
  },
})
