import { z } from 'zod'

import { bytesAnswer } from '#platform/answer.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineStagedOperation, type RawRequest, type TxContext, writes } from '#platform/operation.ts'

import { type ChannelRow, findChannelByKey, findTenantOfKey } from './channels.store.ts'
import { messageId } from '../messaging.schema.ts'
import { openSecrets, secretsFor } from './secrets.ts'
import { hasTooManyFields, isSignedByTwilio, isStandardWebhook, maxFormFields, parseForm, twiml } from './webhook.rules.ts'
import { type Outcome, takeEmail, takeTwilio } from './webhooks.ts'

// One sentence for every reason, so that whoever forges one learns nothing.
const forged = () =>
  new AppError(
    'forbidden',
    "The signature is missing or not the vendor's. Check the channel's secret, and that PUBLIC_URL is the address that the vendor calls.",
  )

async function receive(
  context: TxContext,
  channel: ChannelRow,
  raw: RawRequest,
  named: number | undefined,
): Promise<{ outcome: Outcome; reply?: string | undefined }> {
  const { tx, tenantId, services } = context
  const secrets = await openSecrets(tx, services, tenantId, channel)
  if (channel.provider === 'smtp') {
    const secret = secretsFor('smtp', secrets)?.webhookSecret
    if (secret === undefined || !isStandardWebhook(secret, raw.headers, raw.body, Date.now())) throw forged()
    return { outcome: await takeEmail(context, channel, raw.body) }
  }
  const token = secretsFor('twilio', secrets)?.authToken
  if (hasTooManyFields(raw.body))
    throw new AppError(
      'invalid_input',
      `The form has more fields than a vendor sends: at most ${maxFormFields.toLocaleString('en-US')} fields are read.`,
    )
  const form = parseForm(raw.body)
  // Against the configured address: what a proxy made of scheme and host is not what the vendor signed.
  if (token === undefined || !isSignedByTwilio(token, raw.headers['x-twilio-signature'], `${services.config.publicUrl}${raw.url}`, form))
    throw forged()
  return takeTwilio(context, channel, form, named)
}

export const receiveChannelWebhook = defineStagedOperation({
  ...writes(z.object({ outcome: z.enum(['stored', 'updated', 'duplicate', 'ignored']) })),
  errors: ['not_found'],
  name: 'receive_channel_webhook',
  title: "Receive a channel's webhook",
  description:
    "Takes what a channel's vendor sends: inbound messages, taps, and how deliveries went. The body is the vendor's own and its signature is checked against PUBLIC_URL plus this path. The same delivery twice is stored once. Twilio gets TwiML as the answer.",
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
    const { provider, outcome, reply } = await inTransaction(
      async (context) => {
        const channel = mustExist(await findChannelByKey(context.tx, tenantId, input.channelKey), 'channel')
        return { provider: channel.provider, ...(await receive(context, channel, raw, input.messageId)) }
      },
      { tenantId },
    )
    return provider === 'twilio' ? bytesAnswer({ body: twiml(reply), mimeType: 'text/xml; charset=utf-8' }) : { outcome }
  },
})
