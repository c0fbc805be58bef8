import { Readable } from 'node:stream'

import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, type StagedContext, writes } from '#platform/operation.ts'

import { asset, exampleAsset, fileFields, fileName, mediaType } from './assets.schema.ts'
import { createAssetFromStream, ownerOf } from './service.ts'

const contentBase64 = z
  .base64()
  .max(64 * 1024 * 1024)
  .describe('The bytes. For more than a few kilobytes use create_upload_url')

export const uploadAsset = defineStagedOperation({
  ...writes(asset),
  name: 'upload_asset',
  title: 'Upload a file',
  description:
    'Keeps a file and answers its assetKey, which save_instance takes as the value of an Attachment, Signature or Binary property. ' +
    'Over REST the file is one part of a multipart form; over MCP it is contentBase64. For larger files use create_upload_url. ' +
    'An upload that breaks off saves nothing.',
  method: 'POST',
  path: '/api/v1/assets',
  roles: 'FileEdit',
  bodyKind: 'multipart',
  mcpOnlyFields: ['fileName', 'contentBase64', 'mimeType'],
  mcpRequiredFields: ['fileName', 'contentBase64'],
  input: z.object({
    ...fileFields,
    fileName: fileName.optional(),
    contentBase64: contentBase64.optional(),
    mimeType: mediaType.optional(),
  }),
  errors: ['unsupported_type', 'unprocessable'],
  examples: [
    {
      title: 'A note as a text file, over MCP',
      input: { fileName: 'note.txt', contentBase64: 'R2F0ZSA0IGlzIG9wZW4K', title: 'Note on gate 4' },
      output: {
        ...exampleAsset,
        originalFileName: 'note.txt',
        title: 'Note on gate 4',
        mimeType: 'text/plain',
        fileExtension: 'txt',
        fileSize: 15,
        subPath: '',
      },
    },
  ],
  async stagedHandler(context, input) {
    const { source, ...said } = sourceOf(context, input)
    const saved = await createAssetFromStream(ownerOf(context), { ...input, ...said }, source)
    context.audit({ assetKey: saved.assetKey })
    return saved
  },
})

/** The file of the call: the form's over REST, the argument's over MCP. */
function sourceOf(
  { transport, upload }: StagedContext,
  input: { fileName?: string | undefined; contentBase64?: string | undefined; mimeType?: string | undefined },
) {
  if (upload) {
    const { stream, fileName, mimeType } = upload
    if (fileName === '' && input.fileName === undefined)
      throw new AppError('invalid_input', 'The file of the form has no name. Send it as a part with a file name.')
    return { fileName: fileName || (input.fileName ?? ''), mimeType, source: { stream, isTruncated: () => upload.isTruncated() } }
  }
  const missing = (field: string, message: string) =>
    new AppError('invalid_input', message, {
      issues: [finding(`$.${field}`, 'Required, a value of type string.')],
    })
  if (transport === 'rest')
    throw new AppError('invalid_input', 'The call holds no file. Send multipart/form-data with the file as one part.')
  if (input.fileName === undefined) throw missing('fileName', 'The file needs a name, with its extension.')
  if (input.contentBase64 === undefined)
    throw missing('contentBase64', 'Send the bytes as contentBase64, or ask create_upload_url for a URL that takes them.')
  const bytes = Buffer.from(input.contentBase64, 'base64')
  return { fileName: input.fileName, mimeType: input.mimeType, source: { stream: Readable.from([bytes]) } }
}
