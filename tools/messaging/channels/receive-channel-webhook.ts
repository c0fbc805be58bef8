import { z } from 'zod'

import { bytesAnswer } from '#platform/answer.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineStagedOperation, type RawRequest, type TxContext, writes } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { readSignedToken } from '#platform/signed-tokens.ts'

import { type ChannelRow, findChannelByKey, findTenantOfKey } from './channels.store.ts'
import { takeConsent } from '../delivery/consents.ts'
import { savePlan } from '../handsets/handsets.store.ts'
import { messageId } from '../messaging.schema.ts'
import { mustProvide } from '../providers/index.ts'
import { openSecrets } from './secrets.ts'
import type { Answer, VendorRequest } from '../providers/provider.ts'
import { type Outcome, takeMessage, takeStatus, takeStop } from './webhooks.ts'

// One sentence for every reason, so that whoever forges one learns nothing.
const forged = () =>
  new AppError(
    'forbidden',
    "The signature is missing or not the vendor's. Check the channel's secret, and that PUBLIC_URL is the address that the vendor calls.",
  )

/** The claims of the token that a call bears, where its vendor sends one. */
async function claimsOf({ config }: Services, { provider, settings }: ChannelRow, raw: RawRequest): Promise<VendorRequest['claims']> {
  const signer = mustProvide(provider).signedBy(settings)
  const token = /^Bearer ([\w.-]{1,8000})$/i.exec(raw.headers['authorization'] ?? '')?.[1]
  return signer && token !== undefined ? readSignedToken(config, token, signer) : undefined
}

async function receive(
  context: TxContext,
  channel: ChannelRow,
  raw: RawRequest,
  { messageId, claims }: Pick<VendorRequest, 'messageId' | 'claims'>,
): Promise<{ outcome: Outcome; reply?: string | undefined; answer?: Answer | undefined }> {
  const { tx, tenantId, services } = context
  const stored = { settings: channel.settings, secrets: await openSecrets(tx, services, tenantId, channel) }
  const url = `${services.config.publicUrl}${raw.url}`
  const reading = mustProvide(channel.provider).read(stored, { raw, url, channel: channel.channel, messageId, claims, now: Date.now() })
  switch (reading.kind) {
    case 'forged':
      throw forged()
    case 'unreadable':
      throw new AppError('invalid_input', reading.message)
    case 'ignored':
      return { outcome: 'ignored', answer: reading.answer }
    case 'stopped':
      return { outcome: await takeStop(context, channel, reading) }
    case 'status':
      return { outcome: await takeStatus(context, channel, reading) }
    case 'consent':
      return { outcome: await takeConsent(context, channel, reading) }
    case 'plan':
      await savePlan(tx, tenantId, { channelId: channel.channelId, address: reading.to }, reading.plan)
      return { outcome: 'stored' }
    case 'message':
      return { ...(await takeMessage(context, channel, reading)), answer: reading.answer }
  }
}

export const receiveChannelWebhook = defineStagedOperation({
  ...writes(z.object({ outcome: z.enum(['stored', 'updated', 'duplicate', 'ignored']) })),
  errors: ['not_found'],
  name: 'receive_channel_webhook',
  title: "Receive a channel's webhook",
  description:
    "Takes what a channel's vendor sends: inbound messages, taps, and how deliveries went. The body is the vendor's own and its signature is checked against PUBLIC_URL plus this path. The same delivery twice is stored once.",
  method: 'POST',
  path: '/api/v1/messaging/webhooks/{channelKey}',
  roles: 'Public',
  bodyKind: 'raw',
  input: z.object({
    channelKey: z.string().min(1).max(100),
    messageId: messageId.optional().describe('Of a delivery report: the message that it tells of'),
  }),
  examples: [{ title: 'A reply by e-mail', input: { channelKey: 'k3Jp0w8yC5sQn1ZtLr7eVd2XbGhAaUoM' }, output: { outcome: 'stored' } }],
  async stagedHandler({ services, raw, inTransaction }, input) {
    const tenantId = mustExist(await services.databases.lookUp((tx) => findTenantOfKey(tx, input.channelKey), 'channels'), 'channel')
    if (!raw) throw new AppError('invalid_input', 'The vendor sends its own body here; there is none.')
    const find = async ({ tx }: TxContext) => mustExist(await findChannelByKey(tx, tenantId, input.channelKey), 'channel')
    // Keys of a signature may have to be fetched, and nobody waits for another's server within a transaction.
    const bearer = raw.headers['authorization']
    const claims = bearer && (await claimsOf(services, await inTransaction(find, { tenantId, readOnly: true }), raw))
    return inTransaction(
      async (context) => {
        const channel = await find(context)
        const { outcome, reply, answer } = await receive(context, channel, raw, { messageId: input.messageId, claims: claims || undefined })
        const answered = answer ?? mustProvide(channel.provider).answer?.(reply)
        return answered ? bytesAnswer(answered) : { outcome }
      },
      { tenantId },
    )
  },
})
