import { runAs } from '#platform/acting.ts'
import { awaitRun, entityOfPublished, idIn, isObject, textIn } from '#tools/workflows/service.ts'

import type { Perform, StepContext, StepEnd } from './step.types.ts'

/** What the other workflow is started with: about the record that is said, else about this run's where both are about the same entity. */
async function inputOf({ services, config, open }: StepContext): Promise<object> {
  const { workflow, input, eiRecordId: said } = config
  const { eiRecordId } = open.run
  const { tenantId } = open.order
  const { entity } = open.version
  const isOwn =
    said === undefined && eiRecordId !== null && entity !== undefined && (await entityOfPublished(services, tenantId, workflow)) === entity
  const about = said === undefined ? (isOwn ? eiRecordId : undefined) : idIn(said, 'eiRecordId')
  return { workflow, ...(isObject(input) ? { input } : {}), ...(about === undefined ? {} : { eiRecordId: about }) }
}

/** How the run ended that was waited for. */
function ended(payload: unknown): StepEnd {
  const { workflowInstanceId, state, output, message } = isObject(payload) ? payload : {}
  const result = { workflowInstanceId, state, result: output ?? null }
  if (state === 'completed') return { kind: 'done', result }
  const why = textIn(message) ?? (state === 'cancelled' ? 'It was cancelled.' : 'It failed.')
  return { kind: 'failed', code: 'unprocessable', message: `Run ${String(workflowInstanceId)}, which this one waited for: ${why}`, result }
}

/** Starts the other workflow once, however often it is tried; with `wait` its end is told to this run. */
export const runWorkflow: Perform = async (step) => {
  const { config, services, who, open, signal, call } = step
  const { answer } = open.row
  if (answer) return ended(answer.payload)
  const input = await inputOf(step)
  // start_workflow answers the run and what becomes of it.
  const startedRun = (answer: unknown) => answer as { readonly workflowInstanceId: number; readonly state: string }
  if (config['wait'] !== true)
    return call('start_workflow', input, (answer) => {
      const { workflowInstanceId, state } = startedRun(answer)
      return { result: { workflowInstanceId, state, result: null } }
    })
  const { workflowInstanceId: runId } = startedRun(
    await runAs(services, who, 'start_workflow', input, { key: `${open.row.effectNo}:start`, signal }),
  )
  return { kind: 'waiting', wait: { awaits: awaitRun.nameOf(runId) }, begin: (context) => awaitRun.take(context, open, runId) }
}
