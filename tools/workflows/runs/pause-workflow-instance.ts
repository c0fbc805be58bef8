import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { pauseRun } from './acting.ts'
import { lockRun } from './runs.store.ts'
import { exampleInstance, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'

export const pauseWorkflowInstance = defineOperation({
  ...writes(workflowInstance),
  errors: ['not_found'],
  name: 'pause_workflow_instance',
  title: 'Pause a run of a workflow',
  description:
    'Holds a run before its next step; timers that end meanwhile wait. resume_workflow_instance lets it go on. Paused already or ended: 409.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/pause',
  roles: 'DataEdit',
  input: z.object({ workflowInstanceId }),
  examples: [{ title: 'Hold it', input: { workflowInstanceId: 77 }, output: { ...exampleInstance, state: 'paused' } }],
  async handler(context, input) {
    const run = await mustSeeRun(context, input.workflowInstanceId, lockRun)
    await pauseRun(context, run)
    return showRun(context, await mustSeeRun(context, input.workflowInstanceId))
  },
})
