/** What is told outside of what happens, and what each kind says beside the tenant. Ids and states: whoever needs more asks with them. */

/** Kinds whose events are changes of records, and say what these hold. */
export const recordEventKinds = ['record.created', 'record.updated', 'record.deleted', 'record.restored'] as const
export type RecordEventKind = (typeof recordEventKinds)[number]

interface MessageFacts {
  readonly conversationId: number
  readonly messageId: number
  readonly seq: number
  readonly channel: string
}

interface RunFacts {
  readonly workflowInstanceId: number
  readonly workflowId: number
  readonly internalName: string
  readonly version: number
  readonly state: string
}

interface ActionFacts {
  readonly actionRunId: number
  readonly installId: number
  readonly actionPack: string
  readonly version: string
  readonly state: string
}

/** Kinds whose events tell what becomes of runs. */
export const runEventKinds = [
  'workflow.started',
  'workflow.stepCompleted',
  'workflow.completed',
  'workflow.failed',
  'action.completed',
  'action.failed',
] as const

/** By kind what an event says. */
export interface EventFacts {
  'form.submitted': { readonly formId: number; readonly form: string }
  'asset.saved': { readonly assetKey: string; readonly mimeType: string; readonly sizeBytes: number }
  'asset.analyzed': { readonly assetKey: string; readonly analysisId: number; readonly entityPropertyId: number; readonly state: string }
  'message.sent': MessageFacts
  'message.delivered': MessageFacts
  'message.failed': MessageFacts & { readonly status: string; readonly reason: string | null }
  'message.received': MessageFacts
  'conversation.ended': { readonly conversationId: number }
  'workflow.started': RunFacts
  'workflow.stepCompleted': RunFacts & { readonly step: string; readonly stepType: string }
  'workflow.completed': RunFacts
  'workflow.failed': RunFacts
  'action.completed': ActionFacts
  'action.failed': ActionFacts
  'job.completed': { readonly jobId: number | null; readonly kind: string; readonly state: string; readonly done: number }
  'user.created': { readonly tenantUserId: number }
  'apiKey.revoked': { readonly apiKeyId: number }
}
