import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { mustExist } from '#platform/errors.ts'
import { retryRun } from './acting.ts'
import { lockRun } from './runs.store.ts'
import { findFlowVersion } from './versions.ts'
import { exampleInstance, workflowInstance, workflowInstanceId } from './runs.schema.ts'
import { showRun } from './shown.ts'
import { mustSeeRun } from './sight.ts'

export const retryWorkflowInstance = defineOperation({
  ...writes(workflowInstance),
  errors: ['not_found'],
  name: 'retry_workflow_instance',
  title: 'Retry the failed step of a run',
  description: 'A failed run goes on from the step that failed, by the version that it began with. Nothing failed: 409.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/retry',
  roles: 'DataEdit',
  input: z.object({ workflowInstanceId }),
  examples: [
    {
      title: 'Once the record is mended',
      input: { workflowInstanceId: 77 },
      output: { ...exampleInstance, state: 'running', currentSteps: [] },
    },
  ],
  async handler(context, input) {
    const run = await mustSeeRun(context, input.workflowInstanceId, lockRun)
    const version = mustExist(await findFlowVersion(context, run.workflowId, run.version), 'version')
    await retryRun(context, run, version)
    return showRun(context, await mustSeeRun(context, input.workflowInstanceId))
  },
})
