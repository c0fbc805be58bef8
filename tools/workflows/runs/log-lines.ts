/** Lines of a run's log as the wire has them. */
import type { z } from 'zod'

import type { anyJson, workflowLogLine } from './runs.schema.ts'
import type { LogRow } from './runs.types.ts'
import { masked } from './sight.ts'

/** `told`: the caller sees everything that went into the run. The values of sensitive properties, whose names these are, are masked for everybody. */
export function toLine(row: LogRow, told: boolean, names: ReadonlySet<string>): z.output<typeof workflowLogLine> {
  // What was logged is JSON.
  const shown = (value: unknown) => masked(value, names) as z.output<typeof anyJson>
  const { step, stepType, byUser, iteration, attempt, comment, error, durationMs } = row
  return {
    seq: row.seq,
    at: row.at,
    ...(step === null ? {} : { step }),
    ...(stepType === null ? {} : { stepType }),
    event: row.event,
    ...(byUser === null ? {} : { by: byUser }),
    ...(iteration === null || iteration.length === 0 ? {} : { iteration: [...iteration] }),
    ...(attempt === null ? {} : { attempt }),
    ...(row.input === null || !told ? {} : { input: shown(row.input) }),
    ...(row.output === null || !told ? {} : { output: shown(row.output) }),
    ...(comment === null ? {} : { comment }),
    ...(error === null ? {} : { error: told ? error : { ...error, message: 'It failed.' } }),
    ...(durationMs === null ? {} : { durationMs }),
  }
}
