import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { issue } from '#platform/validation.ts'

import { assetKeys, card, conversationId, eiRecordId, messageId, messageStates, messageText, recipient, seq } from '../messaging.schema.ts'
import { keepFallback, readFallback } from '../fallback/falling-back.ts'
import { openContent } from './content.ts'
import { openConversation } from './opening.ts'
import { chooseRoute, type Route } from './routes.ts'
import { params, template } from '../templates/templates.schema.ts'
import { mustCarry, takeMessage } from './send.ts'
import { sendFields } from './send-fields.schema.ts'
import { addToMany } from './to-many.ts'

/** One transaction writes to all of them. */
const mostRecipients = 100

const result = z.object({
  index: z.int(),
  outcome: z.enum(['sent', 'suppressed', 'failed']),
  conversationId: conversationId.optional(),
  messageId: messageId.optional(),
  seq: seq.optional(),
  status: z.enum(messageStates).optional(),
  errors: z.array(issue).optional(),
})

/** Whom a route leads to; the same person at another address is written to there too, where that was asked for. */
const endOf = ({ kind, tenantUserId, address }: Route) => `${kind} ${address ?? tenantUserId}`

export const sendMessageBulk = defineOperation({
  ...writes(z.object({ results: z.array(result), sent: z.int(), suppressed: z.int(), failed: z.int() })),
  name: 'send_message_bulk',
  title: 'Send one message to many',
  description:
    'Sends the same message to up to 100 recipients, each in a conversation of its own, and tells each result. One that fails keeps none of the others back; whoever is named twice gets it once. Try it with preview_message first.',
  method: 'POST',
  path: '/api/v1/messaging/send-bulk',
  roles: 'DataEdit',
  errors: ['unprocessable'],
  input: z.object({
    recipients: z
      .array(z.strictObject({ to: recipient, eiRecordId: eiRecordId.optional() }))
      .min(1)
      .max(mostRecipients)
      .describe('Each as in send_message'),
    channel: z.string().min(1).max(64).optional().describe("A kind or a channel's internalName; unless told, each recipient's preference"),
    text: messageText.optional(),
    template: template.optional(),
    params: params.optional(),
    card: card.optional(),
    assetKeys: assetKeys.optional(),
    fallback: sendFields.fallback.describe('As in send_message, for each'),
    fallbackAfter: sendFields.fallbackAfter,
    urgent: z.boolean().optional().describe('As in send_message'),
  }),
  examples: [
    {
      title: 'To two of a crew',
      input: { recipients: [{ to: { tenantUserId: 12 } }, { to: { tenantUserId: 99_999 } }], text: 'Gate 4 is closed today.' },
      output: {
        results: [
          { index: 0, outcome: 'sent', conversationId: 340, messageId: 1100, seq: 1, status: 'delivered' },
          { index: 1, outcome: 'failed', errors: [{ path: '$.to.tenantUserId', severity: 'error', message: 'There is no user 99999.' }] },
        ],
        sent: 1,
        suppressed: 0,
        failed: 1,
      },
    },
  ],
  async handler(context, { recipients, channel, fallback: channels, fallbackAfter, ...said }) {
    const fallback = await readFallback(context, { fallback: channels, fallbackAfter })
    const content = await openContent(context, said)
    const firstTo = new Map<string, number>()
    const results: z.output<typeof result>[] = []
    for (const [index, { to, eiRecordId: about }] of recipients.entries()) {
      try {
        const route = await chooseRoute(context, to, channel)
        const earlier = firstTo.get(endOf(route))
        if (earlier !== undefined) {
          const again = `The recipient is that of ${earlier} too, and gets the message once.`
          throw new AppError('invalid_input', again, { issues: [finding('$.to', again)] })
        }
        const { kind, tenantUserId } = route
        const message = await content({ kind, tenantUserId, eiRecordId: about ?? null })
        await mustCarry(context, route, message)
        await takeMessage(context)
        const conversation = await openConversation(context, { to, channel, eiRecordId: about })
        firstTo.set(endOf(route), index)
        const sent = await addToMany(context, conversation, route, { ...message, isTaken: true })
        if (fallback) await keepFallback(context, sent, { ...said, isToMany: true }, fallback)
        results.push({ index, outcome: sent.status === 'suppressed' ? 'suppressed' : 'sent', ...sent })
      } catch (error) {
        // What we refuse was refused before it wrote anything; what the database refuses ends the call.
        if (!(error instanceof AppError) || error.status >= 500) throw error
        results.push({ index, outcome: 'failed', errors: [...(error.issues ?? [finding('$.to', error.message)])] })
      }
    }
    const count = (outcome: string) => results.filter((one) => one.outcome === outcome).length
    const counts = { sent: count('sent'), suppressed: count('suppressed'), failed: count('failed') }
    context.audit(counts)
    return { results, ...counts }
  },
})
