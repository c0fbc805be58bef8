/** The grammar of a manifest: what a pack asks of who installs it, what fires it, and what it does. */
import { z } from 'zod'

import { component, documentAs } from '#platform/document-schema.ts'
import { newName } from '#platform/names.ts'
import { dataTypes, displayInputs } from '#tools/properties/properties.schema.ts'
import { concurrency, runRoles, step, trigger } from '#tools/workflows/definition/grammar.schema.ts'

export const maxPackSteps = 100
export const maxPackTriggers = 20
export const maxSettings = 50

/** Json: an object or a list, such as an assignee, a filter, rules. */
export const settingTypes = [...dataTypes, 'Json'] as const

export const settingName = z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'A letter, then letters, digits and underscores, at most 64')

export const setting = z.strictObject({
  name: settingName,
  dataType: z.enum(settingTypes),
  description: z.string().max(400).optional(),
  isRequired: z.boolean().optional(),
  isSensitive: z.boolean().optional().describe('Sealed, never shown; for callHttp alone'),
  options: z.array(z.string().min(1).max(400)).min(1).max(200).optional().describe('One of these'),
  value: z.unknown().optional().describe('Unless told'),
})

export const version = z
  .string()
  .regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/, 'As 1.4.0 or 2.0.0-beta.1')
  .describe('Semantic: 1.4.0')

const needed = z.array(z.string().min(1).max(200)).max(50)

const steps = z.array(z.looseObject({})).min(1).max(maxPackSteps)
const triggers = z.array(z.looseObject({})).min(1).max(maxPackTriggers)

/** Any value at some places is a token of a setting; what is wrong otherwise is told by checking. */
export const manifest = z.object({
  internalName: newName('actionPack'),
  version,
  displays: displayInputs.optional(),
  description: z.string().max(2_000).optional(),
  iconKey: z.string().min(1).max(200).optional().describe('Name of an icon'),
  entity: z.string().min(1).max(200).optional().describe('Whose record a run is about'),
  concurrency: concurrency.optional().describe('Of runs about one record'),
  settings: z.array(setting).max(maxSettings).optional(),
  roles: runRoles.optional(),
  triggers,
  steps,
  needs: z.strictObject({ entities: needed.optional(), channels: needed.optional() }).optional(),
})
export type Manifest = z.output<typeof manifest>
export type Setting = z.output<typeof setting>

const { displays, settings, needs } = manifest.shape

/** What create_action_pack and update_action_pack take beside the name, in short for a tool; `manifest` reads it. */
export const manifestInput = {
  version,
  displays: documentAs(z.array(z.looseObject({})).max(100), displays.unwrap())
    .optional()
    .describe('[{languageCode, name, description?}]'),
  description: manifest.shape.description.describe('What it is for'),
  iconKey: manifest.shape.iconKey,
  entity: manifest.shape.entity,
  concurrency: manifest.shape.concurrency,
  settings: documentAs(z.array(z.looseObject({})).max(maxSettings), settings.unwrap())
    .optional()
    .describe('[{name, dataType, isRequired?, isSensitive?, options?, value?}]'),
  roles: manifest.shape.roles.describe('What its runs may do'),
  triggers: documentAs(triggers, z.array(trigger).min(1).max(maxPackTriggers)).describe(
    'As set_workflow_triggers takes them; [[$settings.name]] anywhere',
  ),
  steps: documentAs(steps, z.array(step).min(1).max(maxPackSteps)).describe('As in import_workflow, without form and approval'),
  needs: documentAs(z.looseObject({}), needs.unwrap()).optional().describe('{entities?, channels?}; absent: 422 at install'),
} as const

component('ActionPackSetting', setting)
component('ActionPackManifest', manifest)
