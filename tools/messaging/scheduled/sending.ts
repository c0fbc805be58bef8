/**
 * Scheduled messages that are due go out by the call that their owner would make now, with the rights that the owner has now, and it is that call's
 * transaction which says that they were sent: once, whatever dies and however many processes look.
 */
import { runAs } from '#platform/acting.ts'
import { AppError, errorCatalogue } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { workInShares } from '#tools/schedules/service.ts'

import { lockConversation, setWay } from '../conversations/conversations.store.ts'
import { chooseRoute } from '../conversations/routes.ts'
import {
  type DueMessage,
  endScheduled,
  listDueScheduled,
  markSent,
  putOffScheduled,
  type ScheduledRow,
  takeDue,
} from './scheduled.store.ts'

/** Longer than a call takes: whoever died over one is followed after this long. */
const leaseSeconds = 60
const suspendedSeconds = 300
/** A message that could not go out for so long is not what anybody planned any more. */
const latestMs = 24 * 3_600_000

/** The way to a person is that of the day: nobody is written to at the number that they had when it was planned. */
async function chooseWayAgain(context: TxContext, { conversationId, recipient, channel }: ScheduledRow): Promise<void> {
  const { tx, tenantId } = context
  const conversation = await lockConversation(tx, tenantId, conversationId)
  if (!conversation || recipient === null || conversation.state === 'ended' || conversation.lastSeq > 0) return
  const { kind, channel: through, tenantUserId, address } = await chooseRoute(context, recipient, channel ?? undefined)
  await setWay(tx, tenantId, conversationId, { channel: kind, channelId: through?.channelId ?? null, tenantUserId, address })
}

async function sendOne(services: Services, { tenantId, scheduledMessageId }: DueMessage): Promise<boolean> {
  const inTenant = <T>(work: (context: TxContext) => Promise<T>, of = {}) => inSystemTransaction(services, tenantId, work, of)
  const row = await inTenant(({ tx }) => takeDue(tx, tenantId, scheduledMessageId, leaseSeconds))
  if (!row) return false
  const { conversationId, content, ownerId, roleFlag } = row
  const origin = { kind: 'schedule', id: scheduledMessageId, depth: 0 } as const
  try {
    await inTenant((context) => chooseWayAgain(context, row), { tenantUserId: ownerId, roleFlag })
    const who = { tenantId, tenantUserId: ownerId, roleFlag, origin }
    await runAs(
      services,
      who,
      'send_message',
      { ...content, conversationId },
      {
        key: `scheduled:${scheduledMessageId}`,
        async commitWith(tx, answer) {
          // send_message answers the ids of what it sent.
          const { messageId } = answer as { messageId: number }
          if (!(await markSent(tx, tenantId, scheduledMessageId, messageId))) throw new AppError('conflict', 'It was cancelled meanwhile.')
        },
      },
    )
  } catch (error) {
    const known = error instanceof AppError ? error : undefined
    const isOver = Date.now() - Date.parse(row.sendAt) > latestMs
    const fail = (reason: string) => inTenant(({ tx }) => endScheduled(tx, tenantId, scheduledMessageId, { state: 'failed', reason }))
    if (isOver) await fail(`It could not be sent within a day of its time. ${known?.message ?? 'Something failed on our side.'}`)
    else if (known?.code === 'tenant_suspended')
      await inTenant(({ tx }) => putOffScheduled(tx, tenantId, scheduledMessageId, suspendedSeconds))
    else if (known && known.code !== 'internal' && !errorCatalogue[known.code].retryable) await fail(known.message)
    // The lease brings it again.
    else services.log.warn({ err: error, tenantId, scheduledMessageId }, 'a scheduled message could not be sent and is tried again')
  }
  return true
}

/** Sends some of what is due of each tenant, and answers how many there were. Harmless to repeat, and beside others. */
export async function sendScheduled(services: Services): Promise<number> {
  return workInShares(services.databases, listDueScheduled, (due) => sendOne(services, due))
}
