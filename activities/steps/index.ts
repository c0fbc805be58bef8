/** How each type of step is carried out, by its name. */
import { approval } from './approval.ts'
import { callOperation } from './call-operation.ts'
import { decide } from './decide.ts'
import { deleteRecord } from './delete-record.ts'
import { end } from './end.ts'
import { forEach } from './for-each.ts'
import { form } from './form.ts'
import { getRecord } from './get-record.ts'
import { notify } from './notify.ts'
import { parallel } from './parallel.ts'
import { runReport } from './run-report.ts'
import { saveRecord } from './save-record.ts'
import { set } from './set.ts'
import type { Perform } from './step.types.ts'
import { waitForEvent } from './wait-for-event.ts'
import { wait } from './wait.ts'

export const performers: ReadonlyMap<string, Perform> = new Map(
  Object.entries({
    approval,
    callOperation,
    decide,
    deleteRecord,
    end,
    forEach,
    form,
    getRecord,
    notify,
    parallel,
    runReport,
    saveRecord,
    set,
    wait,
    waitForEvent,
  }),
)
