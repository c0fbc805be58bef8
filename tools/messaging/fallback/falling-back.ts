/**
 * A message that did not arrive goes out on the next channel that its sender named, in the same conversation, which goes on there. The look at the
 * message, the move of the conversation and the next message are one transaction under the locks of all three: each channel is taken once, whatever dies.
 */
import { actorOfRun, findActingUser } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { workInShares } from '#tools/schedules/service.ts'

import { isOptedOut, listChannels } from '../channels/channels.store.ts'
import { openContent } from '../conversations/content.ts'
import { type ConversationRow, lockConversation } from '../conversations/conversations.store.ts'
import { moveStatus } from '../conversations/logged.ts'
import { isAnsweredSince } from '../conversations/messages.store.ts'
import { recipientOf } from '../conversations/opening.ts'
import { chooseRoute, type Route } from '../conversations/routes.ts'
import { addOutbound, messageTopic, mustCarry, type Outbound, type Sent } from '../conversations/send.ts'
import { addToMany } from '../conversations/to-many.ts'
import { moveTo } from '../conversations/ways.ts'
import { heldUntil } from '../delivery/delivery.ts'
import { type DueMessage, findLastAttempt, lockDue } from '../delivery/delivery.store.ts'
import { nameThread } from '../delivery/worded.ts'
import { channelKinds } from '../messaging.schema.ts'
import { readWait, verdictOf } from './fallback.rules.ts'
import {
  type DueFallback,
  endFallback,
  type FallbackRow,
  insertFallback,
  isSaidAgain,
  type KeptContent,
  listDueFallbacks,
  lockFallback,
  putOffFallback,
  takeDueFallback,
} from './fallback.store.ts'

export interface Fallback {
  readonly fallback?: readonly string[] | undefined
  readonly fallbackAfter?: string | undefined
}

/** What a call says of it, read before anything is sent. Throws AppError `invalid_input`. */
export async function readFallback({ tx, tenantId }: TxContext, { fallback, fallbackAfter }: Fallback) {
  const wait = readWait(fallbackAfter)
  if ('finding' in wait) throw new AppError('invalid_input', wait.finding.message, { issues: [wait.finding] })
  if (fallback === undefined) return undefined
  const names = [...channelKinds, ...(await listChannels(tx, tenantId)).map(({ internalName }) => internalName)]
  const issues = fallback.flatMap((said, n) =>
    names.some((name) => name.toLowerCase() === said.toLowerCase())
      ? []
      : [
          finding(`$.fallback[${n}]`, `There is no channel ${quoted(said)}. list_channels shows them.`, {
            suggestion: nearest(said, names),
          }),
        ],
  )
  if (issues[0]) throw new AppError('invalid_input', issues[0].message, { issues })
  return { channels: fallback, afterSeconds: wait.seconds }
}

/** Keeps what is to be tried where the message that was just sent does not arrive. */
export async function keepFallback(
  { tx, tenantId, actor }: TxContext,
  { conversationId, messageId, status }: Sent,
  content: KeptContent,
  { channels, afterSeconds }: { readonly channels: readonly string[]; readonly afterSeconds: number },
): Promise<void> {
  if (channels.length === 0) return
  const { text, template, params, card, assetKeys, urgent, isToMany } = content
  await insertFallback(
    tx,
    tenantId,
    {
      messageId,
      conversationId,
      channels,
      afterSeconds,
      content: { text, template, params, card, assetKeys, urgent, isToMany },
      ownerId: actor.tenantUserId,
      roleFlag: actor.roleFlag,
    },
    status === 'suppressed' ? 0 : afterSeconds,
  )
}

/** The first of the channels that reaches the person and carries the message; `rest` are those behind it. */
async function findNext(
  context: TxContext,
  conversation: ConversationRow,
  missed: Pick<DueMessage, 'channel' | 'to'>,
  { channels, content }: FallbackRow,
): Promise<{ route: Route; message: Outbound; rest: readonly string[] } | undefined> {
  const { tx, tenantId } = context
  const { eiRecordId } = conversation
  for (const [n, wanted] of channels.entries()) {
    try {
      const route = await chooseRoute(context, recipientOf(conversation), wanted)
      const { kind, address, tenantUserId } = route
      // Its own way, and not that of the conversation, which another message may have moved on already.
      if (kind === missed.channel && (address ?? '') === missed.to) continue
      if (kind !== 'inbox' && address !== null && (await isOptedOut(tx, tenantId, kind, address))) continue
      const { isToMany: _isToMany, ...said } = content
      const message = await (await openContent(context, said))({ kind, tenantUserId, eiRecordId })
      await mustCarry(context, route, message)
      return { route, message, rest: channels.slice(n + 1) }
    } catch (error) {
      // A channel that does not reach the person, or does not carry the message, gives way to the next. Nothing was written for it.
      if (!(error instanceof AppError) || error.status >= 500) throw error
    }
  }
  return undefined
}

const soonSeconds = 30

/** What is to be done about a message that is still queued: undefined where it is given up for the next channel. */
async function waitsFor(context: TxContext, messageId: number, afterSeconds: number): Promise<number | undefined> {
  const { tx, tenantId, stamp } = context
  const due = await lockDue(tx, tenantId, messageId)
  const last = await findLastAttempt(tx, tenantId, messageId)
  // A call to the vendor may be under way: what becomes of it is known soon.
  if (last && (last.outcome === null || last.outcome === 'unknown')) return soonSeconds
  const untilMs = due && (await heldUntil(context, due))
  return untilMs === undefined ? undefined : (untilMs - Date.parse(stamp)) / 1_000 + afterSeconds
}

async function lookAt(context: TxContext, row: FallbackRow, mayGoOn: boolean): Promise<void> {
  const { tx, tenantId, services } = context
  const { messageId, conversationId, afterSeconds, content } = row
  const conversation = await lockConversation(tx, tenantId, conversationId)
  const message = await lockDue(tx, tenantId, messageId)
  if (!conversation || !message || !(await lockFallback(tx, tenantId, messageId))) return
  const verdict = verdictOf({
    kind: message.channel,
    status: message.status,
    // A stranger who holds the address of the thread answers for nobody.
    isAnswered: conversation.lastInboundSeq > message.seq && (await isAnsweredSince(tx, tenantId, conversationId, message.seq)),
    isEnded: conversation.state === 'ended',
  })
  if (verdict === 'over' || !mayGoOn || (await isSaidAgain(tx, tenantId, row))) return endFallback(tx, tenantId, messageId, null)
  if (verdict === 'queued') {
    const seconds = await waitsFor(context, messageId, afterSeconds)
    if (seconds !== undefined) return putOffFallback(tx, tenantId, messageId, seconds)
  }
  const next = await findNext(context, conversation, message, row)
  if (!next) return endFallback(tx, tenantId, messageId, null)
  if (verdict === 'queued') {
    // It must not go out any more once another goes in its place.
    await moveStatus(context, messageId, { status: 'failed', reason: 'unreachable' })
    context.afterCommit(() => services.wake.poke(messageTopic(messageId)))
  }
  const moved = await moveTo(context, conversation, {
    ...next.route,
    channelId: next.route.channel?.channelId ?? null,
    channel: next.route.kind,
  })
  const sent = content.isToMany
    ? await addToMany(context, moved, next.route, next.message)
    : await addOutbound(context, moved, next.message)
  await endFallback(tx, tenantId, messageId, sent.messageId)
  await nameThread(context, moved, sent.messageId)
  await keepFallback(context, sent, content, { channels: next.rest, afterSeconds })
}

/** Longer than a look takes: whoever died over one is followed after this long. */
const leaseSeconds = 60

async function lookAtOne(services: Services, { tenantId, messageId }: DueFallback): Promise<boolean> {
  const row = await inSystemTransaction(services, tenantId, ({ tx }) => takeDueFallback(tx, tenantId, messageId, leaseSeconds))
  if (!row) return false
  const { ownerId: tenantUserId, roleFlag } = row
  try {
    const user = await findActingUser(services.databases, { tenantId, tenantUserId })
    if (user?.isSuspended) return true
    const origin = { kind: 'system', id: messageId, depth: 0 } as const
    await inSystemTransaction(
      services,
      tenantId,
      async (context) => {
        const actor = user ? actorOfRun(user, { tenantId, tenantUserId, roleFlag, origin }) : context.actor
        const mayGoOn = user !== undefined && (actor.roleFlag & roleBits.DataEdit) !== 0
        await lookAt({ ...context, actor }, row, mayGoOn)
      },
      { tenantUserId, roleFlag },
    )
  } catch (error) {
    // The lease brings it again.
    services.log.warn({ err: error, tenantId, messageId }, 'whether a message arrived could not be looked at, and is again')
  }
  return true
}

/** Looks at some of what is due of each tenant, and answers how many there were. Harmless to repeat, and beside others. */
export async function fallBack(services: Services): Promise<number> {
  return workInShares(services.databases, listDueFallbacks, (due) => lookAtOne(services, due))
}
