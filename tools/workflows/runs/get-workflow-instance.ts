import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { exampleInstance, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'

export const getWorkflowInstance = defineOperation({
  ...reads(workflowInstance),
  errors: ['not_found'],
  name: 'get_workflow_instance',
  title: 'Read a run of a workflow',
  description:
    'The state of a run, its steps under way with their assignees and actions, and its variables. What it did: get_workflow_instance_log.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}',
  roles: 'DataView',
  input: z.object({ workflowInstanceId }),
  examples: [{ title: 'A review that waits', input: { workflowInstanceId: 77 }, output: exampleInstance }],
  async handler(context, input) {
    return showRun(context, await mustSeeRun(context, input.workflowInstanceId))
  },
})
