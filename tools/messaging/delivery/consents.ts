/** Files that a vendor takes once the person has agreed: what they said is kept, and the conversation's workflow brings the file. */
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'

import { type ChannelRow, findChannel, takeReceipt } from '../channels/channels.store.ts'
import type { VendorConsent, Way } from '../providers/provider.ts'
import { type Consent, endConsent, insertConsent, listConsents, setUploaded } from './consents.store.ts'
import { wayOf } from './delivery.ts'
import { lockDue } from './delivery.store.ts'
import { tellReceived } from './errands.ts'

/** Takes the answer of whom the file was offered to; another's, and one to what was never offered, says nothing. */
export async function takeConsent(
  context: TxContext,
  channel: ChannelRow,
  answer: VendorConsent,
): Promise<'updated' | 'duplicate' | 'ignored'> {
  const { tx, tenantId, stamp } = context
  const { receiptKey, from, messageId, assetKey, upload } = answer
  const due = await lockDue(tx, tenantId, messageId)
  const offered = due && [...due.assetKeys, ...(due.card?.imageAssetKey ? [due.card.imageAssetKey.toLowerCase()] : [])]
  if (!due || due.channelId !== channel.channelId || due.to !== from || !offered?.includes(assetKey)) return 'ignored'
  // Only now: what a stranger sends is not to stand in the way of the answer.
  if (!(await takeReceipt(tx, tenantId, channel.channelId, receiptKey, stamp))) return 'duplicate'
  if (!upload || !(await insertConsent(tx, tenantId, { messageId, assetKey }, upload))) return 'ignored'
  await tellReceived(context, due.conversationId, { seq: due.seq, hasMedia: true })
  return 'updated'
}

export interface FileToBring extends Consent {
  readonly tenantId: number
  /** Undefined where the channel is gone or does not open any more. */
  readonly via: Way | undefined
}

/** Files of this conversation that are not brought yet. */
export async function listFilesToBring(services: Services, tenantId: number, conversationId: number): Promise<FileToBring[]> {
  return inSystemTransaction(services, tenantId, async (context) => {
    const { tx } = context
    const files: FileToBring[] = []
    for (const one of await listConsents(tx, tenantId, conversationId)) {
      const due = await lockDue(tx, tenantId, one.messageId)
      const channel = due?.channelId == null ? undefined : await findChannel(tx, tenantId, due.channelId)
      files.push({ ...one, tenantId, via: due && channel && (await wayOf(context, due, channel)) })
    }
    return files
  })
}

/** What lies there is not brought a second time. */
export async function noteUploaded(services: Services, file: FileToBring): Promise<void> {
  await inSystemTransaction(services, file.tenantId, ({ tx, stamp }) => setUploaded(tx, file.tenantId, file, stamp))
}

/** It is brought, or given up. Safe to repeat. */
export async function endFile(services: Services, file: FileToBring): Promise<void> {
  await inSystemTransaction(services, file.tenantId, ({ tx, stamp }) => endConsent(tx, file.tenantId, file, stamp))
}
