/** Action runs as they are counted and named. */
export const actionStates = ['queued', 'running', 'waiting', 'paused', 'succeeded', 'partly', 'failed', 'cancelled'] as const
export type ActionState = (typeof actionStates)[number]

export interface ActionTotals {
  /** Null: of all installs. */
  readonly installId: number | null
  readonly pack: string | null
  /** Null: of the whole time. */
  readonly at: string | null
  readonly runs: number
  readonly succeeded: number
  readonly partly: number
  readonly failed: number
  readonly cancelled: number
  readonly underWay: number
  /** Milliseconds from start to end; null where none has ended. */
  readonly p50: number | null
  readonly p95: number | null
}
