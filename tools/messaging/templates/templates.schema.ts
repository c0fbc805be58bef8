/** Message templates on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId, idOrName, newName } from '#platform/names.ts'
import { validation } from '#platform/validation.ts'

import { channelKind, choiceKey, messageText } from '../messaging.schema.ts'

export const templateId = definitionId.describe('As list_message_templates shows it')

/** Languages times channels. */
export const maxVariants = 100

/** A card whose texts may hold tokens; what they bring may make it longer, so that a message is measured when it is filled in. */
export const templateCard = z
  .strictObject({
    title: z.string().min(1).max(1_000).optional(),
    text: z.string().min(1).max(8_000).optional(),
    imageAssetKey: z.uuid().optional(),
    choices: z
      .array(z.strictObject({ key: choiceKey, label: z.string().min(1).max(400) }))
      .min(1)
      .max(20)
      .optional(),
    link: z.strictObject({ label: z.string().min(1).max(400), url: z.string().min(1).max(2_000) }).optional(),
  })
  .describe('As the card of send_message')
export type TemplateCard = z.output<typeof templateCard>

export const languageCode = z.string().min(2).max(20).describe('As list_languages shows it, such as es-ES')

export const variantChannel = channelKind.optional().describe('Only for this kind; absent: for all that have none of their own')

const variant = z.object({
  languageCode: z.string(),
  channel: channelKind.nullable().describe('Null: every kind without one of its own'),
  text: z.string().optional(),
  card: templateCard.optional(),
})

export const messageTemplate = z.object({
  templateId,
  internalName: z.string(),
  entity: idOrName.nullable().describe('Whose records it speaks of'),
  params: z.array(z.string()).describe('What its [[$param.…]] name, to be sent as params'),
  variants: z.array(variant),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
  validation: validation.nullable().describe('What is wrong with it today; null: nothing'),
})
export type MessageTemplate = z.output<typeof messageTemplate>

export const templateInput = z.object({
  internalName: newName(),
  languageCode,
  channel: variantChannel,
  text: messageText.optional().describe('May hold tokens: [[WorkOrder.Title]], [[$recipient.displayName]], [[$param.gate]]'),
  card: templateCard.optional(),
  entity: idOrName.nullable().optional().describe('Whose records its tokens name; stays unless told'),
})

export const template = idOrName.describe('Of save_message_template, in place of text')
export const params = z
  .record(z.string().max(100), z.union([z.string().max(4_000), z.number(), z.boolean(), z.null()]))
  .describe('Values of the template’s [[$param.…]]')
export type Params = z.output<typeof params>

component('MessageTemplate', messageTemplate)

export const exampleTemplate: MessageTemplate = {
  templateId: 10_210,
  internalName: 'CrewArrives',
  entity: 'WorkOrder',
  params: ['time'],
  variants: [{ languageCode: 'en-US', channel: null, text: 'The crew for [[WorkOrder.Title]] arrives at [[$param.time]].' }],
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
  validation: null,
}
