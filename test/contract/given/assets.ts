/** Working calls of the asset operations. */
import type { Given, Stage } from '../arrange.ts'

const contentBase64 = Buffer.from('Gate 4 is open\n').toString('base64')

async function assetOf(stage: Stage, isSensitive = true): Promise<string> {
  const { assetKey } = await stage.call('upload_asset', { fileName: 'note.txt', contentBase64, isSensitive })
  return assetKey
}

const onAsset = async (stage: Stage) => ({ input: { assetKey: await assetOf(stage) } })

export const given: Given = {
  upload_asset: async () => ({ input: { fileName: 'note.txt', contentBase64, title: 'Note', isSensitive: true } }),
  create_upload_url: async () => ({ input: { fileName: 'gate.jpg', mimeType: 'image/jpeg', sizeBytes: 12, title: 'Gate' } }),
  get_asset: onAsset,
  async list_assets(stage) {
    await assetOf(stage)
    return { input: { search: 'note' } }
  },
  download_asset: onAsset,
  sign_asset_url: async (stage) => ({ input: { assetKey: await assetOf(stage, false) } }),
  delete_asset: onAsset,
}
