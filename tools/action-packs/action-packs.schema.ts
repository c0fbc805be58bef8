/** Action packs and their installs on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { idOrName } from '#platform/names.ts'
import { issue } from '#platform/validation.ts'
import { trigger as workflowTrigger } from '#tools/workflows/workflows.schema.ts'

import { manifest } from './manifest.schema.ts'

export const packSlot = idOrName.describe('id or internalName')
export const installId = z.int().min(1).max(2_147_483_647).describe('From list_action_pack_installs')

export const actionPack = z.object({
  actionPackId: z.int(),
  internalName: z.string(),
  name: z.string(),
  description: z.string(),
  iconKey: z.string().nullable(),
  version: z.string().describe('The newest'),
  roles: z.array(z.string()).describe('Who installs it must hold them'),
  isSystem: z.boolean().describe('Ships with the product'),
  installs: z.int().describe('How many there are here'),
})

export const actionPackDetail = actionPack.extend({
  versions: z.array(z.string()).describe('The newest first'),
  displays: z.array(z.looseObject({})),
  settings: z.array(z.looseObject({})).describe('What install_action_pack takes'),
  settingsSchema: z.looseObject({}).describe('The same as JSON Schema'),
  triggers: z.array(z.looseObject({})),
  steps: z.array(z.looseObject({})).describe('Its actions'),
  needs: z.object({ entities: z.array(z.string()), channels: z.array(z.string()) }),
})

export const installedTrigger = workflowTrigger.extend({
  secret: z.string().optional().describe('This once: what a webhook is signed by'),
})

export const install = z.object({
  installId: z.int(),
  internalName: z.string(),
  actionPackId: z.int(),
  actionPack: z.string(),
  version: z.string(),
  isEnabled: z.boolean(),
  settings: z.looseObject({}),
  sealedSettings: z.array(z.string()).describe('Sensitive ones that have a value'),
  roles: z.array(z.string()),
  tenantUserId: z.int().describe('Whom its runs act as; access rules may name it'),
  triggers: z.array(installedTrigger),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
})

export const installedNow = install.extend({ issues: z.array(issue).describe('Warnings') })

/** Values are held against the manifest by the handler, together within 64 KB. */
export const settingsInput = z.record(z.string().max(64), z.unknown()).describe('As describe_action_pack shows them')

component('ActionPack', actionPack)
component('ActionPackDetail', actionPackDetail)
component('ActionPackInstall', install)

export const exampleManifest: z.input<typeof manifest> = {
  internalName: 'tellOfDefects',
  version: '1.0.0',
  displays: [{ languageCode: 'en-US', name: 'Tell of new defects' }],
  settings: [{ name: 'tell', dataType: 'Json', isRequired: true, description: 'An assignee' }],
  roles: ['DataView', 'DataEdit'],
  triggers: [{ triggerType: 'recordCreated', config: { entity: 'Defect', perRecord: true } }],
  steps: [{ internalName: 'tell', stepType: 'notify', config: { to: '[[$settings.tell]]', text: 'New: [[$trigger.after.externalKey]]' } }],
}

export const examplePack: z.output<typeof actionPack> = {
  actionPackId: 1_001,
  internalName: 'tellOfDefects',
  name: 'Tell of new defects',
  description: '',
  iconKey: null,
  version: '1.0.0',
  roles: ['DataView', 'DataEdit'],
  isSystem: false,
  installs: 1,
}

export const exampleInstall: z.output<typeof install> = {
  installId: 10_400,
  internalName: 'tellOfDefects',
  actionPackId: 1_001,
  actionPack: 'tellOfDefects',
  version: '1.0.0',
  isEnabled: true,
  settings: { tell: { role: 'BuilderAdmin' } },
  sealedSettings: [],
  roles: ['DataView', 'DataEdit'],
  tenantUserId: 32,
  triggers: [{ triggerId: 10_401, triggerType: 'recordCreated', config: { entity: 'Defect', perRecord: true } }],
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
}
