import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, reads, type TxContext } from '#platform/operation.ts'

import { carriedBy, carriesOf, findMessageIssues, smsParts } from '../messaging.rules.ts'
import {
  assetKeys,
  card,
  type ChannelKind,
  channelKind,
  channelKinds,
  eiRecordId,
  messageText,
  preview,
  recipient,
} from '../messaging.schema.ts'
import { params, template } from '../templates/templates.schema.ts'
import { type Content, openContent } from './content.ts'
import { findTarget } from './routes.ts'
import { checkAssets, type Outbound } from './send.ts'

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

/** What goes out on each channel; what keeps a template from being filled in is told there. */
async function openPreview(context: TxContext, said: Content) {
  const content = await openContent(context, said)
  return async (kind: ChannelKind, tenantUserId: number | null, about: number | null) => {
    try {
      return { message: await content({ kind, tenantUserId, eiRecordId: about }), findings: [] }
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      const message: Outbound & { languageCode?: string } = {}
      return { message, findings: [...(error.issues ?? [finding('$.template', error.message)])] }
    }
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
  errors: ['unprocessable'],
  input: z.object({
    text: messageText.optional(),
    template: template.optional(),
    params: params.optional(),
    to: recipient.optional().describe('Whom a template is filled in for; you unless told'),
    eiRecordId: eiRecordId.optional().describe('What a template is filled in from'),
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
  async handler(context, { channels = channelKinds, to, eiRecordId: about = null, ...said }) {
    const { card: shown, assetKeys: given = [] } = said
    const keys = [...given, ...(shown?.imageAssetKey ? [shown.imageAssetKey] : [])].map((key) => key.toLowerCase())
    const files = { inbox: await findFileIssues(context, keys, false), leaving: await findFileIssues(context, keys, true) }
    const person = to === undefined ? context.actor.tenantUserId : (await findTarget(context, to)).person?.tenantUserId
    const content = await openPreview(context, said)
    const previews: z.output<typeof preview>[] = []
    for (const channel of new Set(channels)) {
      const { message, findings } = await content(channel, person ?? null, about)
      const { text, choices } = carriedBy(channel, { text: message.text ?? '', card: message.card })
      const { maxTextLength, choices: shownAs } = carriesOf[channel]
      const ofFiles = channel === 'inbox' ? files.inbox : files.leaving
      const issues = [...(findings.length > 0 ? findings : findMessageIssues(channel, message)), ...ofFiles]
      previews.push({
        channel,
        ...(message.languageCode === undefined ? {} : { languageCode: message.languageCode }),
        text,
        buttons: shownAs === 'buttons' ? choices : [],
        length: text.length,
        maxTextLength,
        ...(channel === 'sms' ? { smsParts: smsParts(text) } : {}),
        fits: issues.length === 0,
        issues,
      })
    }
    return { previews }
  },
})
