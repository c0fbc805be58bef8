import { z } from 'zod'

import { defineStagedOperation, writes } from '#platform/operation.ts'
import { anyJson } from '#tools/workflows/runs/runs.schema.ts'
import { receiveWebhook } from '#tools/workflows/service.ts'

import { actionState } from './runs.schema.ts'

export const receiveActionWebhook = defineStagedOperation({
  ...writes(
    z.object({
      actionRunId: z.int().nullable().describe('null: the filter of the trigger, or a run under way, left it out'),
      state: actionState.nullable(),
      result: anyJson.optional().describe('Where the trigger responds with it'),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
    }),
  ),
  errors: ['not_found', 'unauthenticated'],
  name: 'receive_action_webhook',
  title: 'Start a run of a pack by a webhook',
  description:
    "Takes what a sender outside sends to the address of an install's trigger webhookReceived, signed as its scheme says, and starts a run: 202 with its id. A replay answers 200 and starts nothing.",
  method: 'POST',
  path: '/api/v1/action-packs/webhooks/{triggerKey}',
  roles: 'Public',
  bodyKind: 'raw',
  input: z.object({ triggerKey: z.string().min(1).max(100) }),
  examples: [
    {
      title: 'An order of a shop',
      input: { triggerKey: 'k3Jp0w8yC5sQn1ZtLr7eVd2XbGhAaUoM' },
      output: { actionRunId: 91, state: 'running' },
    },
  ],
  async stagedHandler(context, input) {
    return receiveWebhook(context, input.triggerKey, 'actionPack', ({ workflowInstanceId, state, ...told }, hadFailures) => ({
      actionRunId: workflowInstanceId,
      state: state === 'completed' ? (hadFailures ? ('partly' as const) : ('succeeded' as const)) : state,
      ...told,
    }))
  },
})
