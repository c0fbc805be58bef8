/** What the page of handsets asks of the product: two public operations, with the channel's key. */
import { bodyText } from '#platform/answer.ts'
import type { Pipeline } from '#platform/call.ts'
import type { PageRequest } from '#platform/web-page.ts'
import type { Handsets } from '#tools/messaging/handsets/handsets.schema.ts'

export type HandsetCaller = Pick<PageRequest, 'requestId' | 'ip' | 'signal' | 'traceparent'>

export interface HandsetCalls {
  readonly look: (caller: HandsetCaller, channelKey: string, address: string | undefined) => Promise<Handsets>
  /** What the person at the handset does, as the channel's webhook takes it. */
  readonly act: (caller: HandsetCaller, channelKey: string, done: object) => Promise<void>
}

/** Both throw AppError. */
export function createHandsetCalls(pipeline: Pipeline): HandsetCalls {
  async function run({ requestId, ip, signal, traceparent }: HandsetCaller, name: string, input: object, body?: Buffer) {
    const operation = pipeline.registry.byName.get(name)
    if (!operation) throw new Error(`There is no operation ${name}`)
    const raw = body && { body, headers: {}, url: '' }
    return pipeline.run({
      operation,
      transport: 'rest',
      credential: { kind: 'none' },
      input,
      requestId,
      ip,
      signal,
      traceparent,
      ...(raw ? { raw } : {}),
    })
  }
  return {
    async look(caller, channelKey, address) {
      const answer = await run(caller, 'list_handset_messages', { channelKey, ...(address === undefined ? {} : { address }) })
      // What it answers is what the operation's own schema says.
      return JSON.parse(bodyText(answer)) as Handsets
    },
    async act(caller, channelKey, done) {
      await run(caller, 'receive_channel_webhook', { channelKey }, Buffer.from(JSON.stringify(done)))
    },
  }
}
