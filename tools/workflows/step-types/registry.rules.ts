/** Every type of step, by its id. */
import type { StepType } from '../step-type.types.ts'
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
import { translate } from './translate.ts'
import { waitForEvent } from './wait-for-event.ts'
import { wait } from './wait.ts'

export const stepTypes: readonly StepType[] = [
  form,
  approval,
  ask,
  notify,
  wait,
  waitForEvent,
  decide,
  parallel,
  forEach,
  getRecord,
  saveRecord,
  deleteRecord,
  runReport,
  callHttp,
  recognise,
  translate,
  runWorkflow,
  set,
  callOperation,
  end,
]

const byName: ReadonlyMap<string, StepType> = new Map(stepTypes.map((type) => [type.internalName, type]))

export function findStepType(name: unknown): StepType | undefined {
  return typeof name === 'string' ? byName.get(name) : undefined
}
