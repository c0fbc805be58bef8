import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { cancelRun } from '#tools/workflows/service.ts'

import { actionRun, actionRunId, exampleOpenRun } from './runs.schema.ts'
import { showActionRun } from './shown.ts'
import { mustHoldAction, mustSeeAction } from './sight.ts'

export const cancelActionRun = defineOperation({
  ...writes(actionRun),
  errors: ['not_found'],
  name: 'cancel_action_run',
  title: 'Cancel a run of an action pack',
  description:
    'Ends a run: what waits is withdrawn, done steps are undone in reverse where they say how. The answer may still show the state before; get_action_run tells when it is cancelled. Ended: 409.',
  method: 'POST',
  path: '/api/v1/action-center/runs/{actionRunId}/cancel',
  roles: 'DataEdit',
  input: z.object({ actionRunId }),
  examples: [{ title: 'Nobody needs it', input: { actionRunId: 91 }, output: { ...exampleOpenRun, state: 'waiting' } }],
  async handler(context, input) {
    await cancelRun(context, await mustHoldAction(context, input.actionRunId))
    return showActionRun(context, await mustSeeAction(context, input.actionRunId))
  },
})
