/**
 * Deliveries: what is due of a subscription is made up as its owner sees it now, sent by whoever calls here, and written down. A subscription is in one
 * hand at a time, under a lease; a delivery whose outcome was lost goes again under the same id.
 */
import { type ActingUser, findActingUser } from '#platform/acting.ts'
import { changeDefinitions } from '#platform/db/definitions.ts'
import { observeDelivery } from '#platform/metrics.ts'
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { z } from 'zod'
import { cachedCatalog } from '#tools/entities/service.ts'

import { type DeliveryRow, hasBacklog, insertDeliveries, listDueDeliveries, type NewDelivery, noteOutcomes } from './deliveries.store.ts'
import { describeKind, type EventKindName } from './events.schema.ts'
import type { WatcherKind } from './events.types.ts'
import { findLogged } from './log.store.ts'
import { afterTry, type Health, healthAfter, isLate, type TryResult, waitingAtMost } from './retries.rules.ts'
import { sampleData } from './samples.rules.ts'
import { openSecrets, type SigningSecrets, signingAt } from './signing.ts'
import type { Delivery } from './subscriptions.schema.ts'
import * as store from './subscriptions.store.ts'
import { eventName, type Tellable, tellAll } from './telling.ts'
import { replaceWatchers } from './watching.ts'

/** Poked where deliveries are due. */
export const deliveriesTopic = 'deliveries'
/** Poked when something came of a delivery. */
export const deliveryTopic = (deliveryId: number) => `delivery:${deliveryId}`

const samplePrefix = 'evt_sample_'
const atOnce = 40
/** Of a target that fails: its turn must end while its calls time out one after the other. */
const atOnceWhileFailing = 4
const leaseSeconds = 120

function nameOfDelivery({ deliveryId, eventId, recordId }: DeliveryRow): string {
  if (eventId === null) return `${samplePrefix}${deliveryId}`
  return recordId === null ? `evt_${eventId}` : `evt_${eventId}_${recordId}`
}

export function showDelivery(row: DeliveryRow): Delivery {
  const { deliveryId, subscriptionId, kind, state, attempts, tries, reason, nextAt, createdDate, deliveredDate } = row
  return {
    deliveryId,
    subscriptionId,
    eventId: nameOfDelivery(row),
    type: kind,
    isSample: row.eventId === null,
    state,
    attempts,
    tries: [...tries],
    reason,
    nextDate: nextAt,
    createdDate,
    deliveredDate,
  }
}

/** Queues what subscriptions wanted: each record by itself, in the order in which it happened. */
export const subscriptionWatcher: WatcherKind = {
  async matched(context, matches) {
    const { tx, tenantId, stamp, services } = context
    const made = matches.flatMap(({ watcher, event, records }): NewDelivery[] => {
      const of = { subscriptionId: watcher.definitionId, kind: event.kind, eventAt: event.at, eventId: event.eventId }
      if (!event.recordIds) return [{ ...of, recordId: null, version: null }]
      if (!event.versions) return event.recordIds.map((recordId) => ({ ...of, recordId, version: null }))
      return records.map(({ id, version }) => ({ ...of, recordId: id, version }))
    })
    if (made.length === 0) return
    await insertDeliveries(tx, tenantId, stamp, made)
    await store.lookNow(tx, tenantId, [...new Set(made.map(({ subscriptionId }) => subscriptionId))])
    context.afterCommit(() => services.wake.poke(deliveriesTopic))
  },
}

/** One delivery that is to be sent. */
export interface Post {
  readonly row: DeliveryRow
  readonly webhookId: string
  readonly body: string
  /** Those of one go one after the other. */
  readonly subject: string
}

export interface Batch {
  readonly tenantId: number
  readonly subscriptionId: number
  readonly url: string
  readonly secrets: SigningSecrets
  readonly posts: readonly Post[]
}

export interface Ref {
  readonly tenantId: number
  readonly subscriptionId: number
}

/** Subscriptions of which something is due, the longest first. */
export function listDueSubscriptions(services: Services, passed: readonly number[], limit: number): Promise<store.DueSubscription[]> {
  return services.databases.lookUp((tx) => store.listDue(tx, passed, limit))
}

/** Takes what is due of a subscription. Undefined where nothing is, or somebody else has it: then the lease is over, too. */
export async function takeDue(services: Services, { tenantId, subscriptionId }: Ref, holder: string): Promise<Batch | undefined> {
  const inTenant = <T>(work: (context: TxContext) => Promise<T>) => inSystemTransaction(services, tenantId, work)
  const state = await inTenant(({ tx }) => store.leaseSubscription(tx, tenantId, subscriptionId, holder, leaseSeconds))
  if (!state) {
    await inTenant(({ tx }) => store.releaseSubscription(tx, tenantId, subscriptionId, holder))
    return undefined
  }
  const owner = await findActingUser(services.databases, { tenantId, tenantUserId: state.ownerId })
  return inTenant(async (context) => {
    const { tx, stamp } = context
    const rows = await listDueDeliveries(tx, tenantId, subscriptionId, state.failingSince === null ? atOnce : atOnceWhileFailing)
    if (rows.length === 0) {
      await store.releaseSubscription(tx, tenantId, subscriptionId, holder)
      return undefined
    }
    const secrets = signingAt((await openSecrets(tx, services, tenantId, state)) ?? [], stamp)
    const { posts, skipped } = await makeUp(context, state, owner, rows)
    await noteOutcomes(tx, tenantId, skipped)
    return { tenantId, subscriptionId, url: state.url, secrets, posts }
  })
}

/** Gives a subscription back of which something is left, so that whoever looks next goes on with it. */
export async function endTurn(services: Services, { tenantId, subscriptionId }: Ref, holder: string): Promise<void> {
  await inSystemTransaction(services, tenantId, ({ tx }) => store.passOn(tx, tenantId, subscriptionId, holder))
}

async function makeUp(
  context: TxContext,
  { roleFlag }: store.SubscriptionRow,
  owner: ActingUser | undefined,
  rows: readonly DeliveryRow[],
) {
  const { tx, tenantId } = context
  const places = rows.flatMap(({ kind, eventAt, eventId }) => (eventId === null ? [] : [{ kind, at: eventAt, eventId }]))
  const events = new Map((await findLogged(tx, tenantId, places)).map((event) => [event.eventId, event]))
  const named = rows.map((row) => {
    const event = row.eventId === null ? undefined : events.get(row.eventId)
    const record = row.recordId === null ? undefined : { id: row.recordId, version: row.version ?? undefined }
    const one: Tellable | undefined = event && { event, record }
    return { row, one }
  })
  const actor = owner && { ...owner.actor, roleFlag: owner.actor.roleFlag & roleFlag }
  const catalog = await cachedCatalog(context)
  const told = actor
    ? await tellAll(
        { ...context, actor },
        catalog,
        named.flatMap(({ one }) => one ?? []),
      )
    : new Map<Tellable, Readonly<Record<string, unknown>>>()
  const posts: Post[] = []
  const skipped = []
  for (const { row, one } of named) {
    const data = row.eventId === null ? sampleOf(tenantId, row) : one && told.get(one)
    if (data) {
      const body = JSON.stringify({ type: row.kind, timestamp: row.eventAt, data })
      posts.push({ row, webhookId: one ? eventName(one) : nameOfDelivery(row), body, subject: subjectOf(row, data) })
    } else {
      const reason = owner ? 'Whoever it is told for may not see it, or it is gone.' : 'Whoever it is told for is locked or gone.'
      const { deliveryId, attempts, tries } = row
      skipped.push({
        deliveryId,
        state: 'skipped' as const,
        attempts,
        wasAttempts: attempts,
        tries,
        reason,
        nextAt: null,
        deliveredDate: null,
      })
    }
  }
  return { posts, skipped }
}

function sampleOf(tenantId: number, { kind, eventAt }: DeliveryRow): Record<string, unknown> {
  // A delivery is made of a kind of the catalogue.
  const { schema } = describeKind(kind as EventKindName)
  return sampleData(z.toJSONSchema(schema), { tenantId, at: eventAt })
}

/** What deliveries go in order of: the record, else what the event is about. */
function subjectOf({ recordId, deliveryId }: DeliveryRow, data: Readonly<Record<string, unknown>>): string {
  if (recordId !== null) return `record:${recordId}`
  const id = ['conversationId', 'assetKey', 'jobId', 'tenantUserId', 'apiKeyId'].find(
    (name) => typeof data[name] === 'number' || typeof data[name] === 'string',
  )
  return id === undefined ? `delivery:${deliveryId}` : `${id}:${String(data[id])}`
}

/** Tells people, in the transaction that gives a delivery up or switches a subscription off. */
export type Notify = (context: TxContext, to: readonly number[], text: string) => Promise<void>

/** Writes down what came of tries, in their order. */
export async function recordTries(
  services: Services,
  { tenantId, subscriptionId }: Ref,
  results: readonly { readonly row: DeliveryRow; readonly result: TryResult }[],
  notify: Notify,
): Promise<void> {
  if (results.length === 0) return
  await inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp } = context
    const state = await store.lockSubscription(tx, tenantId, subscriptionId)
    if (!state) return
    const outcomes = results.map(({ row, result }) => ({
      deliveryId: row.deliveryId,
      eventAt: row.eventAt,
      wasAttempts: row.attempts,
      ...afterTry(row, result),
    }))
    await noteOutcomes(tx, tenantId, outcomes)
    const dead = outcomes.filter((one) => one.state === 'dead')
    const before: Health = state
    // What is left behind a batch that was not full is little.
    const mayFlood = results.length >= atOnceWhileFailing && results.some(({ row }) => isLate(row, stamp))
    const isFlooded = mayFlood && (await hasBacklog(tx, tenantId, subscriptionId, waitingAtMost))
    const tries = results.map(({ result }) => result)
    const { health, notice } = healthAfter(before, tries, { hasDied: dead.length > 0, isFlooded, now: stamp })
    if (notice) await tellTrouble(context, state, health, notice, notify)
    if (!health.isEnabled && state.isEnabled)
      await changeDefinitions(
        context,
        async () => [],
        () => replaceWatchers(context, subscriptionId, []),
      )
    await store.noteHealth(tx, tenantId, subscriptionId, health)
    context.afterCommit(() => {
      for (const { deliveryId, state: came, deliveredDate, eventAt } of outcomes) {
        services.wake.poke(deliveryTopic(deliveryId))
        observeDelivery(came, deliveredDate === null ? undefined : Date.parse(deliveredDate) - Date.parse(eventAt))
      }
    })
  })
}

async function tellTrouble(
  context: TxContext,
  { ownerId, url }: store.SubscriptionRow,
  { disabledReason }: Health,
  notice: 'off' | 'dead',
  notify: Notify,
): Promise<void> {
  const to = await store.listNoticed(context.tx, context.tenantId, ownerId, roleBits.AdminIntegration)
  const { host } = new URL(url)
  const text =
    notice === 'off'
      ? `Events are no longer sent to ${host}. ${disabledReason ?? ''} Mend it, then switch it on with update_event_subscription; redeliver_event sends again what was given up.`
      : `An event could not be delivered to ${host} in ten tries over three days and was given up. list_event_deliveries shows why, redeliver_event sends it again.`
  if (to.length > 0) await notify(context, to, text)
}
