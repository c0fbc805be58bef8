/** Lines of a run's log as the wire has them. */
import type { z } from 'zod'

import type { anyJson, workflowLogLine } from './runs.schema.ts'
import type { LogRow } from './runs.types.ts'
import { masked, maskedInput, type Masks } from './masks.rules.ts'

/** `told`: the caller sees everything that went into the run. What comes of sensitive properties is masked for everybody. */
export function toLine(row: LogRow, told: boolean, masks: Masks): z.output<typeof workflowLogLine> {
  // What was logged is JSON.
  type Shown = z.output<typeof anyJson>
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
    ...(row.input === null || !told ? {} : { input: maskedInput(row.input, step, masks) as Shown }),
    ...(row.output === null || !told ? {} : { output: masked(row.output, masks) as Shown }),
    ...(comment === null ? {} : { comment }),
    ...(error === null ? {} : { error: told ? error : { ...error, message: 'It failed.' } }),
    ...(durationMs === null ? {} : { durationMs }),
  }
}
