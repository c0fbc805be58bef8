/** Files that go out with a message, read whole: a message carries at most 20 MiB of them. */
import { buffer } from 'node:stream/consumers'

import type { Services } from '#platform/services.ts'
import { openAsset } from '#tools/assets/service.ts'

export interface OutgoingFile {
  readonly assetKey: string
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: Buffer
}

/** Throws AppError `not_found` where one is gone. */
export async function readFiles(services: Services, tenantId: number, assetKeys: readonly string[]): Promise<OutgoingFile[]> {
  return Promise.all(
    assetKeys.map(async (key) => {
      const asset = await openAsset(services, tenantId, key)
      return { assetKey: key, fileName: asset.originalFileName, mimeType: asset.mimeType, bytes: await buffer(asset.stream) }
    }),
  )
}
