/** How runs are counted for people. */
import type { ActionTotals } from '#tools/workflows/runs/actions.types.ts'

const minute = 60
const day = 86_400
const spans = [minute, 5 * minute, 15 * minute, 60 * minute, 6 * 60 * minute, day, 7 * day] as const

/** The shortest span of which the whole time has at most a hundred. */
export function spanSecondsFor(ms: number): number {
  return spans.find((span) => ms / 1_000 / span <= 100) ?? 7 * day
}

/** A row of counts as the wire has it; without one nothing ran. */
export function countsOf(row: ActionTotals | undefined) {
  const { runs = 0, succeeded = 0, partly = 0, failed = 0, cancelled = 0, underWay = 0, p50 = null, p95 = null } = row ?? {}
  const ended = succeeded + partly + failed + cancelled
  return {
    runs,
    succeeded,
    partly,
    failed,
    cancelled,
    underWay,
    failureRate: ended === 0 ? null : Math.round(((partly + failed) / ended) * 10_000) / 10_000,
    latencyMs: p50 === null || p95 === null ? null : { p50, p95 },
  }
}
