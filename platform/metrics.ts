/** The process's Prometheus metrics: how many calls, how long they took, and what Node says of itself. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import type { ErrorCode } from './errors.ts'
import type { Transport } from './operation.ts'
import type { OutboxBacklog } from './outbox.ts'
import { lanes } from './shapes/errands.ts'

const registry = new Registry()

const calls = new Counter({
  name: 'fieldloop_calls_total',
  help: 'Calls of operations by how they ended',
  labelNames: ['operation', 'transport', 'code'],
  registers: [registry],
})

const durations = new Histogram({
  name: 'fieldloop_call_duration_seconds',
  help: 'Time from the request to the end of its answer',
  labelNames: ['operation', 'transport'],
  // Awaits answer within a minute; everything else is expected in the left half.
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers: [registry],
})

const backlog = {
  waiting: new Gauge({
    name: 'fieldloop_outbox_waiting',
    help: 'Errands that were committed and not carried out yet',
    labelNames: ['lane'],
    registers: [registry],
  }),
  oldestSeconds: new Gauge({
    name: 'fieldloop_outbox_oldest_seconds',
    help: 'Age of the oldest errand that was not carried out yet; 0 where there is none',
    labelNames: ['lane'],
    registers: [registry],
  }),
  givenUp: new Gauge({
    name: 'fieldloop_outbox_given_up',
    help: 'Errands that were refused too often and are not tried again',
    registers: [registry],
  }),
} as const

const indexes = {
  present: new Gauge({
    name: 'fieldloop_record_indexes',
    help: 'Indexes of records that stand because of what is asked',
    registers: [registry],
  }),
  changes: new Counter({
    name: 'fieldloop_record_index_changes_total',
    help: 'Indexes of records that this process built or dropped, or could not',
    labelNames: ['change'],
    registers: [registry],
  }),
} as const

const deliveries = {
  tries: new Counter({
    name: 'fieldloop_event_tries_total',
    help: 'Tries of deliveries of events by what they came to: delivered, retrying, or dead',
    labelNames: ['state'],
    registers: [registry],
  }),
  delays: new Histogram({
    name: 'fieldloop_event_delivery_seconds',
    help: 'Time from an event to the end of the try that delivered it',
    buckets: [0.1, 0.5, 1, 5, 30, 300, 3_600, 36_000, 360_000],
    registers: [registry],
  }),
  due: new Gauge({
    name: 'fieldloop_event_subscriptions_due',
    help: 'Event subscriptions of which something is due and nothing is sent',
    registers: [registry],
  }),
  oldestSeconds: new Gauge({
    name: 'fieldloop_event_oldest_due_seconds',
    help: 'How long the longest of them is due; 0 where there is none',
    registers: [registry],
  }),
} as const

let hasProcessMetrics = false

// Finding a metric's child by its labels costs several times what counting does.
const counters = new Map<string, Counter.Internal>()
const timers = new Map<string, Histogram.Internal<string>>()

function childOf<T>(children: Map<string, T>, key: string, make: () => T): T {
  const known = children.get(key)
  if (known) return known
  const made = make()
  children.set(key, made)
  return made
}

export const metricsContentType: string = registry.contentType

export interface CallOutcome {
  readonly operation: string
  readonly transport: Transport
  /** `ok`, the error's code, or `aborted` when the caller left before the answer was whole. */
  readonly code: ErrorCode | 'ok' | 'aborted'
  readonly durationMs: number
}

/** Counts one finished call. Each transport reports its own calls, once. */
export function observeCall({ operation, transport, code, durationMs }: CallOutcome): void {
  const key = `${transport} ${operation}`
  childOf(counters, `${key} ${code}`, () => calls.labels({ operation, transport, code })).inc()
  childOf(timers, key, () => durations.labels({ operation, transport })).observe(durationMs / 1000)
}

/** Shows how far the relay is behind. The figures are of the database, so every process tells the same. */
export function observeOutbox(found: OutboxBacklog): void {
  for (const lane of lanes) {
    backlog.waiting.set({ lane }, found.lanes[lane].waiting)
    backlog.oldestSeconds.set({ lane }, found.lanes[lane].oldestSeconds)
  }
  backlog.givenUp.set(found.givenUp)
}

/** Counts what came of a try of a delivery; `sinceEventMs` of one that was delivered. */
export function observeDelivery(state: string, sinceEventMs: number | undefined): void {
  deliveries.tries.labels({ state }).inc()
  if (sinceEventMs !== undefined) deliveries.delays.observe(Math.max(0, sinceEventMs) / 1_000)
}

/** How far deliveries of events are behind. */
export interface DeliveryBacklog {
  readonly due: number
  readonly oldestSeconds: number
}

/** Shows it. Of the database, as the outbox is. */
export function observeDeliveries({ due, oldestSeconds }: DeliveryBacklog): void {
  deliveries.due.set(due)
  deliveries.oldestSeconds.set(oldestSeconds)
}

/** Shows what a look at the indexes of records came to. */
export function observeIndexes(found: { present: number; built: number; dropped: number; failed: number }): void {
  indexes.present.set(found.present)
  for (const change of ['built', 'dropped', 'failed'] as const) indexes.changes.labels({ change }).inc(found[change])
}

/** Everything in Prometheus' text format, of the type `metricsContentType`. */
export function metricsText(): Promise<string> {
  // Node's own figures cost an observer of the garbage collector, so a process that nobody scrapes does without.
  if (!hasProcessMetrics) collectDefaultMetrics({ register: registry })
  hasProcessMetrics = true
  return registry.metrics()
}
