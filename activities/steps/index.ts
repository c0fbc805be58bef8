/** How each type of step is carried out, by its name. */
import { approval } from './approval.ts'
import { ask } from './ask.ts'
import { callHttp } from './call-http.ts'
import { callOperation } from './call-operation.ts'
import { decide } from './decide.ts'
import { deleteRecord } from './delete-record.ts'
import { end } from './end.ts'
import { forEach } from './for-each.ts'
import { form } from './form.ts'
import { getRecord } from './get-record.ts'
import { notify } from './notify.ts'
import { parallel } from './parallel.ts'
import { recognise } from './recognise.ts'
import { runReport } from './run-report.ts'
import { runWorkflow } from './run-workflow.ts'
import { saveRecord } from './save-record.ts'
import { set } from './set.ts'
import type { Perform } from './step.types.ts'
import { translate } from './translate.ts'
import { waitForEvent } from './wait-for-event.ts'
import { wait } from './wait.ts'

export const performers: ReadonlyMap<string, Perform> = new Map(
  Object.entries({
    approval,
    ask,
    callHttp,
    callOperation,
    decide,
    deleteRecord,
    end,
    forEach,
    form,
    getRecord,
    notify,
    parallel,
    recognise,
    runReport,
    runWorkflow,
    saveRecord,
    set,
    translate,
    wait,
    waitForEvent,
  }),
)
