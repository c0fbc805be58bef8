import { z } from 'zod'

import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { isNameTaken } from '#tools/definitions/service.ts'

import { exampleInstall, installedNow, packSlot, settingsInput } from '../action-packs.schema.ts'
import { version } from '../manifest.schema.ts'
import { openPack, readManifest } from '../packs/packs.ts'
import { changing, installPack } from './installing.ts'
import { showInstalled } from './shown.ts'

export const installActionPack = defineOperation({
  ...writes(installedNow),
  errors: ['not_found', 'already_exists', 'unprocessable'],
  issuesSecret: { idField: 'installId' },
  name: 'install_action_pack',
  title: 'Install an action pack',
  description:
    'Makes a pack work here with your settings, under a user of its own; again makes another install. describe_action_pack shows the settings. 422 where an entity or channel is absent, 403 for roles that you lack.',
  method: 'POST',
  path: '/api/v1/action-packs/{actionPack}/install',
  roles: 'BuilderAdmin',
  input: z.object({
    actionPack: packSlot,
    internalName: newName().optional().describe("The pack's unless told"),
    settings: settingsInput.optional(),
    version: version.optional(),
  }),
  examples: [
    {
      title: 'Builders are told of defects',
      input: { actionPack: 'tellOfDefects', settings: { tell: { role: 'BuilderAdmin' } } },
      output: { ...exampleInstall, issues: [] },
    },
  ],
  async handler(context, input) {
    // All of it: who deletes the pack meanwhile comes before or after.
    return changing(context, async () => {
      const pack = await openPack(context, input.actionPack)
      const manifest = await readManifest(context, pack, input.version)
      let internalName = input.internalName ?? pack.internalName
      for (let next = 2; input.internalName === undefined && (await isNameTaken(context, 'actionPackInstall', internalName)); next++)
        internalName = `${pack.internalName.slice(0, 58)}${next}`
      const installed = await installPack(context, { pack, manifest, settings: input.settings ?? {} }, internalName)
      context.audit({ installId: installed.draft.row.definitionId, actionPack: pack.internalName, version: manifest.version })
      return showInstalled(context, installed)
    })
  },
})
