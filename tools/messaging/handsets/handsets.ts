/** Handsets that stand in for those of people: what arrived at them, what they are told to do, and the channels that a first start has. */
import { randomBytes } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'
import { withLinkToken } from '#platform/link-tokens.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { downloadPath, findAssets, signedUrl } from '#tools/assets/service.ts'

import { type ChannelRow, insertChannel } from '../channels/channels.store.ts'
import { forRecipient, mayBringLink } from '../conversations/cards.rules.ts'
import { findLinksOf } from '../conversations/links.store.ts'
import { carriedBy } from '../messaging.rules.ts'
import { providers } from '../providers/index.ts'
import type { HandsetMessage, Handsets } from './handsets.schema.ts'
import { type HandsetOf, type HandsetPlan, listHandsetMessages, listHandsets, takePlan } from './handsets.store.ts'

/** What the handset was told to do with its next message, which is this one. */
export async function takeHandsetPlan(services: Services, tenantId: number, of: HandsetOf): Promise<HandsetPlan | undefined> {
  return inSystemTransaction(services, tenantId, ({ tx }) => takePlan(tx, tenantId, of))
}

/** The handsets of a channel, and what arrived at one of them, as its person would see it. */
export async function readHandsets(context: TxContext, channel: ChannelRow, address: string | undefined): Promise<Handsets> {
  const { tx, tenantId, services } = context
  const { channelId, internalName } = channel
  const rows = address === undefined ? [] : await listHandsetMessages(tx, tenantId, { channelId, address })
  const links = await findLinksOf(
    tx,
    tenantId,
    rows.filter(mayBringLink).map((row) => row.messageId),
  )
  const keysOf = ({ assetKeys, card }: (typeof rows)[number]) => [...assetKeys, ...(card?.imageAssetKey ? [card.imageAssetKey] : [])]
  const assets = await findAssets(tx, tenantId, rows.flatMap(keysOf))
  const messages = rows.map((row): HandsetMessage => {
    const { messageId, conversationId, direction, status, at } = row
    const actor = { tenantUserId: row.fromUserId ?? 0, kind: 'system', credentialId: 'system' } as const
    const written = forRecipient(row, links.get(messageId), (part, link) => withLinkToken(services.secrets, link, part))
    return {
      messageId,
      conversationId,
      direction,
      ...carriedBy(channel.channel, written),
      files: keysOf(row).flatMap((key) => {
        const asset = assets.get(key)
        return asset ? [{ fileName: asset.originalFileName, url: signedUrl({ services, actor }, downloadPath(key)).url }] : []
      }),
      status,
      at,
      ...(row.subject === null ? {} : { subject: row.subject }),
      ...(row.reason === null ? {} : { reason: row.reason }),
    }
  })
  return {
    internalName,
    channel: channel.channel,
    handsets: await listHandsets(tx, tenantId, channelId),
    messages: messages.toReversed(),
  }
}

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

/** The channels that a first start has, named as what they are. */
export async function addStandIns(tx: Tx, tenantId: number, stamp: string): Promise<void> {
  for (const provider of providers.filter(({ isStandIn }) => isStandIn)) {
    for (const channel of provider.carries) {
      const internalName = `${capital(provider.name)}${capital(channel)}`
      const channelKey = randomBytes(24).toString('base64url')
      await insertChannel(tx, tenantId, stamp, 200, { internalName, channel, provider: provider.name, settings: {}, channelKey })
    }
  }
}
