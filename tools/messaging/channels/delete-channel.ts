import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { channelId } from './channels.schema.ts'
import { deleteChannel as remove } from './channels.store.ts'
import { tellFailed } from '../conversations/logged.ts'
import { messageTopic } from '../conversations/send.ts'
import { failQueued } from '../delivery/delivery.store.ts'

export const deleteChannel = defineOperation({
  ...destroys(z.object({ channelId })),
  name: 'delete_channel',
  title: 'Delete a channel',
  description:
    'Deletes a channel with its secrets. Its conversations and messages stay; those still queued fail with the reason channelDeleted. Opt-outs stay.',
  method: 'DELETE',
  path: '/api/v1/messaging/channels/{channelId}',
  roles: 'AdminIntegration',
  input: z.object({ channelId }),
  examples: [{ title: 'No longer used', input: { channelId: 7 }, output: { channelId: 7 } }],
  async handler(context, input) {
    const { tx, tenantId, services } = context
    // Now, and not when its quiet hours end: whoever asks for the status of one would wait for nothing until then.
    const failed = await failQueued(tx, tenantId, input.channelId)
    mustExist((await remove(tx, tenantId, input.channelId)) ? input : undefined, 'channel')
    await tellFailed(context, failed, 'channelDeleted')
    context.afterCommit(() => {
      for (const { messageId } of failed) services.wake.poke(messageTopic(messageId))
    })
    return { channelId: input.channelId }
  },
})
