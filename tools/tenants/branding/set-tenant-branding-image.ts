import { Readable } from 'node:stream'

import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { remakeImage } from '#platform/images/remaking.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { createAssetFromStream, dropAssets, systemOwner } from '#tools/assets/service.ts'

import { tenantId } from '../tenants.schema.ts'
import { imageShapes, toBranding } from './branding.rules.ts'
import { branding, exampleBranding, imageKind } from './branding.schema.ts'
import { findLook, replaceImage } from './branding.store.ts'
import { mostCharacters, pictureOf } from './picture.ts'
import { brandingTopic } from './shown.ts'

export const setTenantBrandingImage = defineStagedOperation({
  ...writes(branding),
  errors: ['not_found', 'unsupported_type', 'unprocessable'],
  name: 'set_tenant_branding_image',
  title: 'Set a logo or an icon of a tenant',
  description:
    'Paints a picture anew as PNG, for the pages of a tenant: logo (at most 512 × 256), favicon (32), apple (180) or android (192 pixels square). PNG, JPEG, WebP, GIF or AVIF of at most 5 MiB and 64 million pixels, no SVG.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/branding/images',
  roles: 'GlobalAdmin|AdminCSS',
  input: z.object({
    tenantId,
    kind: imageKind.describe('What it is for'),
    base64: z.string().max(mostCharacters).optional().describe('Its bytes'),
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional()
      .describe('Where it is fetched from, in their place'),
  }),
  examples: [
    {
      title: 'From our web site',
      input: { tenantId: 3, kind: 'logo', url: 'https://northwind.example.com/logo.png' },
      output: exampleBranding,
    },
  ],
  async stagedHandler(context, input) {
    const { services, signal, actor } = context
    const { tenantId: of, kind } = input
    await context.inTransaction(async ({ tx }) => mustExist(await findLook(tx, of), 'tenant'), { readOnly: true })
    const bytes = await pictureOf(context, input)
    const png = await remakeImage({ bytes, ...imageShapes[kind] }, { caller: String(context.tenantId), signal })
    const owner = { ...systemOwner(services, of, signal), tenantUserId: of === context.tenantId ? actor.tenantUserId : null }
    const made = await createAssetFromStream(
      owner,
      { fileName: `${kind}.png`, mimeType: 'image/png', title: kind },
      { stream: Readable.from([png]) },
    )
    const shown = await context.inTransaction(async (inner) => {
      const { tx } = inner
      const before = await replaceImage(tx, of, kind, made.assetKey)
      if (before !== null) await inner.asTenant(of, () => dropAssets({ ...inner, tenantId: of }, [before]))
      inner.afterCommit(() => services.wake.poke(brandingTopic))
      return toBranding(mustExist(await findLook(tx, of), 'tenant'))
    })
    context.audit({ kind, assetKey: made.assetKey })
    return shown
  },
})
