import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { openInstall } from '#tools/workflows/service.ts'

import { exampleInstall, installedNow, installId, settingsInput } from '../action-packs.schema.ts'
import { findInstalls } from '../action-packs.store.ts'
import { version } from '../manifest.schema.ts'
import { openPack, readManifest } from '../packs/packs.ts'
import { changing, reinstallPack } from './installing.ts'
import { showInstalled } from './shown.ts'

export const updateActionPackInstall = defineOperation({
  ...writes(installedNow),
  errors: ['not_found', 'unprocessable'],
  isIdempotent: true,
  issuesSecret: { idField: 'installId' },
  name: 'update_action_pack_install',
  title: 'Change an installed action pack',
  description:
    'Takes other settings or another version. Settings that are not sent stay, null leaves one out; runs under way keep what they began with.',
  method: 'PUT',
  path: '/api/v1/action-packs/installs/{installId}',
  roles: 'BuilderAdmin',
  input: z.object({ installId, settings: settingsInput.optional(), version: version.optional() }),
  examples: [
    {
      title: 'The new version',
      input: { installId: 10_400, version: '1.1.0' },
      output: { ...exampleInstall, version: '1.1.0', issues: [] },
    },
  ],
  async handler(context, input) {
    // All of it: who switches the install off or takes it away meanwhile comes before or after.
    return changing(context, async () => {
      const before = await openInstall(context, input.installId)
      const known = mustExist((await findInstalls(context.tx, context.tenantId, [input.installId])).get(input.installId), 'install')
      const pack = await openPack(context, known.packId)
      const manifest = await readManifest(context, pack, input.version ?? known.version)
      const { settings: declared = [] } = manifest
      // What a version asks for no more is left behind with the version.
      const stays = Object.entries(known.settings).filter(([name]) => declared.some((one) => one.name === name))
      const settings = { ...Object.fromEntries(stays), ...input.settings }
      const installed = await reinstallPack(context, before, { pack, manifest, settings })
      context.audit({ installId: input.installId, version: manifest.version })
      return showInstalled(context, installed)
    })
  },
})
