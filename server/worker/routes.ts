/** From committed events to workflows: which one each starts or wakes, under an id that derives from the event. */
import type { Services } from '#platform/services.ts'
import { attachmentRecognitionId } from '#platform/shapes/recognition.ts'
import { jobWorkflowId } from '#platform/shapes/jobs.ts'

import type { OutboxEvent } from './relay.ts'
import { deliverMessagingEvent } from './routes/messaging.ts'

/** Carries one event out. Throws AppError `unavailable` while Temporal is away. */
export async function deliverEvent(services: Services, outboxEvent: OutboxEvent): Promise<void> {
  const { tenantId, event } = outboxEvent
  switch (event.type) {
    case 'attachmentSaved': {
      const { analysisId, runNo } = event
      await services.temporal.start({
        workflow: 'attachmentRecognition',
        workflowId: attachmentRecognitionId(tenantId, outboxEvent.outboxId),
        args: [{ tenantId, analysisId, runNo }],
        tenantId,
      })
      return
    }
    case 'jobQueued': {
      const attempt = { tenantId, jobId: event.jobId, attempt: event.attempt }
      await services.temporal.start({ workflow: 'job', workflowId: jobWorkflowId(attempt), args: [attempt], tenantId, priority: 5 })
      return
    }
    case 'messageQueued':
    case 'messageReceived':
    case 'conversationEnded':
      await deliverMessagingEvent(services, outboxEvent)
  }
}
