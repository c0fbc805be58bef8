/** What the outbox carries: the facts that start or wake a workflow. Ids only; whoever acts on one reads fresh. */

/** An attachment was saved into a record, and its property asks for analysis. Subject: the analysis. */
export interface AttachmentSaved {
  readonly type: 'attachmentSaved'
  readonly analysisId: number
  /** From 1; each rerun is a workflow of its own. */
  readonly runNo: number
}

/** A job was queued, for the first time or again. Subject: the job. */
export interface JobQueued {
  readonly type: 'jobQueued'
  readonly jobId: number
  /** From 1; each retry is a workflow of its own. */
  readonly attempt: number
}

/** An outbound message was queued for a channel other than the inbox. Subject: the conversation. */
export interface MessageQueued {
  readonly type: 'messageQueued'
  readonly conversationId: number
  readonly messageId: number
  readonly seq: number
}

/** An inbound message was stored. Subject: the conversation. */
export interface MessageReceived {
  readonly type: 'messageReceived'
  readonly conversationId: number
  readonly seq: number
  /** Files came with it that lie at the vendor until they are fetched. */
  readonly hasMedia?: boolean
}

/** A conversation was ended. Subject: the conversation. */
export interface ConversationEnded {
  readonly type: 'conversationEnded'
  readonly conversationId: number
}

export type DomainEvent = AttachmentSaved | JobQueued | MessageQueued | MessageReceived | ConversationEnded

/** What events are ordered by: the relay never sends a later event of a subject before an earlier one. */
export function subjectOf(event: DomainEvent): string {
  switch (event.type) {
    case 'attachmentSaved':
      return `analysis:${event.analysisId}`
    case 'jobQueued':
      return `job:${event.jobId}`
    case 'messageQueued':
    case 'messageReceived':
    case 'conversationEnded':
      return `conversation:${event.conversationId}`
  }
}
