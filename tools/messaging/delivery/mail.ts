/** Replies by e-mail that came in through our own listener. */
import { Readable } from 'node:stream'

import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { createAssetFromStream, systemOwner } from '#tools/assets/service.ts'

import { asEmail } from '../conversations/addresses.ts'
import { findConversation } from '../conversations/conversations.store.ts'
import { storeThreaded } from '../conversations/inbound.ts'
import { replyText } from './mail-text.rules.ts'
import { hasInbound } from '../conversations/messages.store.ts'
import { readReplyAddress } from './reply-address.ts'

export interface NamedConversation {
  readonly tenantId: number
  readonly conversationId: number
}

export interface Mail {
  /** Of the From header. */
  readonly from: string
  /** The reply address that it came to. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly messageId: string
  readonly attachments: readonly { readonly fileName: string; readonly mimeType: string; readonly bytes: Uint8Array }[]
  /** What SPF, DKIM and DMARC said, by their names. */
  readonly authentication: Readonly<Record<string, string>>
}

const maxAttachments = 20
const maxTextLength = 500_000

/** The conversation whose reply address this is, where it still exists; undefined for any other address. */
export async function mailboxOf(services: Services, address: string): Promise<NamedConversation | undefined> {
  const named = readReplyAddress(services, address)
  if (!named) return undefined
  const found = await services.databases.transact({ tenantId: named.tenantId, isReadOnly: true }, ({ tx }) =>
    findConversation(tx, named.tenantId, named.conversationId),
  )
  return found ? named : undefined
}

/**
 * Stores a reply in the conversation that its address named, its attachments as assets. `duplicate` where the Message-ID is there already.
 * Throws what the database or the store throws: then the sender's server is to try again.
 */
export async function receiveMail(services: Services, named: NamedConversation, mail: Mail): Promise<'stored' | 'duplicate'> {
  const { tenantId, conversationId } = named
  const { messageId } = mail
  const isKnown = await services.databases.transact({ tenantId, isReadOnly: true }, ({ tx }) =>
    hasInbound(tx, tenantId, conversationId, messageId),
  )
  if (isKnown) return 'duplicate'
  const assetKeys: string[] = []
  for (const { fileName, mimeType, bytes } of mail.attachments.slice(0, maxAttachments)) {
    const asset = await createAssetFromStream(
      systemOwner(services, tenantId),
      { fileName, mimeType },
      { stream: Readable.from([bytes]), announcedBytes: bytes.byteLength },
    )
    assetKeys.push(asset.assetKey)
  }
  const stored = await inSystemTransaction(services, tenantId, (context) =>
    storeThreaded(context, conversationId, {
      from: asEmail(mail.from) ?? mail.from.slice(0, 320),
      to: mail.to,
      text: replyText(mail.text.slice(0, maxTextLength)),
      subject: mail.subject,
      providerId: messageId,
      assetKeys,
      authentication: mail.authentication,
    }),
  )
  return stored ? 'stored' : 'duplicate'
}
