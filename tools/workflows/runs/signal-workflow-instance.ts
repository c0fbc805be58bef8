import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { signalRun } from './acting.ts'
import { lockRun } from './runs.store.ts'
import { anyJson, exampleInstance, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'

export const signalWorkflowInstance = defineOperation({
  ...writes(workflowInstance),
  errors: ['not_found'],
  name: 'signal_workflow_instance',
  title: 'Send a named event to a run',
  description: 'Delivers an event to the waitForEvent step that waits for it, or keeps it until one does. Ended: 409.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/signal',
  roles: 'DataEdit',
  input: z.object({
    workflowInstanceId,
    event: z.string().min(1).max(64).describe('Its name'),
    payload: anyJson.optional().describe('Any JSON'),
  }),
  examples: [
    {
      title: 'The parts are here',
      input: { workflowInstanceId: 77, event: 'partsArrived', payload: { count: 3 } },
      output: exampleInstance,
    },
  ],
  async handler(context, input) {
    const run = await mustSeeRun(context, input.workflowInstanceId, lockRun)
    await signalRun(context, run, input.event, input.payload)
    return showRun(context, await mustSeeRun(context, input.workflowInstanceId))
  },
})
