import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { actionRun, actionRunId, exampleRun } from './runs.schema.ts'
import { showActionRun } from './shown.ts'
import { mustSeeAction } from './sight.ts'

export const getActionRun = defineOperation({
  ...reads(actionRun),
  name: 'get_action_run',
  title: 'Get a run of an action pack',
  description: 'One run: what fired it, each step with input, output and timing, and why it failed. Sensitive values are masked.',
  method: 'POST',
  path: '/api/v1/action-center/runs/{actionRunId}',
  roles: 'DataView',
  input: z.object({ actionRunId }),
  examples: [{ title: 'By id', input: { actionRunId: 91 }, output: exampleRun }],
  async handler(context, input) {
    return showActionRun(context, await mustSeeAction(context, input.actionRunId))
  },
})
