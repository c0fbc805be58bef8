/** An app of Slack. What its settings are, what its calls say, and what its webhook means; `activities/messaging/providers/slack.ts` calls it. */
import { createHmac } from 'node:crypto'

import { z } from 'zod'

import type { Card, FailureReason } from '../messaging.schema.ts'
import { defineProvider, type Reading, type VendorRequest } from './provider.ts'
import { apiBaseUrl, helpText } from './settings.schema.ts'
import { isEqual } from './signatures.ts'
import { objectOf } from './vendor-json.ts'

const settings = z.strictObject({ apiBaseUrl, helpText })
const secrets = z.strictObject({
  botToken: z.string().regex(/^xoxb-[\w-]{10,250}$/, 'The Bot User OAuth Token, which begins with xoxb-'),
  signingSecret: z.string().regex(/^[0-9a-f]{32}$/i, 'The Signing Secret: 32 hexadecimal digits'),
})

const toleranceSeconds = 300

/** Whether Slack signed this body within five minutes of `now`: `v0`, HMAC-SHA256 over version, time and body. */
export function isSignedBySlack(
  signingSecret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: Buffer,
  now: number,
): boolean {
  const { 'x-slack-request-timestamp': at, 'x-slack-signature': signature } = headers
  if (!at || !signature || !/^\d{1,12}$/.test(at) || Math.abs(now / 1_000 - Number(at)) > toleranceSeconds) return false
  return isEqual(`v0=${createHmac('sha256', signingSecret).update(`v0:${at}:`).update(body).digest('hex')}`, signature)
}

const member = z.string().regex(/^[UW][A-Z0-9]{2,30}$/)
const place = z.string().regex(/^[A-Z0-9]{3,40}$/)
const time = z.string().regex(/^\d{1,12}\.\d{1,10}$/)

const event = z.object({
  type: z.literal('event_callback'),
  event_id: z.string().min(1).max(100),
  event: z.object({
    type: z.literal('message'),
    channel_type: z.literal('im'),
    subtype: z.literal('file_share').optional(),
    bot_id: z.undefined().optional(),
    user: member,
    channel: place,
    ts: time,
    thread_ts: time.optional(),
    text: z.string().optional(),
    files: z
      .array(z.object({ url_private: z.url().max(2_000).optional(), mimetype: z.string().max(200).optional() }))
      .max(50)
      .optional(),
  }),
})

const tap = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: member }),
  channel: z.object({ id: place }),
  message: z.object({ ts: time }),
  actions: z.array(z.object({ value: z.string().max(2_000), action_ts: time, text: z.object({ text: z.string() }).optional() })).min(1),
})

const challenge = z.object({ type: z.literal('url_verification'), challenge: z.string().min(1).max(1_000) })

const asText = (body: string) => ({ body, mimeType: 'text/plain; charset=utf-8' })

/** Slack counts messages by their time, which is theirs alone within a place. */
export const slackMessageId = (channel: string, ts: string) => `${channel}/${ts}`

/** What somebody wrote: Slack escapes three characters, and puts addresses and names into angle brackets. */
export function textOfSlack(text: string): string {
  return text
    .replaceAll(
      /<([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>/g,
      (_, target: string, label: string | undefined) => label || target.replace(/^mailto:/, ''),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** How a text stands in what Slack shows as `mrkdwn`. */
export const onSlackWire = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const maxMedia = 10

function readEvent(body: Buffer): Reading {
  const given = objectOf(body)
  const asked = challenge.safeParse(given)
  if (asked.success) return { kind: 'ignored', answer: asText(asked.data.challenge) }
  const parsed = event.safeParse(given)
  if (!parsed.success) return { kind: 'ignored' }
  const { event_id: eventId, event: one } = parsed.data
  const text = textOfSlack(one.text ?? '')
  const media = (one.files ?? []).flatMap(({ url_private: url, mimetype = '' }) => (url === undefined ? [] : [{ url, mimeType: mimetype }]))
  if (text === '' && media.length === 0) return { kind: 'ignored' }
  const isInThread = one.thread_ts !== undefined && one.thread_ts !== one.ts
  return {
    kind: 'message',
    receiptKey: `event:${eventId}`,
    providerId: slackMessageId(one.channel, one.ts),
    from: one.user,
    to: null,
    text,
    media: media.slice(0, maxMedia),
    inReplyTo: isInThread ? [slackMessageId(one.channel, one.thread_ts ?? '')] : [],
  }
}

function readTap(body: Buffer): Reading {
  const parsed = tap.safeParse(objectOf(new URLSearchParams(body.toString('utf8')).get('payload') ?? ''))
  // Slack shows what it is answered to a tap, so it is answered with nothing.
  const answer = asText('')
  const action = parsed.data?.actions[0]
  if (!parsed.success || !action) return { kind: 'ignored', answer }
  const { user, channel, message } = parsed.data
  const under = slackMessageId(channel.id, message.ts)
  return {
    kind: 'message',
    receiptKey: `tap:${under}/${user.id}/${action.action_ts}`,
    providerId: `tap/${under}/${action.action_ts}`,
    from: user.id,
    to: null,
    text: action.text?.text ?? action.value,
    payload: action.value,
    inReplyTo: [under],
    answer,
  }
}

const mostBodyBytes = 1024 * 1024

function read(setup: { readonly secrets: z.output<typeof secrets> } | undefined, { raw, now }: VendorRequest): Reading {
  // No vendor sends as much, and a signature over it would hold everybody up.
  if (raw.body.length > mostBodyBytes)
    return { kind: 'unreadable', message: 'The body is longer than any of Slack: at most 1 MiB is read.' }
  if (setup === undefined || !isSignedBySlack(setup.secrets.signingSecret, raw.headers, raw.body, now)) return { kind: 'forged' }
  const isForm = raw.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  if (!isForm) return readEvent(raw.body)
  return readTap(raw.body)
}

const baseOf = (given: string | undefined) => `${(given ?? 'https://slack.com/api').replace(/\/+$/, '')}/`

export const slack = defineProvider({
  name: 'slack',
  carries: ['slack'],
  settings,
  secrets,
  goesTo({ apiBaseUrl: base }) {
    if (base === undefined) return undefined
    const { hostname, origin } = new URL(base)
    return { host: hostname, origin }
  },
  stayingSecrets: ['signingSecret'],
  way: ({ settings: { apiBaseUrl: base }, secrets: { botToken } }, { messageId }) => ({ apiUrl: baseOf(base), botToken, messageId }),
  read,
  filesAt: ({ settings: { apiBaseUrl: base }, secrets: { botToken } }) => ({
    origin: base === undefined ? 'https://files.slack.com' : new URL(base).origin,
    authorization: `Bearer ${botToken}`,
  }),
})

export type SlackWay = NonNullable<ReturnType<typeof slack.way>>

/** What marks a message as ours in Slack's history, so that it is found again. */
export const slackMark = 'fieldloop_message'

const [sectionLength, buttonLength, valueLength, inRow] = [3_000, 75, 2_000, 5]

/** In pieces that a section takes, broken at a line or a word where there is one. */
function pieces(text: string): string[] {
  const found: string[] = []
  for (let rest = text; rest !== '';) {
    if (rest.length <= sectionLength) return [...found, rest]
    const head = rest.slice(0, sectionLength)
    const at = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '))
    // Never within an escaped character.
    const cut = at > sectionLength / 2 ? at : head.replace(/&[a-z]{0,4}$/, '').length
    found.push(rest.slice(0, cut))
    rest = rest.slice(cut).trimStart()
  }
  return found
}

const shortened = (label: string) => (label.length <= buttonLength ? label : `${label.slice(0, buttonLength - 1)}…`)

/** A message as blocks: its words in sections, its choices as buttons, five in a row. */
export function slackBlocks(text: string, choices: NonNullable<Card['choices']>) {
  const sections = pieces(onSlackWire(text)).map((part) => ({ type: 'section', text: { type: 'mrkdwn', text: part } }))
  const buttons = choices.map(({ key, label }, index) => ({
    type: 'button',
    action_id: `choice-${index}`,
    text: { type: 'plain_text', text: shortened(label) },
    value: key.slice(0, valueLength),
  }))
  const rows = Array.from({ length: Math.ceil(buttons.length / inRow) }, (_, n) => ({
    type: 'actions',
    elements: buttons.slice(n * inRow, (n + 1) * inRow),
  }))
  return [...sections, ...rows]
}

const misconfigured: ReadonlySet<string> = new Set(
  'invalid_auth not_authed account_inactive token_revoked token_expired missing_scope no_permission org_login_required ekm_access_denied access_denied not_allowed_token_type team_access_not_granted'.split(
    ' ',
  ),
)
const badAddress: ReadonlySet<string> = new Set(
  'user_not_found user_not_visible user_disabled users_not_found channel_not_found cannot_dm_bot is_archived messages_tab_disabled'.split(
    ' ',
  ),
)

/** Why Slack did not carry a message, by its word; undefined where that leaves open whether it did. */
export function failureOfSlack(error: string): FailureReason | undefined {
  if (misconfigured.has(error)) return 'channelMisconfigured'
  if (badAddress.has(error)) return 'badAddress'
  return ['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable'].includes(error) ? undefined : 'refused'
}
