import { z } from 'zod'

import { toIssue } from '#platform/findings.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'
import { issue } from '#platform/validation.ts'

import { actionPack, exampleManifest, examplePack } from '../action-packs.schema.ts'
import { insertPack } from '../action-packs.store.ts'
import { manifest, manifestInput } from '../manifest.schema.ts'
import { mustBeSound, mustReadManifest } from './checking.ts'
import { findShipped, keepVersion, showPack } from './packs.ts'

export const createActionPack = defineOperation({
  ...writes(actionPack.extend({ issues: z.array(issue).describe('Warnings') })),
  errors: ['already_exists', 'unprocessable'],
  name: 'create_action_pack',
  title: 'Create an action pack',
  description:
    'Keeps a manifest as the first version of a pack: settings, triggers, steps, and the roles they need. validate_action_pack checks it before; install_action_pack makes it work.',
  method: 'POST',
  path: '/api/v1/action-packs',
  roles: 'BuilderAdmin',
  input: z.object({ internalName: manifest.shape.internalName, ...manifestInput }),
  examples: [{ title: 'Who is told of new defects', input: exampleManifest, output: { ...examplePack, installs: 0, issues: [] } }],
  async handler(context, said) {
    const { tx, tenantId, stamp } = context
    const input = mustReadManifest(said)
    const { internalName } = input
    const taken = new AppError(
      'already_exists',
      `There is an action pack ${quoted(internalName)} already. update_action_pack adds a version.`,
    )
    if (findShipped(internalName)) throw taken
    const warnings = await mustBeSound(context, input)
    const packId = await insertPack(tx, tenantId, stamp, internalName)
    if (packId === undefined) throw taken
    await keepVersion(context, packId, input)
    context.audit({ actionPackId: packId, internalName, version: input.version })
    return { ...(await showPack(context, { packId, internalName, shipped: undefined }, input)), issues: warnings.map(toIssue) }
  },
})
