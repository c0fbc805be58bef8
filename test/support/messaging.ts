/** Arrangements that the specs of channels, deliveries and mail share. */
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'

import { createMessagingActivities } from '#activities/messaging/index.ts'
import type { DeliveryStep, MessagingActivities } from '#platform/shapes/messaging.ts'

import type { TwilioFake } from './twilio-fake.ts'
import type { World } from './world.ts'

export interface TestChannel {
  readonly channelId: number
  readonly channelKey: string
  readonly webhookUrl: string
  readonly internalName: string
}

let names = 0

export async function newTwilioChannel(
  world: World,
  fake: TwilioFake,
  channel: 'sms' | 'whatsapp' = 'sms',
  options: { key?: string; settings?: object } = {},
): Promise<TestChannel> {
  return world.call(
    'create_channel',
    {
      internalName: `Channel${++names}`,
      channel,
      provider: 'twilio',
      settings: { accountSid: fake.accountSid, from: '+15005550006', apiBaseUrl: fake.baseUrl, ...options.settings },
      secrets: { authToken: fake.authToken },
    },
    options.key === undefined ? {} : { key: options.key },
  )
}

let numbers = 0

/** A phone number that nobody else in the run has. */
export function newPhone(): string {
  return `+346${String(10_000_000 + ++numbers)}`
}

export interface Sent {
  readonly conversationId: number
  readonly messageId: number
  readonly seq: number
  readonly status: string
}

/** Runs an activity as a worker would, without its log of failures that a test provokes. */
export function runActivity<I, O>(activity: (input: I) => Promise<O>, input: I, attempt = 1): Promise<O> {
  return new MockActivityEnvironment({ attempt }, { logger: new DefaultLogger('ERROR', () => {}) }).run(activity, input)
}

export interface Deliverer {
  readonly activities: MessagingActivities
  /** One run of the delivery activity, as the workflow asks for it. Rejects as the activity does. */
  deliver(message: { conversationId: number; messageId: number }): Promise<DeliveryStep>
  /** Runs it again until it no longer asks for another try, at most ten times. */
  deliverFully(message: { conversationId: number; messageId: number }): Promise<DeliveryStep>
  close(): Promise<void>
}

/** The activities of messaging with short limits, without a workflow around them. */
export function openDeliverer(world: World, tenantId: number = world.tenant.tenantId): Deliverer {
  const activities = createMessagingActivities(world.platform.services, { callMs: 1_000, settleMs: 1_100, retryDelayMs: 20 })
  const deliver = ({ conversationId, messageId }: { conversationId: number; messageId: number }) =>
    runActivity(activities.deliverMessage, { tenantId, conversationId, messageId })
  return {
    activities,
    deliver,
    async deliverFully(message) {
      for (let tries = 1; ; tries++) {
        try {
          return await deliver(message)
        } catch (error) {
          if (tries === 10) throw error
          // The delay that the activity asks for is what its workflow would wait.
          const delay = typeof error === 'object' && error !== null && 'nextRetryDelay' in error ? Number(error.nextRetryDelay ?? 0) : 0
          await new Promise((resolve) => setTimeout(resolve, delay))
        }
      }
    },
    close: activities.close,
  }
}

/** Delivers what Twilio calls back or sends in: the TwiML that it gets, or the error. */
export async function receive(world: World, fake: TwilioFake, url: string, form: Readonly<Record<string, string>>): Promise<string> {
  const address = new URL(url)
  const channelKey = address.pathname.split('/').at(-1)
  const messageId = address.searchParams.get('messageId')
  const answer = await world.run(
    'receive_channel_webhook',
    { channelKey, ...(messageId === null ? {} : { messageId: Number(messageId) }) },
    { raw: fake.request(url, form) },
  )
  return String((answer as { body: unknown }).body)
}

let sids = 0

/** An inbound message of a person. Answers its form, to be delivered again. */
export function inboundForm(from: string, body: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    MessageSid: `SMin${String(++sids).padStart(28, '0')}`,
    AccountSid: `AC${'0'.repeat(32)}`,
    From: from,
    To: '+15005550006',
    Body: body,
    NumMedia: '0',
    SmsStatus: 'received',
    ...more,
  }
}
