/** A bot of Microsoft Teams. What its settings are, what its calls say, and what its webhook means; `activities/messaging/providers/teams.ts` calls it. */
import { createHash } from 'node:crypto'

import { z } from 'zod'

import type { Card, FailureReason } from '../messaging.schema.ts'
import { defineProvider, type Reading, type VendorRequest } from './provider.ts'
import { apiBaseUrl, helpText } from './settings.schema.ts'
import { objectOf } from './vendor-json.ts'

const settings = z.strictObject({
  appId: z.uuid(),
  directoryId: z.uuid().describe('Of the directory that the bot belongs to'),
  apiBaseUrl,
  helpText,
})
const secrets = z.strictObject({ appPassword: z.string().min(8).max(300) })
type Settings = z.output<typeof settings>

const place = z.string().min(1).max(300)

const activity = z.object({
  type: z.string().max(100),
  id: place.optional(),
  action: z.string().max(100).optional(),
  channelId: z.literal('msteams'),
  serviceUrl: z.url({ protocol: /^https?$/ }).max(300),
  from: z.object({ id: place }),
  conversation: z.object({ id: place, conversationType: z.string().optional() }),
  text: z.string().optional(),
  replyToId: place.optional(),
  value: z
    .object({ choice: z.string().max(100), label: z.string().max(200).optional() })
    .optional()
    .catch(undefined),
  attachments: z
    .array(
      z.object({
        contentType: z.string().max(200),
        content: z
          .object({ downloadUrl: z.url().max(4_000) })
          .optional()
          .catch(undefined),
      }),
    )
    .max(50)
    .optional(),
})

/** What a person taps on the card that offers a file, as the card named it. */
const consent = z.object({
  name: z.literal('fileConsent/invoke'),
  value: z.object({
    action: z.enum(['accept', 'decline']),
    context: z.object({ messageId: z.int().min(1), assetKey: z.string().min(1).max(100) }),
    uploadInfo: z
      .object({
        uploadUrl: z.url({ protocol: /^https?$/ }).max(4_000),
        contentUrl: z.url({ protocol: /^https?$/ }).max(4_000),
        name: z.string().max(500),
        uniqueId: z.string().max(200),
        fileType: z.string().max(100),
      })
      .optional(),
  }),
})

/** Teams counts messages in each conversation, whose names are long. */
export function teamsMessageId(conversationId: string, activityId: string): string {
  return `${createHash('sha256').update(conversationId).digest('hex').slice(0, 24)}/${activityId}`
}

const fileType = 'application/vnd.microsoft.teams.file.download.info'
const maxMedia = 10

function readConsent(body: Buffer, from: string): Reading {
  const parsed = consent.safeParse(objectOf(body))
  if (!parsed.success) return { kind: 'ignored' }
  const { action, context, uploadInfo } = parsed.data.value
  const { messageId, assetKey } = context
  const upload = action === 'accept' ? uploadInfo : undefined
  return { kind: 'consent', receiptKey: `consent:${messageId}:${assetKey}:${action}`, from, messageId, assetKey, upload }
}

function readActivity(body: Buffer, claimedUrl: unknown): Reading {
  const parsed = activity.safeParse(objectOf(body))
  if (!parsed.success) return { kind: 'ignored' }
  const { type, id, action, from, conversation, serviceUrl, text = '', replyToId, value, attachments = [] } = parsed.data
  // The token says for which service it was made: a token of one call does not send us elsewhere.
  if (claimedUrl !== serviceUrl) return { kind: 'forged' }
  if (conversation.conversationType !== undefined && conversation.conversationType !== 'personal') return { kind: 'ignored' }
  if (type === 'installationUpdate' && action?.startsWith('remove') === true && id !== undefined)
    return { kind: 'stopped', receiptKey: `activity:${teamsMessageId(conversation.id, id)}`, address: from.id }
  if (type === 'invoke') return readConsent(body, from.id)
  const media = attachments.flatMap(({ contentType, content }) =>
    contentType === fileType && content ? [{ url: content.downloadUrl, mimeType: '' }] : [],
  )
  const said = value === undefined ? text.trim() : (value.label ?? value.choice)
  if (type !== 'message' || id === undefined || (said === '' && media.length === 0)) return { kind: 'ignored' }
  return {
    kind: 'message',
    receiptKey: `activity:${teamsMessageId(conversation.id, id)}`,
    providerId: teamsMessageId(conversation.id, id),
    from: from.id,
    to: null,
    text: said,
    payload: value?.choice,
    media: media.slice(0, maxMedia),
    inReplyTo: replyToId === undefined ? [] : [teamsMessageId(conversation.id, replyToId)],
    // Where a person's words come from is where ours go.
    details: { serviceUrl, conversationId: conversation.id },
  }
}

const baseOf = ({ apiBaseUrl: base }: Settings, usual: string) => `${(base ?? usual).replace(/\/+$/, '')}/`

function read(setup: object | undefined, { raw, claims }: VendorRequest): Reading {
  return setup === undefined || claims === undefined ? { kind: 'forged' } : readActivity(raw.body, claims['serviceurl'])
}

const reference = z.object({ serviceUrl: z.url(), conversationId: place })

export const teams = defineProvider({
  name: 'teams',
  carries: ['teams'],
  settings,
  secrets,
  goesTo({ apiBaseUrl: base }) {
    if (base === undefined) return undefined
    const { hostname, origin } = new URL(base)
    return { host: hostname, origin }
  },
  needsDevices: true,
  signedBy: (of) => ({
    keysUrl: `${baseOf(of, 'https://login.botframework.com')}v1/.well-known/keys`,
    issuer: 'https://api.botframework.com',
    audience: of.appId,
  }),
  way({ settings: of, secrets: { appPassword } }, { devices }) {
    const found = reference.safeParse(devices[0]?.details)
    return {
      tokenUrl: `${baseOf(of, 'https://login.microsoftonline.com')}${of.directoryId}/oauth2/v2.0/token`,
      appId: of.appId,
      appPassword,
      // Unknown until the person has written to the bot.
      place: found.success ? found.data : undefined,
    }
  },
  read,
})

export type TeamsWay = NonNullable<ReturnType<typeof teams.way>>

const inRow = 6

/** Words as they are: what Teams would read as marks stays as it was written. */
const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => ({ type: 'RichTextBlock', spacing: 'none', inlines: [{ type: 'TextRun', text: line === '' ? ' ' : line }] }))

/** A message as Teams takes it: plain text, or an adaptive card where there is something to tap. */
export function teamsActivity(text: string, choices: NonNullable<Card['choices']>): object {
  if (choices.length === 0) return { type: 'message', textFormat: 'plain', text }
  const actions = choices.map(({ label }, index) => ({ type: 'Action.Submit', title: label, data: { choice: `#${index + 1}`, label } }))
  const rows = Array.from({ length: Math.ceil(actions.length / inRow) }, (_, n) => ({
    type: 'ActionSet',
    actions: actions.slice(n * inRow, (n + 1) * inRow),
  }))
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [...lines(text), ...rows],
  }
  return {
    type: 'message',
    summary: text.slice(0, 200),
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
  }
}

/** The card that offers a file: Teams takes it once the person has agreed, and says then where it goes. */
export function teamsOffer(
  messageId: number,
  { assetKey, fileName, sizeBytes }: { readonly assetKey: string; readonly fileName: string; readonly sizeBytes: number },
): object {
  const context = { messageId, assetKey }
  const content = { description: fileName, sizeInBytes: sizeBytes, acceptContext: context, declineContext: context }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.teams.card.file.consent', name: fileName, content }] }
}

/** The card that shows a file which lies in the person's OneDrive. */
export function teamsFile({ contentUrl = '', name = '', uniqueId = '', fileType = '' }: Readonly<Record<string, string>>): object {
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.teams.card.file.info', contentUrl, name, content: { uniqueId, fileType } }],
  }
}

/** Why Teams did not carry a message, by the status and the word of its answer. */
export function failureOfTeams(status: number, word: string): FailureReason {
  if (/BlockedByUser|BotNotInConversationRoster|ForbiddenOperation/i.test(word)) return 'optedOut'
  if (status === 401 || status === 403) return 'channelMisconfigured'
  return status === 404 ? 'badAddress' : 'refused'
}
