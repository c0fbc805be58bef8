import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { asset, exampleAsset } from '#tools/assets/assets.schema.ts'
import { takeUpload } from '#tools/assets/service.ts'

import { maxCaptureBytes } from '../layout.schema.ts'
import { findOpenLink } from './finding.ts'
import { exampleToken, token } from './links.schema.ts'
import { findLink } from './links.store.ts'
import { makerOf, mustUpload } from './maker.ts'

export const putSignedLinkUpload = defineStagedOperation({
  ...writes(asset),
  name: 'put_signed_link_upload',
  title: 'Upload through a link',
  description: 'The target of the URLs that open_signed_link answers: takes the bytes of one file, once, while the link holds.',
  method: 'PUT',
  path: '/api/v1/links/{token}/uploads/{assetKey}',
  roles: 'Public',
  mayBeOver: true,
  isUnlisted: true,
  bodyKind: 'stream',
  input: z.object({ token, assetKey: z.uuid().toLowerCase() }),
  errors: ['not_found', 'unsupported_type'],
  examples: [{ title: 'A photograph', input: { token: exampleToken, assetKey: exampleAsset.assetKey }, output: exampleAsset }],
  async stagedHandler(context, input) {
    const { tenantId, link } = await findOpenLink(context, input.token)
    const noSuch = () => new AppError('not_found', 'No such upload. Ask for one with open_signed_link.')
    if (!link.uploads.includes(input.assetKey)) throw noSuch()
    return takeUpload(context, {
      tenantId,
      assetKey: input.assetKey,
      maxBytes: maxCaptureBytes,
      async mustHold() {
        await findOpenLink(context, input.token)
        mustUpload((await makerOf(context, tenantId, link)).actor)
      },
      async onStored({ tx }) {
        const now = await findLink(tx, tenantId, link.linkId)
        // Later uploads may have taken its place while the bytes came.
        if (!now?.uploads.includes(input.assetKey)) throw noSuch()
      },
    })
  },
})
