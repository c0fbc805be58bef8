/** From committed messages to the workflow of their conversation. */
import type { Services } from '#platform/services.ts'
import { conversationSignals, conversationWorkflowId, type QueuedDelivery, type ReceivedSignal } from '#platform/shapes/messaging.ts'

import type { OutboxEvent } from '../relay.ts'

/**
 * Signals the conversation's workflow, and starts it where something has to go out or to be fetched. Sending twice is harmless: the workflow
 * knows a message by its seq, and a message that went out is not queued any more. Throws AppError `unavailable` while Temporal is away.
 */
export async function deliverMessagingEvent(services: Services, { tenantId, event }: OutboxEvent): Promise<void> {
  if (event.type !== 'messageQueued' && event.type !== 'messageReceived' && event.type !== 'conversationEnded') return
  const ref = { tenantId, conversationId: event.conversationId }
  const workflowId = conversationWorkflowId(ref)
  // People wait for messages: before triggers and bulk.
  const start = { workflow: 'conversation', workflowId, args: [ref], tenantId, priority: 2 }
  switch (event.type) {
    case 'messageQueued': {
      const queued: QueuedDelivery = { messageId: event.messageId, seq: event.seq }
      return services.temporal.signalWithStart({ ...start, signal: conversationSignals.deliver, signalArgs: [queued] })
    }
    case 'messageReceived': {
      const received: ReceivedSignal = { seq: event.seq, ...(event.hasMedia ? { hasMedia: true } : {}) }
      // Without files nothing is to be done, and a workflow that does not run has nothing to be told.
      if (!event.hasMedia) return services.temporal.signal(workflowId, conversationSignals.received, [received])
      return services.temporal.signalWithStart({ ...start, signal: conversationSignals.received, signalArgs: [received] })
    }
    case 'conversationEnded':
      return services.temporal.signal(workflowId, conversationSignals.ended, [])
  }
}
