import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'
import { findCaller } from '#tools/entities/service.ts'

import { openContent } from '../conversations/content.ts'
import type { ConversationRow } from '../conversations/conversations.store.ts'
import { conversationFor } from '../conversations/opening.ts'
import { mustCarry } from '../conversations/send.ts'
import { sendFields } from '../conversations/send-fields.schema.ts'
import { isTimeZone } from '../delivery/quiet-hours.rules.ts'
import { readFallback } from '../fallback/falling-back.ts'
import { toScheduled } from '../shown.ts'
import { exampleScheduled, scheduledMessage } from './scheduled.schema.ts'
import { insertScheduled } from './scheduled.store.ts'
import { mostDays, readSendAt } from './times.rules.ts'

/** Of one tenant, that wait. */
const mostWaiting = 10_000

const asThere = 'As in send_message'

const input = z.object({
  ...sendFields,
  channel: sendFields.channel.describe(asThere),
  fallbackAfter: sendFields.fallbackAfter.describe(asThere),
  urgent: sendFields.urgent.describe(asThere),
  at: z.iso.datetime({ offset: true }).optional().describe('A moment'),
  localTime: z
    .string()
    .regex(/^(?:\d{4}-\d{2}-\d{2}T)?(?:[01]\d|2[0-3]):[0-5]\d$/, 'HH:MM, or YYYY-MM-DDTHH:MM')
    .optional()
    .describe('Or by the recipient’s wall: 07:30 (the next) or 2026-12-01T07:30'),
  timeZoneIana: z.string().min(1).max(64).optional().describe('Where the recipient is no user; else yours'),
})

const refuseZone = (message: string) => new AppError('invalid_input', message, { issues: [finding('$.timeZoneIana', message)] })

/** A zone has several names. */
const asOne = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone

/** Whose wall a local time is read by: a user's own, whoever sends. Throws 400 for a zone that would mean nothing. */
async function zoneOf(
  { tx, tenantId, actor }: TxContext,
  { tenantUserId }: ConversationRow,
  { timeZoneIana: said, localTime }: { readonly timeZoneIana?: string | undefined; readonly localTime?: string | undefined },
): Promise<string> {
  if (said !== undefined && !isTimeZone(said)) throw refuseZone('There is no such time zone. list_time_zones shows them.')
  if (said !== undefined && localTime === undefined) throw refuseZone('A moment needs no zone: leave timeZoneIana out, or give localTime.')
  const of = tenantUserId ?? (said === undefined ? actor.tenantUserId : undefined)
  const own = of === undefined ? undefined : (await findCaller(tx, tenantId, of))?.timeZoneIana
  if (said !== undefined && own !== undefined && asOne(own) !== asOne(said))
    throw refuseZone(`The recipient is a user, whose wall is that of ${own}. Leave timeZoneIana out, or give the moment in at.`)
  return own ?? said ?? 'UTC'
}

export const scheduleMessage = defineOperation({
  ...writes(scheduledMessage),
  errors: ['not_found', 'unprocessable'],
  name: 'schedule_message',
  title: 'Send a message later',
  description: `Sends what send_message takes at a moment or at the recipient's local time, at most ${mostDays} days ahead, with the rights you have then. Opens its conversation at once: get_conversation shows what waits in it, cancel_scheduled_message withdraws it.`,
  method: 'POST',
  path: '/api/v1/messaging/schedule',
  roles: 'DataEdit',
  input,
  examples: [
    {
      title: 'At half past seven by her wall',
      input: { to: { tenantUserId: 12 }, text: 'Gate 4 opens at nine today.', localTime: '07:30' },
      output: exampleScheduled,
    },
  ],
  async handler(context, { at, localTime, timeZoneIana, ...asked }) {
    const { tx, tenantId, stamp, actor } = context
    await readFallback(context, asked)
    const conversation = await conversationFor(context, asked)
    const { conversationId, channel: kind, tenantUserId, eiRecordId: about } = conversation
    const zone = await zoneOf(context, conversation, { timeZoneIana, localTime })
    const read = readSendAt({ at, localTime }, zone, Date.parse(stamp))
    if ('finding' in read) throw new AppError('invalid_input', read.finding.message, { issues: [read.finding] })
    // As it would be refused now it is refused now; what changes until then is asked again then.
    const message = await (await openContent(context, asked))({ kind, tenantUserId, eiRecordId: about })
    await mustCarry(context, { kind }, message)
    const { to: recipient = null, channel = null, text, template, params, card, assetKeys, urgent, fallback, fallbackAfter } = asked
    const made = await insertScheduled(tx, tenantId, stamp, mostWaiting, {
      conversationId,
      recipient: asked.conversationId === undefined ? recipient : null,
      channel,
      content: { text, template, params, card, assetKeys, urgent, fallback, fallbackAfter },
      sendAt: new Date(read.ms).toISOString(),
      timeZone: localTime === undefined ? null : zone,
      ownerId: actor.tenantUserId,
      roleFlag: actor.roleFlag,
    })
    if (!made) throw new AppError('too_large', `At most ${mostWaiting} messages of a tenant wait to be sent. Cancel some, or send later.`)
    context.audit({ conversationId, scheduledMessageId: made.scheduledMessageId })
    return toScheduled(made)
  },
})
