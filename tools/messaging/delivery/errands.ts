/** What the workflow of a conversation is told, in the order of the conversation. People wait for it, so it goes in their lane; what goes to many at once stands in nobody's way. */
import type { TxContext } from '#platform/operation.ts'
import type { Awaiting } from '../conversations/conversations.store.ts'
import { conversationSignals, conversationWorkflowId, type QueuedDelivery, type ReceivedSignal } from '#platform/shapes/messaging.ts'

const orderOf = (conversationId: number) => ({ lane: 'people', subject: `conversation:${conversationId}` }) as const

function startOf({ tenantId }: TxContext, conversationId: number) {
  const ref = { tenantId, conversationId }
  return { workflow: 'conversation', workflowId: conversationWorkflowId(ref), args: [ref] } as const
}

/** A message is to be carried to its vendor. */
export function tellQueued(
  context: TxContext,
  conversationId: number,
  queued: QueuedDelivery,
  lane: 'people' | 'bulk' = 'people',
): Promise<void> {
  return context.emit({
    kind: 'signalWithStart',
    ...orderOf(conversationId),
    lane,
    ...startOf(context, conversationId),
    signal: conversationSignals.deliver,
    signalArgs: [queued],
  })
}

/** An inbound message was stored. Without files nothing is to be done, and a workflow that does not run has nothing to be told. */
export function tellReceived(context: TxContext, conversationId: number, received: ReceivedSignal): Promise<void> {
  const start = startOf(context, conversationId)
  const told = { ...orderOf(conversationId), signal: conversationSignals.received, signalArgs: [received] } as const
  if (!received.hasMedia) return context.emit({ kind: 'signal', workflowId: start.workflowId, ...told })
  return context.emit({ kind: 'signalWithStart', ...start, ...told })
}

/** Something came in, or did not get through, and a step of a run waits for that. */
export async function tellAwaiting(context: Pick<TxContext, 'emit'>, awaitedBy: Awaiting | null): Promise<void> {
  if (awaitedBy)
    await context.emit({ kind: 'signal', lane: 'people', workflowId: awaitedBy.workflowId, signal: 'poked', signalArgs: [awaitedBy.no] })
}

/** The conversation was ended. */
export function tellEnded(context: TxContext, conversationId: number): Promise<void> {
  const { workflowId } = startOf(context, conversationId)
  return context.emit({ kind: 'signal', ...orderOf(conversationId), workflowId, signal: conversationSignals.ended, signalArgs: [] })
}
