import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { isFileBound } from '#tools/query/service.ts'

import { assetKey, exampleAsset } from './assets.schema.ts'
import { markDeleted } from './assets.store.ts'
import { mustReach } from './reach.ts'
import { sweepSoon } from './sweeping.ts'

export const deleteAsset = defineOperation({
  ...destroys(z.object({ assetKey, deleted: z.literal(true) })),
  name: 'delete_asset',
  title: 'Delete an asset',
  description:
    'Removes the file for good. Records that hold its assetKey keep it, and their history too; whoever asks for the file then gets 404. 403 where access rules do not let you change a record that holds it.',
  method: 'DELETE',
  path: '/api/v1/assets/{assetKey}',
  roles: 'FileEdit',
  input: z.object({ assetKey }),
  examples: [{ title: 'One file', input: { assetKey: exampleAsset.assetKey }, output: { assetKey: exampleAsset.assetKey, deleted: true } }],
  async handler(context, input) {
    const { tx, tenantId, stamp, services } = context
    await mustReach(context, input.assetKey)
    if (await isFileBound(context, input.assetKey))
      throw new AppError('forbidden', 'A record holds this file in a property that the access rules do not let you change there.')
    if ((await markDeleted(tx, tenantId, [input.assetKey], stamp)) === 0) throw new AppError('not_found', 'No such asset.')
    context.afterCommit(() => sweepSoon(services, tenantId))
    return { assetKey: input.assetKey, deleted: true as const }
  },
})
