import type { Perform } from './step.types.ts'
import { authorOf, task } from './tasks.ts'

/** The record is saved with the act on it, under the form's rules. */
export const form: Perform = (step) =>
  task(step, ({ eiRecordId, values, at, ...answer }) => ({
    eiRecordId: eiRecordId ?? null,
    values: values ?? {},
    by: authorOf(answer),
    at,
  }))
