/** Conversations and messages on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId } from '#platform/names.ts'
import { issue } from '#platform/validation.ts'

/** Kinds that a vendor carries, and the inbox before them. */
export const vendorKinds = ['sms', 'whatsapp', 'email', 'telegram', 'slack', 'teams', 'webPush'] as const
export const channelKinds = ['inbox', ...vendorKinds] as const
export type ChannelKind = (typeof channelKinds)[number]

export const messageStates = ['queued', 'sent', 'delivered', 'read', 'failed', 'unknown', 'suppressed'] as const
export type MessageStatus = (typeof messageStates)[number]

export const failureReasons = [
  'optedOut',
  'refused',
  'windowClosed',
  'badAddress',
  'channelDeleted',
  'channelMisconfigured',
  'unreachable',
  'outcomeUnknown',
  'assetGone',
] as const
export type FailureReason = (typeof failureReasons)[number]

export const conversationId = z.int().min(1).describe('As send_message and list_conversations answer it')
export const messageId = z.int().min(1)
/** A 32-bit counter in the database, as is that of an inbox. */
export const seq = z.int().min(0).max(2_147_483_647)
export const eiRecordId = z.int().min(1).describe('Of any record')
export const tenantUserId = definitionId
export const channelKind = z.enum(channelKinds)
export const messageText = z.string().min(1).max(16_000)
export const assetKeys = z.array(z.uuid()).max(10).describe('From upload_asset')
export const choiceKey = z.string().min(1).max(64)

export const card = z
  .strictObject({
    title: z.string().min(1).max(200).optional(),
    text: z.string().min(1).max(4_000).optional(),
    imageAssetKey: z.uuid().optional(),
    choices: z
      .array(z.strictObject({ key: choiceKey, label: z.string().min(1).max(100) }))
      .min(1)
      .max(20)
      .optional()
      .describe('Buttons, or numbered lines where a channel has none'),
    link: z.strictObject({ label: z.string().min(1).max(100), url: z.url({ protocol: /^https?$/ }).max(2_000) }).optional(),
  })
  .describe('What is shown above the answer')
export type Card = z.output<typeof card>

export const recipient = z
  .strictObject({
    tenantUserId: tenantUserId.optional(),
    phone: z.string().min(3).max(40).optional().describe('Such as +34600123456'),
    email: z.string().min(3).max(320).optional(),
    eiRecordId: eiRecordId.optional().describe('Of a record linked to a user'),
  })
  .describe('Exactly one of these')
export type Recipient = z.output<typeof recipient>

/** A message as await_reply and poll_replies show it. */
export const message = z.object({
  messageId,
  conversationId,
  seq: seq.describe('Counts from 1 within the conversation'),
  direction: z.enum(['outbound', 'inbound']),
  channel: channelKind,
  from: z.string().describe('Address, or the display name where there is none'),
  fromTenantUserId: z.int().nullable(),
  text: z.string(),
  choice: z.string().optional().describe('Key of the choice that was meant'),
  keyword: z.enum(['stop', 'start', 'help']).optional().describe('Where the message is nothing but this word'),
  assetKeys: z.array(z.string()),
  pendingMedia: z.int().optional().describe('Files of the message that are still being fetched'),
  at: z.iso.datetime(),
})

export const messageDetail = message.extend({
  to: z.string(),
  card: card.optional(),
  status: z.enum(messageStates),
  reason: z.enum(failureReasons).optional(),
})

export const messageStatus = messageDetail
  .pick({ messageId: true, conversationId: true, seq: true, channel: true, status: true, reason: true })
  .extend({
    vendorCode: z.string().optional().describe("The vendor's own number of the error"),
    providerId: z.string().optional().describe("The vendor's id of the message"),
    attempts: z.int().describe('Calls made to the vendor'),
    at: z.iso.datetime(),
    sentDate: z.iso.datetime().optional(),
    deliveredDate: z.iso.datetime().optional(),
    readDate: z.iso.datetime().optional(),
    fellBackTo: messageId.optional().describe('What went out on another channel in its place'),
  })

export const preview = z.object({
  channel: channelKind,
  languageCode: z.string().optional().describe('Of the template’s text that was taken'),
  text: z.string().describe('All that is written there, choices without buttons too'),
  buttons: z.array(z.object({ key: choiceKey, label: z.string() })),
  length: z.int(),
  maxTextLength: z.int(),
  smsParts: z.int().optional().describe('Of how many an SMS is made, which vendors charge each'),
  fits: z.boolean(),
  issues: z.array(issue),
})

export const conversation = z.object({
  conversationId,
  state: z.enum(['open', 'ended']),
  channel: channelKind,
  channelId: z.int().nullable(),
  tenantUserId: z.int().nullable(),
  address: z.string().nullable(),
  eiRecordId: z.int().nullable(),
  lastSeq: seq,
  lastInboundSeq: seq,
  createdDate: z.iso.datetime(),
  lastMessageDate: z.iso.datetime(),
  endedDate: z.iso.datetime().nullable(),
  assignedTo: z.int().nullable().describe('The user who answers for us; null: whoever sends'),
  nextScheduledDate: z.iso.datetime().nullable().describe('When schedule_message has something sent in it'),
})
export type Conversation = z.output<typeof conversation>

/** What await_reply and poll_replies answer. */
export const replies = z.object({
  messages: z.array(message),
  cursor: seq.describe('For afterSeq of the next call'),
  state: z.enum(['open', 'ended']),
  timedOut: z.boolean(),
})

export const inboxMessage = z.object({
  inboxSeq: z.int(),
  messageId,
  conversationId,
  seq,
  from: z.string(),
  fromTenantUserId: z.int().nullable(),
  text: z.string(),
  card: card.optional(),
  assetKeys: z.array(z.string()),
  eiRecordId: z.int().nullable(),
  at: z.iso.datetime(),
  isRead: z.boolean(),
  answeredDate: z.iso.datetime().optional(),
  conversationState: z.enum(['open', 'ended']),
  direction: z.enum(['outbound', 'inbound']).describe('inbound: of a conversation that was handed to me; my answer goes to its sender'),
})

export const exampleReply: z.output<typeof message> = {
  messageId: 1043,
  conversationId: 311,
  seq: 2,
  direction: 'inbound',
  channel: 'inbox',
  from: 'Ana Ruiz',
  fromTenantUserId: 12,
  text: 'Open, the lock is new',
  choice: 'open',
  assetKeys: [],
  at: '2026-11-21T09:32:10.000Z',
}

export const exampleConversation: Conversation = {
  conversationId: 311,
  state: 'open',
  channel: 'inbox',
  channelId: null,
  tenantUserId: 12,
  address: null,
  eiRecordId: 51204,
  lastSeq: 2,
  lastInboundSeq: 2,
  createdDate: '2026-11-21T09:30:00.000Z',
  lastMessageDate: '2026-11-21T09:32:10.000Z',
  endedDate: null,
  assignedTo: null,
  nextScheduledDate: null,
}

component('Message', message)
component('MessageDetail', messageDetail)
component('MessageStatus', messageStatus)
component('MessagePreview', preview)
component('Card', card)
component('Recipient', recipient)
component('Conversation', conversation)
component('Replies', replies)
component('InboxMessage', inboxMessage)
