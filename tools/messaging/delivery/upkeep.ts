/** What the conversation's workflow asks for beside deliveries: files to fetch, and an end to what nobody answers. */
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { noteReceivers } from '#tools/assets/service.ts'

import { findChannel } from '../channels/channels.store.ts'
import { endIdle, findConversation } from '../conversations/conversations.store.ts'
import { attachMedia, listPendingMedia, setMediaFailed, type PendingMedia } from './delivery.store.ts'
import { tellAwaiting, tellEnded } from './errands.ts'
import { openSecrets } from '../channels/secrets.ts'
import { findProvider } from '../providers/index.ts'
import type { FilesAccess } from '../providers/provider.ts'
import { logEnded } from '../conversations/logged.ts'
import { conversationTopic } from '../conversations/waiting.ts'

export interface MediaToFetch extends PendingMedia {
  /** Of the channel that it came through; undefined where that is gone, or its files lie open. */
  readonly access: FilesAccess | undefined
}

/** Files of this conversation that are not fetched yet. */
export async function listMediaToFetch(
  services: Services,
  tenantId: number,
  conversationId: number,
): Promise<{ media: MediaToFetch[]; isOpen: boolean }> {
  return inSystemTransaction(services, tenantId, async ({ tx }) => {
    const conversation = await findConversation(tx, tenantId, conversationId)
    const pending = await listPendingMedia(tx, tenantId, conversationId)
    const accesses = new Map<number, FilesAccess>()
    for (const channelId of new Set(pending.flatMap((one) => one.channelId ?? []))) {
      const channel = await findChannel(tx, tenantId, channelId)
      if (!channel) continue
      const stored = { settings: channel.settings, secrets: await openSecrets(tx, services, tenantId, channel) }
      const access = findProvider(channel.provider)?.filesAt(stored)
      if (access) accesses.set(channelId, access)
    }
    return { isOpen: conversation?.state === 'open', media: pending.map((one) => ({ ...one, access: accesses.get(one.channelId ?? 0) })) }
  })
}

/** Adds a fetched file to its message and wakes whoever reads the conversation. False where another run had done so. */
export async function addMedia(
  services: Services,
  tenantId: number,
  conversationId: number,
  at: { messageId: number; position: number },
  assetKey: string,
): Promise<boolean> {
  return inSystemTransaction(services, tenantId, async (context) => {
    const { tx, afterCommit } = context
    afterCommit(() => services.wake.poke(conversationTopic(conversationId)))
    const isNew = await attachMedia(tx, tenantId, at, assetKey)
    if (!isNew) return false
    const conversation = await findConversation(tx, tenantId, conversationId)
    await tellAwaiting(context, conversation?.awaitedBy ?? null)
    const assignedTo = conversation?.assignedTo ?? null
    if (assignedTo !== null) await noteReceivers(context, [assetKey], assignedTo)
    return true
  })
}

/** Leaves a file out that cannot be fetched. */
export async function giveUpMedia(
  services: Services,
  tenantId: number,
  conversationId: number,
  at: { messageId: number; position: number },
): Promise<void> {
  await inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp } = context
    await setMediaFailed(tx, tenantId, at, stamp)
    await tellAwaiting(context, (await findConversation(tx, tenantId, conversationId))?.awaitedBy ?? null)
  })
}

/** Ends a conversation in which nothing was said for this long. True where it is ended now, by this or before. Safe to repeat. */
export async function endIdleConversation(
  services: Services,
  tenantId: number,
  conversationId: number,
  idleSeconds: number,
): Promise<boolean> {
  return inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp, afterCommit } = context
    const { isEnded, isNew } = await endIdle(tx, tenantId, conversationId, stamp, idleSeconds)
    if (isNew) {
      await tellEnded(context, conversationId)
      const ended = await findConversation(tx, tenantId, conversationId)
      if (ended) await logEnded(context, ended)
      afterCommit(() => services.wake.poke(conversationTopic(conversationId)))
    }
    return isEnded
  })
}
