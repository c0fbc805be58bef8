/** Working calls of the operations on runs. Nothing carries runs out here, so a step waits where one is made to. */
import { beginRun } from '#platform/flow/advance.ts'
import { roleBits } from '#platform/roles.ts'
import { findFlowVersion, openStep, recordRunEnd, recordWaiting } from '#tools/workflows/service.ts'

import type { Given, Stage } from '../arrange.ts'

async function started({ call, unique }: Stage): Promise<{ readonly workflow: string; readonly runId: number }> {
  const workflow = unique('Runs')
  const steps = [{ internalName: 'check', stepType: 'approval', config: { question: 'Is it complete?' } }]
  await call('import_workflow', { internalName: workflow, displays: [{ languageCode: 'en-US', name: 'Runs' }], steps, triggers: [] })
  await call('publish_workflow', { workflow })
  const { workflowInstanceId } = await call('start_workflow', { workflow })
  return { workflow, runId: workflowInstanceId }
}

/** A run whose step waits for somebody. */
async function waiting(stage: Stage): Promise<number> {
  const { runId } = await started(stage)
  const { services } = stage.world.platform
  const order = { tenantId: stage.tenant.tenantId, runId, no: 1, path: { step: 'check', iteration: [] }, phase: 'begin' as const }
  const open = await openStep(services, findFlowVersion, order)
  if (!open) throw new Error('The run was not opened')
  await recordWaiting(services, open, { role: roleBits.DataEdit })
  return runId
}

const onRun =
  (more: Record<string, unknown> = {}) =>
  async (stage: Stage) => ({ input: { workflowInstanceId: (await started(stage)).runId, ...more } })
const onTask =
  (more: (stage: Stage) => Record<string, unknown> = () => ({})) =>
  async (stage: Stage) => ({ input: { workflowInstanceId: await waiting(stage), ...more(stage) } })

export const given: Given = {
  async start_workflow(stage) {
    const { workflow } = await started(stage)
    return { input: { workflow } }
  },
  async list_workflow_instances(stage) {
    const { workflow } = await started(stage)
    return { input: { workflow, states: ['queued'] } }
  },
  get_workflow_instance: onTask(),
  get_workflow_instance_log: async (stage) => ({ ...(await onTask()(stage)), varying: ['at', 'by'] }),
  act_on_workflow_instance: onTask(() => ({ action: 'approve', comment: 'Complete.' })),
  assign_workflow_instance: onTask(({ tenant }) => ({ tenantUserId: tenant.tenantUserId })),
  comment_workflow_instance: onRun({ comment: 'The customer called.' }),
  pause_workflow_instance: onRun(),
  async resume_workflow_instance(stage) {
    const { runId } = await started(stage)
    await stage.call('pause_workflow_instance', { workflowInstanceId: runId })
    return { input: { workflowInstanceId: runId } }
  },
  cancel_workflow_instance: onRun(),
  async retry_workflow_instance(stage) {
    const { runId } = await started(stage)
    const ref = { tenantId: stage.tenant.tenantId, runId }
    const { state: flow } = beginRun({ steps: [{ name: 'check' }] })
    const end = { state: 'failed', because: 'step' } as const
    const failed = { ...flow, isFinished: true, ending: end, root: { ...flow.root, phase: 'failed' as const } }
    await recordRunEnd(stage.world.platform.services, { ...ref, ...end, epoch: 1, hadFailures: true, flow: failed })
    return { input: { workflowInstanceId: runId } }
  },
  signal_workflow_instance: onRun({ event: 'partsArrived', payload: { count: 3 } }),
  async list_my_tasks(stage) {
    await waiting(stage)
    return { input: {}, varying: ['waitingSince'] }
  },
}
