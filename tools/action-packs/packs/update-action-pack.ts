import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding, toIssue } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'
import { issue } from '#platform/validation.ts'

import { actionPack, exampleManifest, examplePack, packSlot } from '../action-packs.schema.ts'
import { countInstalls } from '../action-packs.store.ts'
import { manifestInput } from '../manifest.schema.ts'
import { mustBeSound, mustReadManifest } from './checking.ts'
import { keepVersion, openPack, readManifest, refuseShipped, showPack } from './packs.ts'

const { internalName: _named, ...exampleVersion } = exampleManifest

export const updateActionPack = defineOperation({
  ...writes(actionPack.extend({ issues: z.array(issue).describe('Warnings') })),
  errors: ['not_found', 'unprocessable'],
  name: 'update_action_pack',
  title: 'Add a version of an action pack',
  description:
    'Keeps another manifest as a new version; one that exists is 409. Installs stay with theirs until update_action_pack_install.',
  method: 'PUT',
  path: '/api/v1/action-packs/{actionPack}',
  roles: 'BuilderAdmin',
  input: z.object({
    actionPack: packSlot,
    internalName: z.string().max(64).optional().describe('As in the path'),
    ...manifestInput,
  }),
  examples: [
    {
      title: 'The next version',
      input: { actionPack: 'tellOfDefects', ...exampleVersion, version: '1.1.0' },
      output: { ...examplePack, version: '1.1.0', issues: [] },
    },
  ],
  async handler(context, { actionPack: slot, ...input }) {
    const pack = await openPack(context, slot)
    refuseShipped(pack)
    if (input.internalName !== undefined && input.internalName.toLowerCase() !== pack.internalName.toLowerCase())
      throw new AppError('invalid_input', `The manifest is that of ${quoted(input.internalName)}, and the pack is ${pack.internalName}.`, {
        issues: [
          finding('$.internalName', 'Leave it out, or name the same pack: a pack keeps its name. create_action_pack makes another.', {
            suggestion: pack.internalName,
          }),
        ],
      })
    const manifest = mustReadManifest({ ...input, internalName: pack.internalName })
    const warnings = await mustBeSound(context, manifest)
    await keepVersion(context, pack.packId, manifest)
    context.audit({ actionPackId: pack.packId, version: input.version })
    const installs = (await countInstalls(context.tx, context.tenantId, [pack.packId])).get(pack.packId)
    return { ...(await showPack(context, pack, await readManifest(context, pack), installs)), issues: warnings.map(toIssue) }
  },
})
