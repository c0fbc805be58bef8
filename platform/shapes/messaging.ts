/** What the conversation workflow, its activities and the relay agree on. */

export interface ConversationRef {
  readonly tenantId: number
  readonly conversationId: number
}

/** Fifteen tries over about an hour and a half: a vendor that is away for an hour costs a message nothing but time. */
export const vendorTries = { firstWaitMs: 5_000, factor: 2, longestWaitMs: 600_000, atMost: 15 } as const

/** How long is waited after the try of that number, from 1. */
export function vendorWaitMs(attempt: number): number {
  return Math.min(vendorTries.firstWaitMs * vendorTries.factor ** (attempt - 1), vendorTries.longestWaitMs)
}

/** Of the workflow `conversation`: one runs at a time; after it has closed, the next event starts another. */
export function conversationWorkflowId({ tenantId, conversationId }: ConversationRef): string {
  return `conversation:${tenantId}:${conversationId}`
}

/** A message to be carried out. */
export interface QueuedDelivery {
  readonly messageId: number
  readonly seq: number
}

export interface ConversationInput extends ConversationRef {
  /** Silence after which an open conversation ends; 30 days unless told. */
  readonly idleSeconds?: number
  /** Of a run that continues another: what that one had not done yet. */
  readonly queued?: readonly QueuedDelivery[]
  readonly hasMedia?: boolean
  readonly isEnded?: boolean
}

/** The signals of the workflow by what they tell. */
export const conversationSignals = { deliver: 'deliver', received: 'received', ended: 'ended' } as const

export interface ReceivedSignal {
  readonly seq: number
  /** Files came with it that lie at the vendor until they are fetched. */
  readonly hasMedia?: boolean
}

/** `held`: quiet hours; ask again after `forMs`. */
export type DeliveryStep = { readonly kind: 'done' } | { readonly kind: 'held'; readonly forMs: number }

/** Carried by the worker of the queue for messages (`taskQueues.messages`). */
export interface MessagingActivities {
  /** Carries one message to its vendor. Fails, to be tried again, while the vendor is away or the outcome of an earlier call is not known. */
  deliverMessage(message: ConversationRef & { readonly messageId: number }): Promise<DeliveryStep>
  /** Records that the tries are over. */
  giveUpOnMessage(message: ConversationRef & { readonly messageId: number }): Promise<void>
  /** Fetches the files of inbound messages; answers whether the conversation is open. */
  fetchMedia(conversation: ConversationRef): Promise<{ readonly isOpen: boolean }>
  giveUpOnMedia(conversation: ConversationRef): Promise<void>
  /** Ends the conversation where nothing was said for this long; answers whether it is ended now. */
  endIdleConversation(conversation: ConversationRef & { readonly idleSeconds: number }): Promise<{ readonly isEnded: boolean }>
}
