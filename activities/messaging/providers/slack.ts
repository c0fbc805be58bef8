/** Messages through an app of Slack, by Slack's own client over our guarded connections. What was posted is marked, and found again in the history. */
import { setTimeout as wait } from 'node:timers/promises'

import type { WebClient } from '@slack/web-api'

import { AppError } from '#platform/errors.ts'
import { failureOfSlack, onSlackWire, slackBlocks, slackMark, slackMessageId, type SlackWay } from '#tools/messaging/providers/slack.ts'
import type { Order, Outcome } from '#tools/messaging/service.ts'

import { type OutgoingFile, readFiles } from '../attachments.ts'
import { callVendor, codeOf, guardedFetch, NotConnected, retryAfterMs } from '../wire.ts'
import type { Carrier, CarrierParts } from './carrier.ts'

type SlackOrder = Order<SlackWay>

const silent = () => {}

/** It neither tries again nor waits by itself: what came of a call is written down before the next one. */
async function clientFor(parts: CarrierParts, { apiUrl, botToken }: SlackWay): Promise<WebClient> {
  // Memory that a process without such a channel does not pay.
  const { LogLevel, WebClient: Client } = await import('@slack/web-api')
  return new Client(botToken, {
    slackApiUrl: apiUrl,
    allowAbsoluteUrls: false,
    fetch: guardedFetch(parts),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    // What it would say may hold what people wrote.
    logger: { debug: silent, info: silent, warn: silent, error: silent, setLevel: silent, setName: silent, getLevel: () => LogLevel.ERROR },
  })
}

const field = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null && name in error ? (error as Record<string, unknown>)[name] : undefined

function readFailure(error: unknown): Outcome {
  const cause = field(error, 'cause') ?? field(error, 'original') ?? error
  if (cause instanceof AppError) return { kind: 'refused', reason: cause.code === 'not_found' ? 'assetGone' : 'channelMisconfigured' }
  if (cause instanceof NotConnected) return { kind: 'notSent', detail: 'not connected' }
  const word = field(field(error, 'data'), 'error')
  const [retryAfter, status] = [field(error, 'retryAfter'), field(error, 'statusCode')]
  if (retryAfter !== undefined || status === 429 || word === 'ratelimited') {
    const afterMs = retryAfterMs(retryAfter)
    return { kind: 'notSent', detail: 'too many calls', ...(afterMs === undefined ? {} : { afterMs }) }
  }
  if (typeof word === 'string') {
    const reason = failureOfSlack(word)
    return reason === undefined
      ? { kind: 'unknown', detail: word.slice(0, 40) }
      : { kind: 'refused', reason, vendorCode: word.slice(0, 40) }
  }
  // Behind a 5xx the message may have been taken; any other page is not Slack's.
  if (typeof status === 'number' && status < 500 && status !== 408)
    return { kind: 'refused', reason: 'channelMisconfigured', vendorCode: String(status) }
  return { kind: 'unknown', detail: codeOf(cause) || 'no answer' }
}

/** Where an app and a person talk. Asked for twice, it is the same. */
async function openPlace(client: WebClient, member: string): Promise<string> {
  const { channel } = await client.conversations.open({ users: member })
  if (!channel?.id) throw new Error('Slack opened a conversation without an id')
  return channel.id
}

async function post(client: WebClient, place: string, { text, card, via }: SlackOrder): Promise<string> {
  const { ts } = await client.chat.postMessage({
    channel: place,
    // What a notification says; the blocks say the whole.
    text: onSlackWire(text.slice(0, 1_000)),
    blocks: slackBlocks(text, card?.choices ?? []),
    metadata: { event_type: slackMark, event_payload: { message_id: String(via.messageId) } },
    // A link is for whoever taps it, and not for a preview that opens it before.
    unfurl_links: false,
    unfurl_media: false,
  })
  if (!ts) throw new Error('Slack posted a message without a time')
  return slackMessageId(place, ts)
}

/** Files lie with Slack first, seen by nobody, and are shared in one call. */
async function share(parts: CarrierParts, client: WebClient, place: string, files: readonly OutgoingFile[]): Promise<void> {
  const uploaded: { id: string; title: string }[] = []
  for (const { fileName, bytes } of files) {
    const { upload_url: url, file_id: id } = await client.files.getUploadURLExternal({ filename: fileName, length: bytes.length })
    if (!url || !id) throw new Error('Slack named no place for a file')
    const answer = await callVendor(parts, new URL(url), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    })
    if (answer.statusCode !== 200) throw new Error('Slack did not take a file')
    uploaded.push({ id, title: fileName })
  }
  const [first, ...rest] = uploaded
  if (first) await client.files.completeUploadExternal({ files: [first, ...rest], channel_id: place })
}

const tries = 3
const longestPauseMs = 10_000

/** The files of a message whose words are there already: what would be tried again as a whole would bring those twice, so it is tried again here, and not for long. */
async function shareAfter(
  parts: CarrierParts,
  client: WebClient,
  place: string,
  files: readonly OutgoingFile[],
  providerId: string,
): Promise<Outcome> {
  for (let n = 1; ; n++) {
    try {
      await share(parts, client, place, files)
      return { kind: 'sent', providerId }
    } catch (error) {
      const failure = readFailure(error)
      const pauseMs = failure.kind === 'notSent' ? (failure.afterMs ?? 1_000) : undefined
      if (n === tries || pauseMs === undefined || pauseMs > longestPauseMs)
        return { kind: 'neverKnown', detail: 'its files did not follow', providerId }
      await wait(pauseMs)
    }
  }
}

async function send(parts: CarrierParts, order: SlackOrder): Promise<Outcome> {
  try {
    const files = await readFiles(parts.services, order.tenantId, order.assetKeys)
    const client = await clientFor(parts, order.via)
    const place = await openPlace(client, order.to)
    if (order.text === '') {
      await share(parts, client, place, files)
      return { kind: 'sent', providerId: `${place}/files-${order.messageId}` }
    }
    const providerId = await post(client, place, order)
    return files.length === 0 ? { kind: 'sent', providerId } : await shareAfter(parts, client, place, files, providerId)
  } catch (error) {
    return readFailure(error)
  }
}

const listed = 200
// Slack's clock and ours differ.
const skewSeconds = 300

/** Whether an earlier call went through, by the mark in Slack's history. Throws where it cannot be read now. */
async function lookUp(parts: CarrierParts, order: SlackOrder): Promise<Outcome> {
  const client = await clientFor(parts, order.via)
  try {
    const place = await openPlace(client, order.to)
    const { messages = [], has_more: hasMore } = await client.conversations.history({
      channel: place,
      oldest: String(Math.floor(Date.parse(order.claimedAt) / 1_000) - skewSeconds),
      limit: listed,
      include_all_metadata: true,
    })
    const ours = messages.find(({ metadata }) => {
      const payload = metadata?.event_payload
      return metadata?.event_type === slackMark && field(payload, 'message_id') === String(order.via.messageId)
    })
    if (ours?.ts) {
      const providerId = slackMessageId(place, ours.ts)
      return order.assetKeys.length === 0
        ? { kind: 'sent', providerId }
        : { kind: 'neverKnown', detail: 'its files may be missing', providerId }
    }
    // Files without words bear no mark.
    if (hasMore || order.text === '') return { kind: 'neverKnown', detail: 'the history cannot tell', providerId: undefined }
    return { kind: 'notSent', detail: 'not in the history' }
  } catch (error) {
    const failure = readFailure(error)
    if (failure.kind !== 'refused') throw error
    return { kind: 'neverKnown', detail: failure.vendorCode ?? failure.reason, providerId: undefined }
  }
}

export const slack: Carrier<SlackWay> = { send, lookUp }
