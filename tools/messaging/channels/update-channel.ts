import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { channelId, channelName, exampleChannel, savedChannel, settingsOf } from './channels.schema.ts'
import { checkChannel, findMissingSecrets } from './channel-settings.ts'
import { lockChannel, setChannel } from './channels.store.ts'
import { openSecrets, sealSecrets } from './secrets.ts'
import { mustProvide } from '../providers/index.ts'
import { toSavedChannel } from '../shown.ts'

export const updateChannel = defineOperation({
  ...writes(savedChannel),
  isIdempotent: true,
  errors: ['not_found', 'already_exists', 'unprocessable'],
  name: 'update_channel',
  title: 'Update a channel',
  description:
    'Changes the name, the settings (as a whole) or single secrets of a channel; null removes a secret. Another apiBaseUrl or host needs the secrets again. Its kind and provider stay: create another channel for those.',
  method: 'PUT',
  path: '/api/v1/messaging/channels/{channelId}',
  roles: 'AdminIntegration',
  input: z.object({
    channelId,
    internalName: channelName.optional(),
    settings: settingsOf.optional(),
    secrets: z
      .record(z.string(), z.string().max(500).nullable())
      .optional()
      .describe('Those named are replaced, null removes one, the others stay'),
  }),
  examples: [
    { title: 'A new token', input: { channelId: 7, secrets: { authToken: 'the-new-one-of-the-console' } }, output: exampleChannel },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp, services } = context
    const old = mustExist(await lockChannel(tx, tenantId, input.channelId), 'channel')
    const provider = mustProvide(old.provider)
    const kept = await openSecrets(tx, services, tenantId, old)
    if (!kept && !old.secretNames.every((name) => input.secrets?.[name] !== undefined)) {
      throw new AppError(
        'conflict',
        `The secrets of the channel do not open with this installation's key. Give each of them again: ${old.secretNames.join(', ')}.`,
      )
    }
    const merged = { ...kept, ...input.secrets }
    const wanted = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
    const { settings, secrets } = checkChannel(services, provider, {
      channel: old.channel,
      settings: input.settings ?? old.settings,
      secrets: wanted,
    })
    const issues = findMissingSecrets(provider, old, settings, input.secrets ?? {})
    if (issues.length > 0) throw new AppError('invalid_input', 'Another host needs the secrets of the channel again.', { issues })
    const to = {
      channelId: old.channelId,
      internalName: input.internalName ?? old.internalName,
      settings,
      sealedSecrets: await sealSecrets(tx, services, tenantId, old.channelId, secrets),
      secretNames: Object.keys(secrets).sort(),
    }
    await setChannel(tx, tenantId, stamp, to)
    context.audit({ settings: input.settings !== undefined, secrets: Object.keys(input.secrets ?? {}) })
    return toSavedChannel(services, { ...old, ...to })
  },
})
