import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineStagedOperation, reads } from '#platform/operation.ts'

import { findChannelByKey, findTenantOfKey } from '../channels/channels.store.ts'
import { asAddress } from '../conversations/addresses.ts'
import { findProvider } from '../providers/index.ts'
import { handsets } from './handsets.schema.ts'
import { readHandsets } from './handsets.ts'

export const listHandsetMessages = defineStagedOperation({
  ...reads(handsets),
  name: 'list_handset_messages',
  title: 'List the messages of a handset',
  description:
    'What arrived at the handsets and mailboxes of a channel that stands in for a vendor, as its page shows it. The key of the channel is the credential.',
  method: 'GET',
  path: '/api/v1/messaging/webhooks/{channelKey}/handsets',
  roles: 'Public',
  isUnlisted: true,
  input: z.object({ channelKey: z.string().min(1).max(100), address: z.string().min(1).max(320).optional() }),
  errors: ['not_found'],
  examples: [
    {
      title: 'A telephone',
      input: { channelKey: 'k3Jp0w8yC5sQn1ZtLr7eVd2XbGhAaUoM', address: '+34600123456' },
      output: {
        internalName: 'FieldSms',
        channel: 'sms',
        handsets: [{ address: '+34600123456', lastMessageDate: '2026-11-21T09:30:00.000Z' }],
        messages: [
          {
            messageId: 1044,
            conversationId: 312,
            direction: 'outbound',
            text: 'The crew arrives at ten.',
            choices: [],
            files: [],
            status: 'sent',
            at: '2026-11-21T09:30:00.000Z',
          },
        ],
      },
    },
  ],
  async stagedHandler({ services, inTransaction }, input) {
    const tenantId = mustExist(await services.databases.lookUp((tx) => findTenantOfKey(tx, input.channelKey), 'channels'), 'channel')
    return inTransaction(
      async (context) => {
        const found = await findChannelByKey(context.tx, tenantId, input.channelKey)
        // The key of a vendor's channel is in the vendor's hands, and shows nothing.
        const channel = mustExist(found && findProvider(found.provider)?.isStandIn ? found : undefined, 'channel')
        const address = input.address === undefined ? undefined : (asAddress(channel.channel, input.address) ?? input.address)
        return readHandsets(context, channel, address)
      },
      { tenantId, readOnly: true },
    )
  },
})
