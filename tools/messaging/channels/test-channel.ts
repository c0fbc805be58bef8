import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'

import { addressNoun, asAddress } from '../conversations/addresses.ts'
import { channelId } from './channels.schema.ts'
import { findChannel } from './channels.store.ts'
import { insertConversation, setEnded } from '../conversations/conversations.store.ts'
import { tellEnded } from '../delivery/errands.ts'
import { findStatus } from '../conversations/messages.store.ts'
import { messageStatus, messageText } from '../messaging.schema.ts'
import { addOutbound, messageTopic } from '../conversations/send.ts'
import { toStatus } from '../shown.ts'

const lookAgainMs = 5_000

export const testChannel = defineStagedOperation({
  ...writes(messageStatus),
  errors: ['not_found'],
  name: 'test_channel',
  title: 'Test a channel',
  description:
    'Sends a test message through a channel and waits until the vendor took or refused it, at most timeoutSeconds. queued means still on its way: ask get_message_status.',
  method: 'POST',
  path: '/api/v1/messaging/channels/{channelId}/test',
  roles: 'AdminIntegration',
  input: z.object({
    channelId,
    to: z
      .string()
      .min(1)
      .max(320)
      .describe('A phone number with its country, an e-mail address, or what list_conversations shows as address'),
    text: messageText.max(1_000).optional(),
    timeoutSeconds: z.number().min(0).max(55).optional().describe('15 unless told'),
  }),
  examples: [
    {
      title: 'To my own phone',
      input: { channelId: 7, to: '+34600123456' },
      output: { messageId: 1050, conversationId: 320, seq: 1, channel: 'sms', status: 'sent', attempts: 1, at: '2026-11-21T09:30:00.000Z' },
    },
  ],
  async stagedHandler({ services, signal, tenantId, inTransaction }, input) {
    const deadline = performance.now() + (input.timeoutSeconds ?? 15) * 1000
    const sent = await inTransaction(async (context) => {
      const { tx, stamp, actor } = context
      const channel = mustExist(await findChannel(tx, tenantId, input.channelId), 'channel')
      const address = asAddress(channel.channel, input.to)
      if (address === undefined) {
        const message = `This channel needs ${addressNoun(channel.channel)}.`
        throw new AppError('invalid_input', message, { issues: [finding('$.to', message)] })
      }
      const route = {
        channel: channel.channel,
        channelId: channel.channelId,
        tenantUserId: null,
        address,
        eiRecordId: null,
        subject: 'Test',
        startedBy: actor.tenantUserId || null,
      }
      const conversation = await insertConversation(tx, tenantId, stamp, route)
      const message = await addOutbound(context, conversation, {
        text: input.text ?? `This is a test of ${channel.internalName}.`,
        isUrgent: true,
      })
      // Nobody awaits an answer to a test.
      await setEnded(tx, tenantId, conversation.conversationId, stamp)
      await tellEnded(context, conversation.conversationId)
      return message
    })
    const line = services.wake.listen(messageTopic(sent.messageId))
    try {
      for (;;) {
        const row = mustExist(await inTransaction(({ tx }) => findStatus(tx, tenantId, sent.messageId), { readOnly: true }), 'message')
        const remainingMs = deadline - performance.now()
        if (row.status !== 'queued' || remainingMs <= 0 || signal.aborted) return toStatus(row)
        await line.next(Math.min(remainingMs, lookAgainMs), signal)
      }
    } finally {
      line.close()
    }
  },
})
