/** What every stored definition has on the wire. */
import { z } from 'zod'

/** Kinds of stored definitions, and what a sentence calls them. */
export const definitionNouns = {
  view: 'view',
  access: 'access rules of',
  context: 'context',
  form: 'form',
  formShortcut: 'shortcut',
  report: 'report',
  eventSubscription: 'event subscription',
  workflow: 'workflow',
  messageTemplate: 'message template',
  actionPackInstall: 'installed action pack',
} as const
export type DefinitionKind = keyof typeof definitionNouns
export const definitionKinds = Object.keys(definitionNouns) as [DefinitionKind, ...DefinitionKind[]]

/** Of one definition, as JSON text. */
export const maxBodyCharacters = 256 * 1024

/** The JSON of a definition, as text or as it is. */
export const definitionJson = z.union([z.string().max(maxBodyCharacters), z.looseObject({})])

export const description = z.string().max(2_000)

export const sharing = {
  isShared: z.boolean().optional().describe('Seen by all users; else by owner and builders'),
  isApiVisible: z.boolean().optional().describe('false hides it from keys and agents'),
} as const

export const force = z.boolean().optional().describe('Even if definitions use it')

/** A definition that uses something. */
export const definitionUse = z.object({
  kind: z.enum(definitionKinds),
  definitionId: z.int(),
  internalName: z.string(),
})

/** What an answer about uses has beside the entities. */
export const definitionUses = {
  definitions: z.array(definitionUse).describe('Stored definitions that name it, those that you may see'),
  otherDefinitions: z.int().describe('How many more there are'),
} as const
