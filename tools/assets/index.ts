import type { Domain } from '#platform/operation.ts'

import { assetsPhrases } from './assets.phrases.ts'
import { createUploadUrl } from './create-upload-url.ts'
import { deleteAsset } from './delete-asset.ts'
import { downloadAsset } from './download-asset.ts'
import { getAsset } from './get-asset.ts'
import { listAssets } from './list-assets.ts'
import { putUpload } from './put-upload.ts'
import { signAssetUrl } from './sign-asset-url.ts'
import { uploadAsset } from './upload-asset.ts'

export const assetsDomain: Domain = {
  name: 'assets',
  title: 'Assets',
  summary: 'Files: uploaded at once or through a one-time URL, kept with their type and checksum, downloaded by bearer or by a signed URL.',
  operations: [uploadAsset, createUploadUrl, putUpload, getAsset, listAssets, downloadAsset, signAssetUrl, deleteAsset],
  phrases: assetsPhrases,
}
