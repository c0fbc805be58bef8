import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { assetKey, exampleAsset } from './assets.schema.ts'
import { findAsset } from './assets.store.ts'
import { mustReach } from './reach.ts'
import { downloadPath, refuseSensitive, signedUrl } from './signed-url.ts'

export const signAssetUrl = defineOperation({
  ...reads(z.object({ url: z.url(), expiresAt: z.iso.datetime() })),
  name: 'sign_asset_url',
  title: 'Get a URL that downloads an asset',
  description:
    'Answers a URL that downloads the file for 15 minutes without another credential, in the name of the caller and only while the credential and its right hold: for a browser or another program. A sensitive asset is never signed (403): read it with download_asset.',
  method: 'POST',
  path: '/api/v1/assets/{assetKey}/sign',
  roles: 'DataView',
  input: z.object({ assetKey }),
  examples: [
    {
      title: 'For a browser',
      input: { assetKey: exampleAsset.assetKey },
      output: {
        url: 'https://ops.example.com/api/v1/assets/0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10/download?sig=mK3v&exp=1795252500&u=12',
        expiresAt: '2026-11-21T09:45:00.000Z',
      },
    },
  ],
  async handler(context, input) {
    await mustReach(context, input.assetKey)
    const found = mustExist(await findAsset(context.tx, context.tenantId, input.assetKey), 'asset')
    if (found.isSensitive) context.audit({ isSensitive: true })
    refuseSensitive(found)
    return signedUrl(context, downloadPath(found.assetKey))
  },
})
