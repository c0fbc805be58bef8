import { z } from 'zod'

import { bytesAnswer, embeddedAnswer } from '#platform/answer.ts'
import { defineStagedOperation, reads } from '#platform/operation.ts'

import { isShownInPlace } from './assets.rules.ts'
import { assetKey, exampleAsset } from './assets.schema.ts'
import { mustReach } from './reach.ts'
import { openAsset } from './service.ts'
import { downloadPath, refuseSensitive, signedUrl } from './signed-url.ts'

// Larger files are fetched by the URL: a host holds what a tool answers in the model's context.
const embeddedBytes = 1024 * 1024

export const downloadAsset = defineStagedOperation({
  ...reads(z.object({ url: z.url().optional(), expiresAt: z.iso.datetime().optional(), mimeType: z.string(), sizeBytes: z.int() })),
  name: 'download_asset',
  title: 'Download an asset',
  description:
    'Over REST answers the bytes, also to a URL of sign_asset_url; ranges are taken. Over MCP answers a URL that is good for 15 minutes, and the bytes themselves up to 1 MiB; of a sensitive asset the bytes alone.',
  method: 'GET',
  path: '/api/v1/assets/{assetKey}/download',
  roles: 'DataView|Signed',
  answersBytes: true,
  input: z.object({ assetKey }),
  examples: [
    {
      title: 'Over MCP',
      input: { assetKey: exampleAsset.assetKey },
      output: {
        url: 'https://ops.example.com/api/v1/assets/0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10/download?sig=mK3v&exp=1795252500&u=12',
        expiresAt: '2026-11-21T09:45:00.000Z',
        mimeType: 'image/jpeg',
        sizeBytes: 482133,
      },
    },
  ],
  async stagedHandler(context, input) {
    const isMcp = context.transport !== 'rest'
    await context.inTransaction((inner) => mustReach(inner, input.assetKey), { readOnly: true })
    const found = await openAsset(context.services, context.tenantId, input.assetKey, (asset) => {
      if (asset.isSensitive) context.audit({ isSensitive: true })
      // It may have become sensitive since its URL was signed; and one that is too large to be embedded would need a URL.
      if (context.actor.kind === 'signed' || (isMcp && asset.sizeBytes > embeddedBytes)) refuseSensitive(asset)
    })
    const { mimeType, sizeBytes, stream } = found
    if (!isMcp) {
      const fileName = found.originalFileName
      return bytesAnswer({
        body: stream,
        mimeType,
        sizeBytes,
        fileName,
        inline: isShownInPlace(mimeType),
        etag: found.sha256,
        headers: { 'x-content-type-options': 'nosniff' },
      })
    }
    if (sizeBytes > embeddedBytes) stream.destroy()
    const record = { ...(found.isSensitive ? {} : signedUrl(context, downloadPath(found.assetKey))), mimeType, sizeBytes }
    return sizeBytes > embeddedBytes ? record : embeddedAnswer(record, Buffer.concat(await stream.toArray()), mimeType)
  },
})
