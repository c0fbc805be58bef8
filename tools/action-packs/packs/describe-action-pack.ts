import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { actionPackDetail, exampleManifest, examplePack, packSlot } from '../action-packs.schema.ts'
import { countInstalls, listPackVersions } from '../action-packs.store.ts'
import { version } from '../manifest.schema.ts'
import { schemaOfSettings } from '../settings.rules.ts'
import { openPack, readManifest, showPack } from './packs.ts'

const exampleSettings = [{ name: 'tell', dataType: 'Json' as const, isRequired: true, description: 'An assignee' }]

export const describeActionPack = defineOperation({
  ...reads(actionPackDetail),
  name: 'describe_action_pack',
  title: 'Describe an action pack',
  description:
    'What a pack fires on, does, needs and may do, and the settings that install_action_pack takes. The newest version unless told.',
  method: 'POST',
  path: '/api/v1/action-packs/{actionPack}',
  roles: 'DataView',
  input: z.object({ actionPack: packSlot, version: version.optional() }),
  examples: [
    {
      title: 'Before it is installed',
      input: { actionPack: 'tellOfDefects' },
      output: {
        ...examplePack,
        versions: ['1.0.0'],
        displays: [{ languageCode: 'en-US', name: 'Tell of new defects' }],
        settings: exampleSettings,
        settingsSchema: schemaOfSettings(exampleSettings),
        triggers: exampleManifest.triggers,
        steps: exampleManifest.steps,
        needs: { entities: [], channels: [] },
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const pack = await openPack(context, input.actionPack)
    const { packId, shipped } = pack
    const manifest = await readManifest(context, pack, input.version)
    const { displays = [], settings = [], triggers, steps, needs } = manifest
    const installs = (await countInstalls(tx, tenantId, [packId])).get(packId)
    return {
      ...(await showPack(context, pack, manifest, installs)),
      versions: shipped ? [shipped.manifest.version] : await listPackVersions(tx, tenantId, packId),
      displays: displays.map((one) => ({ ...one })),
      settings: settings.map((one) => ({ ...one })),
      settingsSchema: schemaOfSettings(settings),
      triggers: [...triggers],
      steps: [...steps],
      needs: { entities: [...(needs?.entities ?? [])], channels: [...(needs?.channels ?? [])] },
    }
  },
})
