import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { findFlowVersion, retryRun } from '#tools/workflows/service.ts'

import { actionRun, actionRunId, exampleOpenRun } from './runs.schema.ts'
import { showActionRun } from './shown.ts'
import { mustHoldAction, mustSeeAction } from './sight.ts'

export const retryActionRun = defineOperation({
  ...writes(actionRun),
  errors: ['not_found'],
  name: 'retry_action_run',
  title: 'Retry a failed run of an action pack',
  description: 'A failed run goes on from the step that failed, by the version and settings that it began with. Nothing failed: 409.',
  method: 'POST',
  path: '/api/v1/action-center/runs/{actionRunId}/retry',
  roles: 'DataEdit',
  input: z.object({ actionRunId }),
  examples: [{ title: 'The vendor is back', input: { actionRunId: 91 }, output: exampleOpenRun }],
  async handler(context, input) {
    const run = await mustHoldAction(context, input.actionRunId)
    await retryRun(context, run, mustExist(await findFlowVersion(context, run.workflowId, run.version), 'version'))
    return showActionRun(context, await mustSeeAction(context, input.actionRunId))
  },
})
