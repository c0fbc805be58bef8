/** The operations on channels and on what people want of them, in reading order. */
import type { Operation } from '#platform/operation.ts'

import { createChannel } from './create-channel.ts'
import { deleteChannel } from './delete-channel.ts'
import { getContactPreferences } from './get-contact-preferences.ts'
import { listChannels } from './list-channels.ts'
import { receiveChannelWebhook } from './receive-channel-webhook.ts'
import { registerChannelAddress } from './register-channel-address.ts'
import { setContactPreferences } from './set-contact-preferences.ts'
import { testChannel } from './test-channel.ts'
import { updateChannel } from './update-channel.ts'

export const channelOperations: readonly Operation[] = [
  listChannels,
  createChannel,
  updateChannel,
  deleteChannel,
  testChannel,
  getContactPreferences,
  setContactPreferences,
  registerChannelAddress,
  receiveChannelWebhook,
]
