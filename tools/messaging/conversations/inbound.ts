/** Inbound messages: which conversation they belong to, what they mean, and whom they wake. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'

import { type ChannelRow, findChannel, insertOptOut, isOptedOut } from '../channels/channels.store.ts'
import { findUserOfAddress } from '../channels/linking.ts'
import { countsForKind } from '../channels/standing-in.ts'
import {
  type ConversationRow,
  findByProviderId,
  insertConversation,
  listOpenByAddress,
  lockConversation,
  takeSeq,
} from './conversations.store.ts'
import { bring } from './handing-over.ts'
import { insertMedia } from '../delivery/delivery.store.ts'
import { tellAwaiting, tellEnded, tellReceived } from '../delivery/errands.ts'
import { findAskedCard, hasInbound, insertMessage } from './messages.store.ts'
import {
  choiceOf,
  conversationMeant,
  helpTextDefault,
  isUnsubscribe,
  isYes,
  type Keyword,
  keywordOf,
  keywordOfReply,
  registersBy,
} from '../messaging.rules.ts'
import { findProvider } from '../providers/index.ts'
import { lockAddress } from './recipients.store.ts'
import { addOutbound } from './send.ts'
import { logReceived } from './logged.ts'
import { conversationTopic } from './waiting.ts'
import { followTo } from './ways.ts'

export interface Inbound {
  /** E.164 or e-mail in lower case. */
  readonly from: string
  readonly to: string | null
  readonly text: string
  /** A tapped button's key. */
  readonly payload?: string | undefined
  /** What the vendor took the message for, by words that we do not know. */
  readonly keyword?: Keyword | undefined
  /** The vendor's id; a conversation holds it once. */
  readonly providerId: string
  /** Ids of earlier messages that this one answers. */
  readonly inReplyTo?: readonly string[]
  readonly subject?: string | undefined
  readonly media?: readonly { readonly url: string; readonly mimeType: string }[]
  readonly assetKeys?: readonly string[]
  readonly authentication?: Readonly<Record<string, string>>
}

export interface Stored {
  readonly conversationId: number
  readonly messageId: number
  readonly seq: number
  readonly keyword: Keyword | undefined
}

/** The conversation that a delivery of this channel belongs to, locked: by thread, else by the question that it answers, else the latest open one with the address, else a new one. */
async function openFor(context: TxContext, channel: ChannelRow, inbound: Inbound): Promise<ConversationRow> {
  const { tx, tenantId, stamp } = context
  // Two first messages of one person at once would open two conversations.
  await lockAddress(tx, tenantId, channel.channelId, inbound.from)
  for (const earlier of inbound.inReplyTo ?? []) {
    const found = await findByProviderId(tx, tenantId, earlier)
    const thread = found === undefined ? undefined : await lockConversation(tx, tenantId, found)
    if (thread) return thread
  }
  // One may end between being found and being locked; the next is found then.
  const meant = async () =>
    conversationMeant(await listOpenByAddress(tx, tenantId, channel.channelId, inbound.from), inbound.payload ?? inbound.text)
  for (let found = await meant(); found !== undefined; found = await meant()) {
    const open = await lockConversation(tx, tenantId, found)
    if (open?.state === 'open') return open
  }
  return insertConversation(tx, tenantId, stamp, {
    channel: channel.channel,
    channelId: channel.channelId,
    tenantUserId: (await findUserOfAddress(tx, tenantId, channel, inbound.from)) ?? null,
    address: inbound.from,
    eiRecordId: null,
    subject: inbound.subject === undefined ? null : storable(inbound.subject).slice(0, 500),
    startedBy: null,
  })
}

/** The domain of the sender's address says that the message is not its own. */
const isForged = (inbound: Inbound) => inbound.authentication?.['dmarc'] === 'fail'

/**
 * Writes STOP and START into the ledger, once each. In a thread whose sender is not whom we write to, STOP still means whom we write to, while
 * only they themselves can take it back.
 */
async function obey(context: TxContext, conversation: ConversationRow, inbound: Inbound, word: 'stop' | 'start'): Promise<void> {
  const { tx, tenantId, stamp } = context
  const { channel } = conversation
  const address = conversation.address ?? inbound.from
  const isOut = word === 'stop'
  if (channel === 'inbox' || (!isOut && (address !== inbound.from || isForged(inbound)))) return
  if (!(await countsForKind(tx, tenantId, conversation.channelId))) return
  if ((await isOptedOut(tx, tenantId, channel, address)) !== isOut)
    await insertOptOut(tx, tenantId, stamp, { channel, address, isOut, source: 'person' })
}

/** By SMS a YES is an answer like any other, but from whoever has said STOP the vendor takes it for START. */
async function isTakenBack({ tx, tenantId }: TxContext, { channel }: ConversationRow, { from, text }: Inbound): Promise<boolean> {
  return channel === 'sms' && isYes(text) && (await isOptedOut(tx, tenantId, channel, from))
}

/**
 * The user whose word this is. Whoever holds the reply address of a thread can write into it, so only an address of the user's own counts, and none
 * that is forged.
 */
async function authorOf({ tx, tenantId }: TxContext, conversation: ConversationRow, inbound: Inbound): Promise<number | null> {
  if (isForged(inbound)) return null
  const { channel, channelId } = conversation
  if (channel === 'inbox') return null
  // A contact may be several people's; an account is whose it is now.
  const isContact = registersBy[channel] === 'contact' && conversation.address === inbound.from
  const known = isContact ? conversation.tenantUserId : null
  return known ?? (await findUserOfAddress(tx, tenantId, { channel, channelId }, inbound.from)) ?? null
}

/** HELP where the answer to the vendor's webhook carries no text for its sender. */
async function answerHelp(context: TxContext, conversation: ConversationRow): Promise<void> {
  const { tx, tenantId } = context
  const { conversationId, channelId } = conversation
  const channel = channelId === null ? undefined : await findChannel(tx, tenantId, channelId)
  if (!channel || findProvider(channel.provider)?.answer !== undefined) return
  await addOutbound(context, conversation, {
    text: String(channel.settings['helpText'] ?? helpTextDefault),
    isUrgent: true,
    isNotice: true,
  })
  if (conversation.state === 'ended') await tellEnded(context, conversationId)
}

/** Without what PostgreSQL's text cannot hold: a vendor does not send a message again because one character of it was refused. */
const storable = (text: string) => text.replaceAll('\u0000', '').toWellFormed()

async function store(
  context: TxContext,
  conversation: ConversationRow,
  given: Inbound & { fromUserId?: number; choice?: string | undefined },
): Promise<Stored> {
  const { tx, tenantId, stamp, services } = context
  const { conversationId, channel, channelId, state } = conversation
  // A click on "unsubscribe" sends a mail whose subject alone says STOP. Where nothing else was written, that is what was said.
  const isSaidBySubject = given.text.trim() === '' && given.subject !== undefined && keywordOf(given.subject) !== undefined
  const inbound = { ...given, text: storable(isSaidBySubject ? given.subject : given.text), from: storable(given.from) }
  const choices = channel === 'inbox' ? undefined : (await findAskedCard(tx, tenantId, conversationId, inbound.inReplyTo ?? []))?.choices
  const choice = inbound.choice ?? (choices ? choiceOf(inbound.payload ?? inbound.text, choices) : undefined)
  const keyword =
    given.keyword ??
    (isUnsubscribe(given.subject) ? 'stop' : undefined) ??
    keywordOfReply(channel, inbound.text, choice !== undefined) ??
    ((await isTakenBack(context, conversation, inbound)) ? 'start' : undefined)
  if (keyword === 'stop' || keyword === 'start') await obey(context, conversation, inbound, keyword)
  const seq = await takeSeq(tx, tenantId, conversationId, 'inbound', stamp)
  const fromUserId = inbound.fromUserId ?? (await authorOf(context, conversation, inbound))
  const inserted = insertMessage(tx, tenantId, stamp, {
    conversationId,
    seq,
    direction: 'inbound',
    channel,
    channelId,
    from: channel === 'inbox' ? null : inbound.from,
    to: inbound.to,
    fromUserId,
    toUserId: null,
    inboxSeq: null,
    text: inbound.text,
    card: null,
    choice: choice ?? null,
    keyword: keyword ?? null,
    assetKeys: inbound.assetKeys ?? [],
    status: 'delivered',
    reason: null,
    providerId: inbound.providerId === '' ? null : inbound.providerId,
    isUrgent: false,
    authentication: inbound.authentication ?? null,
  })
  const media = inbound.media ?? []
  // A reply after the end is kept and starts no one; its files are fetched all the same.
  const isTold = state === 'open' || media.length > 0
  const [messageId] = await Promise.all([
    inserted,
    isTold && tellReceived(context, conversationId, { seq, ...(media.length > 0 ? { hasMedia: true } : {}) }),
  ])
  await logReceived(context, { conversationId, messageId, seq, channel, eiRecordId: conversation.eiRecordId }, fromUserId)
  if (media.length > 0) await insertMedia(tx, tenantId, messageId, media)
  const { assignedTo } = conversation
  if (assignedTo !== null && assignedTo !== fromUserId) await bring(context, { messageId, assetKeys: inbound.assetKeys ?? [] }, assignedTo)
  if (state === 'open') {
    context.afterCommit(() => services.wake.poke(conversationTopic(conversationId)))
    await tellAwaiting(context, conversation.awaitedBy)
  }
  if (keyword === 'help' && given.keyword === undefined && channel !== 'inbox') await answerHelp(context, conversation)
  return { conversationId, messageId, seq, keyword }
}

/** Stores what a channel's vendor delivered. The caller has checked that it is the vendor's, and that it comes for the first time. */
export async function storeDelivery(context: TxContext, channel: ChannelRow, inbound: Inbound): Promise<Stored> {
  const { channel: kind, channelId } = channel
  const conversation = await followTo(context, await openFor(context, channel, inbound), { channel: kind, channelId })
  return store(context, conversation, inbound)
}

/** Stores a reply whose address named the conversation; undefined where its Message-ID is there already. Throws AppError `not_found`. */
export async function storeThreaded(context: TxContext, conversationId: number, inbound: Inbound): Promise<Stored | undefined> {
  const { tx, tenantId } = context
  const conversation = await lockConversation(tx, tenantId, conversationId)
  if (!conversation) throw new AppError('not_found', 'No such conversation.')
  if (await hasInbound(tx, tenantId, conversationId, inbound.providerId)) return undefined
  return store(context, await followTo(context, conversation, { channel: 'email' }), inbound)
}

/** Stores a user's answer from the inbox. */
export async function storeAnswer(
  context: TxContext,
  conversationId: number,
  answer: { text: string; choice: string | undefined; assetKeys: readonly string[] },
): Promise<Stored> {
  const { tx, tenantId, actor } = context
  const conversation = await lockConversation(tx, tenantId, conversationId)
  if (!conversation) throw new AppError('not_found', 'No such conversation.')
  return store(context, await followTo(context, conversation, { channel: 'inbox' }), {
    ...answer,
    from: '',
    to: null,
    providerId: '',
    fromUserId: actor.tenantUserId,
  })
}
