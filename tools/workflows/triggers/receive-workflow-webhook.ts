import { z } from 'zod'

import { defineStagedOperation, writes } from '#platform/operation.ts'

import { received, receiveWebhook } from './receiving.ts'

export const receiveWorkflowWebhook = defineStagedOperation({
  ...writes(received),
  errors: ['not_found', 'unauthenticated'],
  name: 'receive_workflow_webhook',
  title: 'Start a run by a webhook',
  description:
    "Takes what a sender outside sends to the address of a trigger webhookReceived, signed as its scheme says, and starts a run: 202 with its id. A replay answers 200 and starts nothing. With respond: result the run's result, waited for at most 10 s.",
  method: 'POST',
  path: '/api/v1/workflows/webhooks/{triggerKey}',
  roles: 'Public',
  bodyKind: 'raw',
  input: z.object({ triggerKey: z.string().min(1).max(100) }),
  examples: [
    {
      title: 'An order of a shop',
      input: { triggerKey: 'k3Jp0w8yC5sQn1ZtLr7eVd2XbGhAaUoM' },
      output: { workflowInstanceId: 77, state: 'running' },
    },
  ],
  async stagedHandler(context, input) {
    return receiveWebhook(context, input.triggerKey, 'workflow', (told) => told)
  },
})
