/** Channels without a vendor beside those that have one. */
import type { Tx } from '#platform/db/pool.ts'

import { findProvider } from '../providers/index.ts'
import { type ChannelRow, listChannels } from './channels.store.ts'

export const standsIn = ({ provider }: Pick<ChannelRow, 'provider'>): boolean => findProvider(provider)?.isStandIn === true

/**
 * Whether a STOP or START that came through a channel counts for all channels of its kind. What is said at a stand-in counts as long as no vendor carries
 * the kind: nobody who said STOP to a vendor is written to again because somebody tried something out.
 */
export async function countsForKind(tx: Tx, tenantId: number, channelId: number | null): Promise<boolean> {
  const all = await listChannels(tx, tenantId)
  const own = all.find((one) => one.channelId === channelId)
  return !own || !standsIn(own) || all.every((one) => one.channel !== own.channel || standsIn(one))
}
