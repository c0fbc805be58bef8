/** Subscriptions and their deliveries, on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId, idOrName, newName } from '#platform/names.ts'
import { isHostName } from '#platform/outbound.ts'
import { validation } from '#platform/validation.ts'

import { eventKindName, eventKindNames } from './events.schema.ts'

export const subscriptionId = definitionId.describe('As list_event_subscriptions shows it')
export const deliveryId = z.int().min(1).max(Number.MAX_SAFE_INTEGER).describe('As list_event_deliveries shows it')

// The form of the text first: what reads addresses drops line breaks from them without a word.
export const targetUrl = z
  .string()
  .max(2_000)
  .regex(/^https?:\/\/[^@#\s\\]*$/, 'An http or https address without a user, a fragment or white space')
  .refine((text) => !/\p{Cc}/u.test(text) && URL.canParse(text) && isHost(new URL(text).hostname), 'An address with a host is needed')
  .describe('Where events are posted to; https')

const isHost = (host: string) => host !== '' && (host.startsWith('[') || isHostName(host) || /^\d+\.\d+\.\d+\.\d+$/.test(host))

export const subscriptionName = newName()
export const subscribedKinds = z.array(eventKindName).min(1).max(eventKindNames.length).describe('As list_event_kinds names them')
export const subscriptionFilter = z
  .looseObject({ entity: idOrName })
  .describe('{entity, logic?, rules?, groups?}: records of one entity, asked of the version that is told')

export const subscription = z.object({
  subscriptionId,
  internalName: z.string(),
  url: z.string(),
  kinds: z.array(z.string()),
  filter: z.looseObject({}).nullable(),
  isEnabled: z.boolean(),
  disabledReason: z.string().nullable(),
  failingSince: z.iso.datetime().nullable().describe('No delivery has succeeded since'),
  tenantUserId: z.int().describe('It is told what this user may see'),
  validation: validation.nullable().describe('What is wrong with it today; null: nothing'),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
})
export type Subscription = z.output<typeof subscription>

export const withSecret = subscription.extend({ secret: z.string().describe('Checks signatures; shown this once') })

export const deliveryStates = ['waiting', 'retrying', 'delivered', 'dead', 'skipped'] as const
export const deliveryState = z.enum(deliveryStates)
export type DeliveryState = z.output<typeof deliveryState>

export const deliveryTry = z.object({
  at: z.iso.datetime(),
  status: z.int().optional().describe('Of the answer'),
  error: z.string().optional(),
  durationMs: z.int(),
})
export type DeliveryTry = z.output<typeof deliveryTry>

export const delivery = z.object({
  deliveryId,
  subscriptionId,
  eventId: z.string().describe('Its webhook-id, the same in every try'),
  type: z.string(),
  isSample: z.boolean(),
  state: deliveryState,
  attempts: z.int(),
  tries: z.array(deliveryTry).describe('The last 20'),
  reason: z.string().nullable(),
  nextDate: z.iso.datetime().nullable(),
  createdDate: z.iso.datetime(),
  deliveredDate: z.iso.datetime().nullable(),
})
export type Delivery = z.output<typeof delivery>

export const exampleSubscription = {
  subscriptionId: 10_310,
  internalName: 'Orders',
  url: 'https://hooks.example.com/orders',
  kinds: ['record.created', 'record.updated'],
  filter: { entity: 'WorkOrder', rules: [{ property: 'Status', op: 'eq', value: 'done' }] },
  isEnabled: true,
  disabledReason: null,
  failingSince: null,
  tenantUserId: 12,
  validation: null,
  createdDate: '2026-03-01T08:30:00.000Z',
  modifiedDate: '2026-03-01T08:30:00.000Z',
} satisfies z.input<typeof subscription>

export const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

export const exampleDelivery = {
  deliveryId: 91_204,
  subscriptionId: 10_310,
  eventId: 'evt_48211_51204',
  type: 'record.updated',
  isSample: false,
  state: 'delivered',
  attempts: 1,
  tries: [{ at: '2026-03-01T08:30:01.000Z', status: 204, durationMs: 84 }],
  reason: null,
  nextDate: null,
  createdDate: '2026-03-01T08:30:00.000Z',
  deliveredDate: '2026-03-01T08:30:01.000Z',
} satisfies z.input<typeof delivery>

component('EventSubscription', subscription)
component('EventDelivery', delivery)
component('EventDeliveryTry', deliveryTry)
