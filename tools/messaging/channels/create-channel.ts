import { randomBytes } from 'node:crypto'

import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import {
  channelName,
  exampleChannel,
  exampleSetup,
  provider,
  savedChannel,
  secretsOf,
  settingsOf,
  vendorChannel,
  whoCarries,
} from './channels.schema.ts'
import { checkChannel } from './channel-settings.ts'
import { findChannel, insertChannel, setChannel } from './channels.store.ts'
import { sealSecrets } from './secrets.ts'
import { mustProvide } from '../providers/index.ts'
import { toSavedChannel } from '../shown.ts'

/** list_channels answers all of them. */
const maxChannels = 200

export const createChannel = defineOperation({
  ...writes(savedChannel),
  errors: ['already_exists', 'unprocessable'],
  name: 'create_channel',
  title: 'Create a channel',
  description:
    'Configures a way for messages through a provider. Give webhookUrl of the answer to the vendor as the address for inbound messages, then call test_channel.',
  method: 'POST',
  path: '/api/v1/messaging/channels',
  roles: 'AdminIntegration',
  input: z.object({
    internalName: channelName,
    channel: vendorChannel.describe('What it carries'),
    provider: provider.describe(whoCarries),
    settings: settingsOf,
    secrets: secretsOf.optional(),
  }),
  examples: [{ ...exampleSetup, output: exampleChannel }],
  async handler(context, input) {
    const { tx, tenantId, stamp, services } = context
    const { settings, secrets } = checkChannel(services, mustProvide(input.provider), { ...input, secrets: input.secrets ?? {} })
    const channelKey = randomBytes(24).toString('base64url')
    const { internalName, channel } = input
    const made = { internalName, channel, provider: input.provider, settings, channelKey }
    const channelId = await insertChannel(tx, tenantId, stamp, maxChannels, made)
    if (channelId === undefined)
      throw new AppError('too_large', `A tenant has at most ${maxChannels} channels. Delete one that is not used, or update it.`)
    await setChannel(tx, tenantId, stamp, {
      channelId,
      internalName,
      settings,
      sealedSecrets: await sealSecrets(tx, services, tenantId, channelId, secrets),
      secretNames: Object.keys(secrets).sort(),
    })
    context.audit({ channelId, secrets: Object.keys(secrets) })
    return toSavedChannel(services, mustExist(await findChannel(tx, tenantId, channelId), 'channel'))
  },
})
