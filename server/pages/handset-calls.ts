/** What the page of handsets asks of the product: two public operations, with the channel's key. */
import type { Pipeline } from '#platform/call.ts'
import type { Handsets } from '#tools/messaging/handsets/handsets.schema.ts'

import { callPublic, type Visitor } from './public-call.ts'

export interface HandsetCalls {
  readonly look: (visitor: Visitor, channelKey: string, address: string | undefined) => Promise<Handsets>
  /** What the person at the handset does, as the channel's webhook takes it. */
  readonly act: (visitor: Visitor, channelKey: string, done: object) => Promise<void>
}

/** Both throw AppError. */
export function createHandsetCalls(pipeline: Pipeline): HandsetCalls {
  return {
    async look(visitor, channelKey, address) {
      const asked = { channelKey, ...(address === undefined ? {} : { address }) }
      return (await callPublic(pipeline, visitor, 'list_handset_messages', asked)) as Handsets
    },
    async act(visitor, channelKey, done) {
      const raw = { body: Buffer.from(JSON.stringify(done)), headers: {}, url: '' }
      await callPublic(pipeline, visitor, 'receive_channel_webhook', { channelKey }, { raw })
    },
  }
}
