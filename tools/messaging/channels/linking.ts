/** Accounts and browsers that people link to themselves: what proves them, and what a call to them needs. */
import { createHash, randomBytes } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { findUserByAddress } from '#tools/users/service.ts'

import { insertConversation, setEnded } from '../conversations/conversations.store.ts'
import { addOutbound } from '../conversations/send.ts'
import { tellEnded } from '../delivery/errands.ts'
import { linkCodeOf, registersBy } from '../messaging.rules.ts'
import type { Device, VendorMessage } from '../providers/provider.ts'
import * as store from './channel-addresses.store.ts'
import type { VendorChannel } from './channels.schema.ts'
import { type ChannelRow, insertOptOut, isOptedOut } from './channels.store.ts'
import { openText, sealText } from './secrets.ts'
import { countsForKind } from './standing-in.ts'

const hashOf = (code: string) => createHash('sha256').update(code).digest()
const boundTo = ({ channelId, address }: store.AddressOf, device: string) => `channel address:${channelId}/${address}/${device}`

const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** 80 bits, of letters that a person can copy. */
const newCode = () => `link-${Array.from(randomBytes(16), (byte) => letters[byte % 32]).join('')}`

/** A code for a user, who writes it from the account that is to be linked. */
export async function makeLinkCode(
  { tx, tenantId }: TxContext,
  channelId: number,
  tenantUserId: number,
  expiresAt: string,
): Promise<string> {
  const code = newCode()
  await store.saveLinkCode(tx, tenantId, { channelId, tenantUserId, hash: hashOf(code), expiresAt })
  return code
}

type Details = Readonly<Record<string, string>>

/** Notes an address, whose it is where that is known, and what a call to it needs where that is told. */
export async function noteAddress(
  { tx, tenantId, stamp, services }: TxContext,
  of: store.AddressOf,
  { device = '', tenantUserId, details }: { device?: string; tenantUserId?: number; details?: Details | undefined },
): Promise<void> {
  const sealedDetails = details && (await sealText(tx, services, tenantId, boundTo(of, device), JSON.stringify(details)))
  await store.saveAddress(tx, tenantId, stamp, { ...of, device, tenantUserId, sealedDetails })
}

/** The devices of an address; those whose details no longer open are left out. */
export async function devicesOf({ tx, tenantId, services }: TxContext, of: store.AddressOf): Promise<Device[]> {
  const devices: Device[] = []
  for (const { device, sealedDetails } of await store.listDevices(tx, tenantId, of)) {
    const text = sealedDetails === null ? '{}' : await openText(tx, services, tenantId, boundTo(of, device), sealedDetails)
    // Sealed by noteAddress, and authenticated: it is what was put in.
    if (text !== undefined) devices.push({ device, details: JSON.parse(text) as Details })
  }
  return devices
}

/** Ends a device that its vendor no longer knows. Harmless twice. */
export async function endDevice(services: Services, tenantId: number, of: store.AddressOf, device: string): Promise<void> {
  await inSystemTransaction(services, tenantId, ({ tx }) => store.deleteDevice(tx, tenantId, of, device))
}

/** The user whose address this is on a channel, which may be gone. */
export async function findUserOfAddress(
  tx: Tx,
  tenantId: number,
  { channelId, channel }: { readonly channelId: number | null; readonly channel: VendorChannel },
  address: string,
): Promise<number | undefined> {
  if (registersBy[channel] === 'contact') return findUserByAddress(tx, tenantId, address)
  return channelId === null ? undefined : store.findAddressOwner(tx, tenantId, { channelId, address })
}

/**
 * Links the account that a message comes from, where the message is a code, and says so to it. False for every other message. What such a message says is
 * kept nowhere.
 */
export async function takeLink(context: TxContext, channel: ChannelRow, { from, text, details }: VendorMessage): Promise<boolean> {
  const { tx, tenantId, stamp } = context
  const { channelId } = channel
  const of = { channelId, address: from }
  const code = registersBy[channel.channel] === 'code' ? linkCodeOf(text) : undefined
  const tenantUserId = code && (await store.takeLinkCode(tx, tenantId, channelId, hashOf(code), stamp))
  if (details !== undefined || tenantUserId) await noteAddress(context, of, { ...(tenantUserId ? { tenantUserId } : {}), details })
  if (code === undefined) return false
  const isOut = tenantUserId !== undefined && (await isOptedOut(tx, tenantId, channel.channel, from))
  // Whoever links an account asks to be written to there.
  if (isOut && (await countsForKind(tx, tenantId, channelId)))
    await insertOptOut(tx, tenantId, stamp, { channel: channel.channel, address: from, isOut: false, source: 'person' })
  const conversation = await insertConversation(tx, tenantId, stamp, {
    channel: channel.channel,
    channelId,
    tenantUserId: tenantUserId || null,
    address: from,
    eiRecordId: null,
    subject: null,
    startedBy: null,
  })
  const said = tenantUserId
    ? 'This account is linked: messages for you come here now. Reply STOP to get no more of them.'
    : 'This code is not, or no longer, good. Ask for a new one and send it within an hour.'
  await addOutbound(context, conversation, { text: said, isUrgent: true, isNotice: true })
  await setEnded(tx, tenantId, conversation.conversationId, stamp)
  await tellEnded(context, conversation.conversationId)
  return true
}
