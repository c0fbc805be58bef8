/** Deliveries to vendors, for the activities that make them: a claim is committed before each call, and what came of it after. */
import { findTenantName } from '#platform/db/tenant.ts'
import { withLinkToken } from '#platform/link-tokens.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { findAssets } from '#tools/assets/service.ts'

import { forRecipient, mayBringLink } from '../conversations/cards.rules.ts'
import { type ChannelRow, findChannel, insertOptOut, isOptedOut } from '../channels/channels.store.ts'
import { devicesOf } from '../channels/linking.ts'
import { countsForKind } from '../channels/standing-in.ts'
import * as store from './delivery.store.ts'
import { findLinksOf } from '../conversations/links.store.ts'
import { noteProviderId } from '../conversations/messages.store.ts'
import { carriedBy } from '../messaging.rules.ts'
import type { Card, FailureReason, MessageStatus } from '../messaging.schema.ts'
import { findProvider } from '../providers/index.ts'
import type { Thread, Way } from '../providers/provider.ts'
import { quietUntil } from './quiet-hours.rules.ts'
import { findPerson } from '../conversations/recipients.store.ts'
import { replyAddress } from './reply-address.ts'
import { openSecrets } from '../channels/secrets.ts'
import { messageTopic } from '../conversations/send.ts'
import { moveStatus } from '../conversations/logged.ts'
import { wordedMail } from './worded.ts'

/** What goes to a vendor, with everything that the call needs. */
export interface Order<W extends Way = Way> {
  readonly tenantId: number
  readonly messageId: number
  readonly conversationId: number
  readonly attemptNo: number
  readonly claimedAt: string
  readonly to: string
  /** The whole message as the channel writes it, without what can be tapped there. */
  readonly text: string
  /** Of a mail that is laid out already. */
  readonly html?: string | undefined
  readonly card: Card | null
  readonly assetKeys: readonly string[]
  /** Who sent it, in whose name its files are shown to the vendor. */
  readonly fromUserId: number | null
  readonly via: W
}

export type Claim =
  /** Nothing to do, now or ever. */
  | { readonly kind: 'done'; readonly status: MessageStatus }
  /** By quiet hours or its turn; by the database's clock, which is the one that they were read by. */
  | { readonly kind: 'held'; readonly forMs: number }
  /** Claimed: call the vendor, then say what came of it. */
  | { readonly kind: 'send'; readonly order: Order }
  /** An earlier call may have happened; `ageMs` since it was claimed. */
  | { readonly kind: 'lookUp'; readonly order: Order; readonly ageMs: number; readonly rivals: number }

const webhookPath = (channelKey: string) => `/api/v1/messaging/webhooks/${channelKey}`

/** The address that a channel's vendor calls. */
export function webhookUrl(services: Services, channelKey: string): string {
  return `${services.config.publicUrl}${webhookPath(channelKey)}`
}

async function settle(
  context: TxContext,
  messageId: number,
  to: { status: MessageStatus; reason?: FailureReason; vendorCode?: string | undefined; providerId?: string | undefined },
) {
  await moveStatus(context, messageId, to)
  context.afterCommit(() => context.services.wake.poke(messageTopic(messageId)))
}

const noThread: Thread = { subject: '', earlier: [], replyAddress: () => '' }

async function threadOf({ tx, tenantId, services }: TxContext, due: store.DueMessage): Promise<Thread> {
  return {
    subject: due.subject ?? `Message from ${await findTenantName(tx, tenantId)}`,
    earlier: (await store.listThread(tx, tenantId, due)).map((one) => one.providerId),
    replyAddress: (domain) => replyAddress(services, tenantId, due.conversationId, domain),
  }
}

/** How the channel is to be spoken to; undefined where its settings or secrets do not suffice. */
export async function wayOf(context: TxContext, due: store.DueMessage, channel: ChannelRow): Promise<Way | undefined> {
  const { tx, tenantId, services } = context
  const provider = findProvider(channel.provider)
  const stored = { settings: channel.settings, secrets: await openSecrets(tx, services, tenantId, channel) }
  return provider?.way(stored, {
    tenantId,
    messageId: due.messageId,
    channelId: channel.channelId,
    channel: channel.channel,
    to: due.to,
    callbackUrl: `${webhookUrl(services, channel.channelKey)}?messageId=${due.messageId}`,
    publicHost: new URL(services.config.publicUrl).hostname,
    thread: provider.isThreaded ? await threadOf(context, due) : noThread,
    devices: provider.needsDevices ? await devicesOf(context, { channelId: channel.channelId, address: due.to }) : [],
  })
}

/** Until its turn, and the end of quiet hours; undefined where neither holds it. */
export async function heldUntil(context: TxContext, due: store.DueMessage): Promise<number | undefined> {
  const now = Date.parse(context.stamp)
  const turn = due.notBefore === null ? now : Date.parse(due.notBefore)
  const person = due.tenantUserId === null ? undefined : await findPerson(context.tx, context.tenantId, due.tenantUserId)
  const isQuiet = person?.quietHours && !(due.isUrgent && person.allowsUrgent)
  const until = Math.max(turn, (isQuiet ? quietUntil(person.quietHours, now) : undefined) ?? now)
  return until > now ? until : undefined
}

/**
 * Claims a queued message for one call to its vendor. Everything is read afresh: a STOP, a deleted channel or quiet hours since the message was
 * queued still count. Safe to repeat; of two callers the second learns that the first's call may be under way.
 */
export async function claimDelivery(services: Services, tenantId: number, messageId: number): Promise<Claim> {
  return inSystemTransaction(services, tenantId, async (context): Promise<Claim> => {
    const { tx } = context
    const due = await store.lockDue(tx, tenantId, messageId)
    if (!due) return { kind: 'done', status: 'failed' }
    if (due.status !== 'queued') return { kind: 'done', status: due.status }
    const last = await store.findLastAttempt(tx, tenantId, messageId)
    const isOpen = last !== undefined && (last.outcome === null || last.outcome === 'unknown')
    const fail = async (status: 'failed' | 'suppressed' | 'unknown', reason: FailureReason): Promise<Claim> => {
      await settle(context, messageId, { status, reason })
      return { kind: 'done', status }
    }
    const channel = due.channelId === null ? undefined : await findChannel(tx, tenantId, due.channelId)
    if (!channel) return isOpen ? fail('unknown', 'outcomeUnknown') : fail('failed', 'channelDeleted')
    if (!isOpen) {
      if (await isOptedOut(tx, tenantId, channel.channel, due.to)) return fail('suppressed', 'optedOut')
      const untilMs = await heldUntil(context, due)
      if (untilMs !== undefined) return { kind: 'held', forMs: untilMs - Date.parse(context.stamp) }
    }
    const via = await wayOf(context, due, channel)
    if (!via) return isOpen ? fail('unknown', 'outcomeUnknown') : fail('failed', 'channelMisconfigured')
    const keys = [...due.assetKeys, ...(due.card?.imageAssetKey ? [due.card.imageAssetKey] : [])]
    if (!isOpen && (await findAssets(tx, tenantId, keys)).size < new Set(keys).size) return fail('failed', 'assetGone')
    const attemptNo = isOpen ? last.attemptNo : (last?.attemptNo ?? 0) + 1
    const claimedAt = isOpen ? last.claimedAt : await store.insertAttempt(tx, tenantId, messageId, attemptNo)
    const { conversationId, to } = due
    const link = mayBringLink(due) ? (await findLinksOf(tx, tenantId, [messageId])).get(messageId) : undefined
    const { text, card } = forRecipient(due, link, (part, of) => withLinkToken(context.services.secrets, of, part))
    const worded = await wordedMail(context, due, { text, card })
    const order: Order = {
      tenantId,
      messageId,
      conversationId,
      attemptNo,
      claimedAt,
      to,
      text: worded?.text ?? carriedBy(channel.channel, { text, card }).text,
      html: worded?.html,
      card,
      assetKeys: keys,
      fromUserId: due.fromUserId,
      via,
    }
    return isOpen
      ? { kind: 'lookUp', order, ageMs: last.ageMs, rivals: await store.countRivals(tx, tenantId, due) }
      : { kind: 'send', order }
  })
}

export type Outcome =
  | { readonly kind: 'sent'; readonly providerId: string }
  /** The vendor said no, for good. */
  | { readonly kind: 'refused'; readonly reason: FailureReason; readonly vendorCode?: string | undefined }
  /** It certainly did not go out; it may be tried again. */
  | { readonly kind: 'notSent'; readonly detail: string; /** The vendor says when. */ readonly afterMs?: number }
  /** It may have gone out: the next claim looks it up. */
  | { readonly kind: 'unknown'; readonly detail: string }
  /** It may have gone out, and nothing will tell. */
  | { readonly kind: 'neverKnown'; readonly detail: string; readonly providerId: string | undefined }

/** Writes down what came of a claimed call. Safe to repeat: what is certain stays. */
export async function recordOutcome(
  services: Services,
  order: Pick<Order, 'tenantId' | 'messageId' | 'attemptNo' | 'to'>,
  outcome: Outcome,
): Promise<void> {
  const { tenantId, messageId, attemptNo } = order
  await inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp } = context
    const due = await store.lockDue(tx, tenantId, messageId)
    if (!due) return
    const note = (kind: NonNullable<store.Attempt['outcome']>, detail: string | null) =>
      store.setOutcome(tx, tenantId, messageId, attemptNo, kind, detail)
    switch (outcome.kind) {
      case 'sent':
        await note('sent', null)
        await noteProviderId(tx, tenantId, messageId, outcome.providerId)
        return settle(context, messageId, { status: 'sent', providerId: outcome.providerId })
      case 'refused': {
        await note('refused', outcome.vendorCode ?? outcome.reason)
        const isStopped = outcome.reason === 'optedOut'
        const isNew = isStopped && due.channel !== 'inbox' && !(await isOptedOut(tx, tenantId, due.channel, due.to))
        if (isNew && (await countsForKind(tx, tenantId, due.channelId))) {
          await insertOptOut(tx, tenantId, stamp, { channel: due.channel, address: due.to, isOut: true, source: 'vendor' })
        }
        return settle(context, messageId, {
          status: isStopped ? 'suppressed' : 'failed',
          reason: outcome.reason,
          vendorCode: outcome.vendorCode,
        })
      }
      case 'notSent':
        return note('notSent', outcome.detail)
      case 'unknown':
        return note('unknown', outcome.detail)
      case 'neverKnown':
        await note('unknown', outcome.detail)
        return settle(context, messageId, { status: 'unknown', reason: 'outcomeUnknown', providerId: outcome.providerId })
    }
  })
}

/** Ends the tries for a message: failed where it certainly never went out, unknown where it may have. Safe to repeat. */
export async function giveUpOn(services: Services, tenantId: number, messageId: number): Promise<MessageStatus> {
  return inSystemTransaction(services, tenantId, async (context) => {
    const { tx } = context
    const due = await store.lockDue(tx, tenantId, messageId)
    if (due?.status !== 'queued') return due?.status ?? 'failed'
    const last = await store.findLastAttempt(tx, tenantId, messageId)
    const isOpen = last !== undefined && (last.outcome === null || last.outcome === 'unknown')
    const status = isOpen ? 'unknown' : 'failed'
    await settle(context, messageId, { status, reason: isOpen ? 'outcomeUnknown' : 'unreachable' })
    return status
  })
}

/** Those of a vendor's ids that are no message of ours yet. */
export async function withoutKnown(services: Services, tenantId: number, providerIds: readonly string[]): Promise<string[]> {
  const known = await services.databases.transact({ tenantId, isReadOnly: true }, ({ tx }) =>
    store.listKnownProviderIds(tx, tenantId, providerIds),
  )
  return providerIds.filter((id) => !known.includes(id))
}
