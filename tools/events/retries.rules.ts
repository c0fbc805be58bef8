/** When a delivery is tried again, when it is given up, and when its target is switched off. */
import type { DeliveryState, DeliveryTry } from './subscriptions.schema.ts'

const [minute, hour] = [60, 3_600]
/** After the first try, after the second … */
const pausesSeconds = [5, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
const failingDaysAtMost = 5
const noticeEveryHours = 24
const triesKept = 20
/** Of one subscription: beyond it the target is not keeping up, and the store is not there to hold what it leaves. */
export const waitingAtMost = 100_000
/** What was queued in a moment, as an import is, says nothing of a target; a first try that comes so late does. */
const lateMs = 6 * hour * 1_000

export function isLate({ attempts, createdDate }: { readonly attempts: number; readonly createdDate: string }, now: string): boolean {
  return attempts === 0 && Date.parse(now) - Date.parse(createdDate) > lateMs
}

/** What one try of a delivery came to. */
export interface TryResult {
  readonly at: string
  readonly durationMs: number
  /** Of the answer; undefined where none came. */
  readonly status?: number | undefined
  /** Why it counts as failed; undefined: it succeeded. */
  readonly error?: string | undefined
}

export const hasSucceeded = ({ error }: TryResult) => error === undefined

/** The status that says that nobody wants deliveries there any more. */
export const goneStatus = 410

export function afterTry(delivery: { readonly attempts: number; readonly tries: readonly DeliveryTry[] }, result: TryResult) {
  const { at, durationMs, status, error } = result
  const attempts = delivery.attempts + 1
  const one: DeliveryTry = { at, durationMs, ...(status === undefined ? {} : { status }), ...(error === undefined ? {} : { error }) }
  const tries = [...delivery.tries, one].slice(-triesKept)
  if (hasSucceeded(result)) return { state: 'delivered' as DeliveryState, attempts, tries, reason: null, nextAt: null, deliveredDate: at }
  const pause = pausesSeconds[attempts - 1]
  const nextAt = pause === undefined ? null : new Date(Date.parse(at) + pause * 1_000).toISOString()
  const state: DeliveryState = nextAt === null ? 'dead' : 'retrying'
  return { state, attempts, tries, reason: error ?? null, nextAt, deliveredDate: null }
}

export interface Health {
  readonly isEnabled: boolean
  readonly disabledReason: string | null
  readonly failingSince: string | null
  readonly noticedAt: string | null
}

/** How a target does after these tries, in their order, and whether its owner is to be told. */
export function healthAfter(
  health: Health,
  results: readonly TryResult[],
  { hasDied, isFlooded, now }: { readonly hasDied: boolean; readonly isFlooded: boolean; readonly now: string },
): { readonly health: Health; readonly notice: 'off' | 'dead' | undefined } {
  if (results.length === 0) return { health, notice: undefined }
  const lastSuccess = results.findLastIndex(hasSucceeded)
  const failed = results.slice(lastSuccess + 1).at(0)
  const since = failed && (lastSuccess === -1 ? (health.failingSince ?? failed.at) : failed.at)
  const failingSince = since ?? null
  const isGone = results.some(({ status }) => status === goneStatus)
  const isLost = failingSince !== null && Date.parse(now) - Date.parse(failingSince) >= failingDaysAtMost * 24 * hour * 1_000
  if (health.isEnabled && (isGone || isLost || isFlooded)) {
    const disabledReason = isGone
      ? 'The address answered 410: nobody wants events there any more.'
      : isLost
        ? 'No delivery succeeded for five days.'
        : `More than ${waitingAtMost} deliveries wait: the address takes fewer than there are.`
    return { health: { isEnabled: false, disabledReason, failingSince, noticedAt: now }, notice: 'off' }
  }
  const isDue = health.noticedAt === null || Date.parse(now) - Date.parse(health.noticedAt) >= noticeEveryHours * hour * 1_000
  if (hasDied && isDue) return { health: { ...health, failingSince, noticedAt: now }, notice: 'dead' }
  return { health: { ...health, failingSince }, notice: undefined }
}
