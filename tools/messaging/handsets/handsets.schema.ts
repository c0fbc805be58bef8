/** Handsets and mailboxes of a provider that stands in for a vendor, on the wire. */
import { z } from 'zod'

import { choiceKey, failureReasons, messageStates } from '../messaging.schema.ts'
import { vendorChannel } from '../channels/channels.schema.ts'

export const handsetMessage = z.object({
  messageId: z.int(),
  conversationId: z.int(),
  direction: z.enum(['outbound', 'inbound']),
  subject: z.string().optional(),
  text: z.string().describe('As the channel carries it'),
  choices: z.array(z.object({ key: choiceKey, label: z.string() })).describe('What can be tapped'),
  files: z.array(z.object({ fileName: z.string(), url: z.string() })),
  status: z.enum(messageStates),
  reason: z.enum(failureReasons).optional(),
  at: z.iso.datetime(),
})
export type HandsetMessage = z.output<typeof handsetMessage>

export const handsets = z.object({
  internalName: z.string(),
  channel: vendorChannel,
  handsets: z.array(z.object({ address: z.string(), lastMessageDate: z.iso.datetime() })).describe('The latest 100'),
  messages: z.array(handsetMessage).describe('Of the handset at address, the latest 50, the oldest first'),
})
export type Handsets = z.output<typeof handsets>
