/** No vendor: what would be sent is shown as a handset or a mailbox would show it, and answered, tapped, failed and delayed by whoever holds the channel's key. */
import { randomUUID } from 'node:crypto'

import { z } from 'zod'

import { parseJson } from '#platform/json.ts'
import { quoted } from '#platform/suggest.ts'

import { addressNoun, asAddress } from '../conversations/addresses.ts'
import { choiceKey, failureReasons, messageId, messageText, vendorKinds } from '../messaging.schema.ts'
import { defineProvider, type Reading, type VendorRequest } from './provider.ts'
import { helpText } from './settings.schema.ts'

const address = z.string().min(1).max(320)

/** What the webhook takes: a person's message or tap, how a message fared, or what the next one shall meet. */
const done = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('message'),
    from: address,
    text: messageText.optional(),
    choice: choiceKey.optional(),
    /** The message that is answered; without, the latest question that it fits. */
    messageId: messageId.optional(),
    subject: z.string().max(500).optional(),
    /** The same one twice is one message. */
    id: z.string().min(1).max(100).optional(),
  }),
  z.strictObject({
    kind: z.literal('status'),
    messageId,
    status: z.enum(['delivered', 'read', 'failed']),
    reason: z.enum(failureReasons).optional(),
  }),
  z.strictObject({ kind: z.literal('fail'), to: address, reason: z.enum(failureReasons).optional() }),
  z.strictObject({ kind: z.literal('delay'), to: address, seconds: z.int().min(1).max(3_600) }),
])

const help =
  'Send {"kind": "message", from, text or choice, messageId?}, {"kind": "status", messageId, status: delivered, read or failed}, {"kind": "fail", to, reason?} or {"kind": "delay", to, seconds}, as JSON.'

function read({ raw, channel }: VendorRequest): Reading {
  const parsed = done.safeParse(parseJson(raw.body.toString('utf8')))
  const who = parsed.success ? ('from' in parsed.data ? parsed.data.from : 'to' in parsed.data ? parsed.data.to : '') : ''
  const at = who === '' ? '' : asAddress(channel, who)
  if (!parsed.success) return { kind: 'unreadable', message: help }
  if (at === undefined) return { kind: 'unreadable', message: `${quoted(who)} is no address here: give ${addressNoun(channel)}. ${help}` }
  const said = parsed.data
  switch (said.kind) {
    case 'message': {
      if (said.text === undefined && said.choice === undefined) return { kind: 'unreadable', message: help }
      const providerId = `handset-${said.id ?? randomUUID()}`
      return {
        kind: 'message',
        receiptKey: `in:${providerId}`,
        providerId,
        from: at,
        to: null,
        text: said.text ?? said.choice ?? '',
        payload: said.choice,
        subject: said.subject,
        inReplyTo: said.messageId === undefined ? [] : [idOf(said.messageId)],
      }
    }
    case 'status': {
      const { messageId: id, status, reason } = said
      const why = status === 'failed' ? (reason ?? 'refused') : undefined
      return { kind: 'status', receiptKey: `status:${id}:${status}`, providerId: idOf(id), messageId: id, status, reason: why }
    }
    case 'fail':
      return { kind: 'plan', to: at, plan: { does: 'fail', reason: said.reason ?? 'refused', seconds: null } }
    case 'delay':
      return { kind: 'plan', to: at, plan: { does: 'delay', reason: null, seconds: said.seconds } }
  }
}

const idOf = (id: number) => `sandbox-${id}`

export const sandbox = defineProvider({
  name: 'sandbox',
  carries: vendorKinds,
  isStandIn: true,
  settings: z.strictObject({ helpText }),
  secrets: z.strictObject({}),
  way: (_setup, { messageId: id, channelId }) => ({ channelId, providerId: idOf(id) }),
  // Its key is its credential: there is no vendor to sign anything, and nothing but what stands here can be reached with it.
  read: (_setup, request) => read(request),
})

export type SandboxWay = NonNullable<ReturnType<typeof sandbox.way>>
