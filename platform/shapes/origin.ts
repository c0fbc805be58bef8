/** What caused a change: told with it, so that whoever acts on it can tell its own work from others', and a chain of causes can be cut. */
export interface Origin {
  /** `call`: somebody's own call. `system`: the product's upkeep. Everything else names the run that it is. */
  readonly kind: 'call' | 'import' | 'analysis' | 'sync' | 'actionPack' | 'workflow' | 'schedule' | 'link' | 'system'
  /** The job, the analysis, the run, or the signed link. */
  readonly id?: number
  /** How many automatic starts lead here: 0 for a call and for what it asked for, one more for each run that a change started. */
  readonly depth: number
  /** What it changes is not told as so many changes: a wipe tells of itself, once. */
  readonly isSilent?: true
  /** What it changes is told, and starts no run. */
  readonly startsNothing?: true
}

export const byCall: Origin = { kind: 'call', depth: 0 }
export const bySystem: Origin = { kind: 'system', depth: 0 }
