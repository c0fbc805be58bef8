import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { channel, exampleChannel } from './channels.schema.ts'
import { listChannels as list } from './channels.store.ts'
import { inboxChannel, seesSettings, toChannel, toSavedChannel } from '../shown.ts'

export const listChannels = defineOperation({
  ...reads(z.array(channel)),
  errors: [],
  name: 'list_channels',
  title: 'List channels',
  description:
    'The channels that messages can go by, the inbox first, and what each can carry. Give its internalName or kind as channel to send_message. Administrators of integrations see settings too, never secrets.',
  method: 'POST',
  path: '/api/v1/messaging/channels/list',
  roles: 'any',
  input: z.object({}),
  examples: [
    {
      title: 'The inbox and an SMS channel, as an administrator',
      input: {},
      output: [
        {
          channelId: null,
          internalName: 'inbox',
          channel: 'inbox',
          provider: 'builtIn',
          carries: { maxTextLength: 16000, choices: 'buttons', attachments: true, receipts: 'read' },
        },
        exampleChannel,
      ],
    },
  ],
  async handler({ tx, tenantId, actor, services }) {
    const rows = await list(tx, tenantId)
    if (!seesSettings(actor)) return [inboxChannel, ...rows.map(toChannel)]
    return [inboxChannel, ...rows.map((row) => toSavedChannel(services, row))]
  },
})
