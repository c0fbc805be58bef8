import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { asset, assetKey, exampleAsset } from './assets.schema.ts'
import { findAsset } from './assets.store.ts'
import { mustReach } from './reach.ts'

export const getAsset = defineOperation({
  ...reads(asset),
  name: 'get_asset',
  title: 'Get an asset',
  description:
    'Answers what is known of one file: name, type by its bytes, size, sensitivity. For the bytes call download_asset, for recognised text get_attachment_analysis.',
  method: 'POST',
  path: '/api/v1/assets/{assetKey}',
  roles: 'DataView',
  input: z.object({ assetKey }),
  examples: [{ title: 'A photograph', input: { assetKey: exampleAsset.assetKey }, output: exampleAsset }],
  async handler(context, input) {
    await mustReach(context, input.assetKey)
    const found = mustExist(await findAsset(context.tx, context.tenantId, input.assetKey), 'asset')
    if (found.isSensitive) context.audit({ isSensitive: true })
    return found
  },
})
