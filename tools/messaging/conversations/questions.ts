/** Questions of runs: whose step the replies wake, what came in, and how they end. */
import type { TxContext } from '#platform/operation.ts'

import { tellEnded } from '../delivery/errands.ts'
import type { Card } from '../messaging.schema.ts'
import { type Awaiting, lockConversation, setAwaited, setEnded } from './conversations.store.ts'
import { logEnded } from './logged.ts'
import { findAskedCard, listReplies, listStates } from './messages.store.ts'
import { addOutbound, type Outbound } from './send.ts'
import { conversationTopic } from './waiting.ts'

/** Of one look; who writes more before anybody looks is read on at the next. */
const repliesAtOnce = { limit: 20, bytes: 256 * 1024 }

export interface Watched {
  readonly conversationId: number
  readonly afterSeq: number
}

export interface Reply {
  readonly conversationId: number
  readonly seq: number
  readonly text: string
  readonly choice: string | null
  /** STOP and its like are no answers. */
  readonly isKeyword: boolean
  readonly assetKeys: readonly string[]
  /** Its files are here. */
  readonly isWhole: boolean
  readonly at: string
  readonly tenantUserId: number | null
  readonly address: string
  /** Whom the conversation is with wrote it. */
  readonly isOfReceiver: boolean
  /** Those of the question that it answers. */
  readonly choices: NonNullable<Card['choices']> | undefined
}

export interface Asked {
  readonly conversationId: number
  /** With whom; null: with nobody who is a user. */
  readonly tenantUserId: number | null
  readonly isOpen: boolean
}

/** What comes in from now on wakes the step. */
export async function wakeByReplies({ tx, tenantId }: TxContext, watched: readonly Watched[], by: Awaiting): Promise<void> {
  await setAwaited(
    tx,
    tenantId,
    watched.map(({ conversationId }) => conversationId),
    by,
  )
}

/** The replies, in the order in which they came. */
export async function listRepliesTo({ tx, tenantId }: TxContext, watched: readonly Watched[]): Promise<readonly Reply[]> {
  const rows = await listReplies(tx, tenantId, watched, repliesAtOnce)
  const cards = new Map<number, Card | undefined>()
  for (const id of new Set(rows.map(({ conversationId }) => conversationId))) cards.set(id, await findAskedCard(tx, tenantId, id, []))
  return rows
    .toSorted((a, b) => a.at.localeCompare(b.at) || a.messageId - b.messageId)
    .map((row) => ({
      conversationId: row.conversationId,
      seq: row.seq,
      text: row.text,
      choice: row.choice,
      isKeyword: row.keyword !== null,
      assetKeys: row.assetKeys,
      isWhole: row.pendingMedia === 0,
      at: row.at,
      tenantUserId: row.fromTenantUserId,
      address: row.from,
      isOfReceiver: row.isOfReceiver,
      choices: cards.get(row.conversationId)?.choices,
    }))
}

/** How the questions stand, in their order. */
export async function listAsked({ tx, tenantId }: TxContext, watched: readonly Watched[]): Promise<readonly Asked[]> {
  const ids = watched.map(({ conversationId }) => conversationId)
  const states = new Map((await listStates(tx, tenantId, ids)).map((row) => [row.conversationId, row]))
  return ids.flatMap((conversationId) => {
    const state = states.get(conversationId)
    return state ? [{ conversationId, tenantUserId: state.tenantUserId, isOpen: state.state === 'open' }] : []
  })
}

/** Says one more thing about a question, in a conversation that is open. */
export async function sayIn(
  context: TxContext,
  conversationId: number,
  message: { readonly text: string; readonly card?: Card },
): Promise<void> {
  const conversation = await lockConversation(context.tx, context.tenantId, conversationId)
  if (conversation?.state === 'open') await addOutbound(context, conversation, { ...message, isNotice: true })
}

/** Ends a conversation, with a last word where there is one. Nothing where it has ended. */
export async function closeConversation(context: TxContext, conversationId: number, lastWord?: Outbound): Promise<void> {
  const { tx, tenantId, stamp, services } = context
  const conversation = await lockConversation(tx, tenantId, conversationId)
  if (conversation?.state !== 'open') return
  if (lastWord) await addOutbound(context, conversation, lastWord)
  await setEnded(tx, tenantId, conversationId, stamp)
  await tellEnded(context, conversationId)
  await logEnded(context, conversation)
  context.afterCommit(() => services.wake.poke(conversationTopic(conversationId)))
}
