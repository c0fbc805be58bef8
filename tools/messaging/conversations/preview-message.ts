import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, reads, type TxContext } from '#platform/operation.ts'

import { carriedBy, carriesOf, findMessageIssues, smsParts } from '../messaging.rules.ts'
import { assetKeys, card, channelKind, channelKinds, messageText, preview } from '../messaging.schema.ts'
import { checkAssets } from './send.ts'

/** What keeps the files from going out there. */
async function findFileIssues(context: TxContext, keys: readonly string[], leaves: boolean) {
  try {
    await checkAssets(context, keys, leaves)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.issues ?? [finding('$.assetKeys', error.message)]
  }
}

export const previewMessage = defineOperation({
  ...reads(z.object({ previews: z.array(preview) })),
  name: 'preview_message',
  title: 'Preview a message',
  description:
    'Tells what each channel would carry of a message, and what keeps it from going out there. Sends nothing: call send_message then.',
  method: 'POST',
  path: '/api/v1/messaging/preview',
  roles: 'DataView',
  errors: [],
  input: z.object({
    text: messageText.optional(),
    card: card.optional(),
    assetKeys: assetKeys.optional(),
    channels: z.array(channelKind).min(1).max(channelKinds.length).optional().describe('Unless told: every kind'),
  }),
  examples: [
    {
      title: 'A question by SMS',
      input: { text: 'Is gate 4 open?', card: { choices: [{ key: 'open', label: 'Open' }] }, channels: ['sms'] },
      output: {
        previews: [
          {
            channel: 'sms',
            text: 'Is gate 4 open?\n\n1. Open\n\nReply with the number of your answer.',
            buttons: [],
            length: 62,
            maxTextLength: 1600,
            smsParts: 1,
            fits: true,
            issues: [],
          },
        ],
      },
    },
  ],
  async handler(context, { channels = channelKinds, ...message }) {
    const keys = [...(message.assetKeys ?? []), ...(message.card?.imageAssetKey ? [message.card.imageAssetKey] : [])].map((key) =>
      key.toLowerCase(),
    )
    const files = { inbox: await findFileIssues(context, keys, false), leaving: await findFileIssues(context, keys, true) }
    const previews = [...new Set(channels)].map((channel) => {
      const { text, choices } = carriedBy(channel, { text: message.text ?? '', card: message.card })
      const { maxTextLength, choices: shownAs } = carriesOf[channel]
      const issues = [...findMessageIssues(channel, message), ...(channel === 'inbox' ? files.inbox : files.leaving)]
      return {
        channel,
        text,
        buttons: shownAs === 'buttons' ? choices : [],
        length: text.length,
        maxTextLength,
        ...(channel === 'sms' ? { smsParts: smsParts(text) } : {}),
        fits: issues.length === 0,
        issues,
      }
    })
    return { previews }
  },
})
