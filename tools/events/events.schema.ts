/** What happened, on the wire: the kinds, and what an event of each says. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { recordEventKinds, runEventKinds } from '#platform/shapes/event-kinds.ts'

const id = z.int()
const time = z.iso.datetime()

/** In every event. */
const common = { tenantId: id, by: id.nullable().describe('tenantUserId; null: the product'), at: time }

const ofRecord = {
  ...common,
  entity: z.string(),
  entityId: id,
  eiRecordId: id,
  externalKey: z.string(),
  version: id,
  changeNo: z.string().describe('The larger one is newer, compared as a number'),
  changed: z.array(z.string()).describe('Properties that hold something else than before'),
  values: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('Of this version, without sensitive ones; null: over 256 KiB, read the record'),
}

const about = { entity: z.string().optional(), entityId: id.optional(), eiRecordId: id.optional().describe('The record that it is about') }
const ofMessage = { ...common, ...about, conversationId: id, messageId: id, seq: id, channel: z.string() }

const ofRun = { ...common, ...about, workflowInstanceId: id, workflowId: id, internalName: z.string(), version: id, state: z.string() }
const ofAction = { ...common, ...about, actionRunId: id, installId: id, actionPack: z.string(), version: z.string(), state: z.string() }

/** By kind what an event says, and when it is told. */
const catalogue = {
  'record.created': ['A record is new', z.object(ofRecord)],
  'record.updated': ['A record holds something else', z.object(ofRecord)],
  'record.deleted': ['A record is gone, itself or with the one above it', z.object(ofRecord)],
  'record.restored': ['A deletion was undone', z.object(ofRecord)],
  'form.submitted': ['Somebody saved a record through a form', z.object({ ...ofRecord, form: z.string(), formId: id })],
  'asset.saved': ['A file is complete', z.object({ ...common, assetKey: z.string(), mimeType: z.string(), sizeBytes: id })],
  'asset.analyzed': [
    'A file of a record was read or classified',
    z.object({ ...common, ...about, property: z.string(), assetKey: z.string(), analysisId: id, state: z.string() }),
  ],
  'message.sent': ['A vendor took a message', z.object(ofMessage)],
  'message.delivered': ['A message arrived', z.object(ofMessage)],
  'message.failed': ['A message will not arrive', z.object({ ...ofMessage, status: z.string(), reason: z.string().nullable() })],
  'message.received': ['Somebody answered, or wrote first', z.object(ofMessage)],
  'conversation.ended': ['A conversation is over', z.object({ ...common, ...about, conversationId: id })],
  'workflow.started': ['A run of a workflow has begun', z.object(ofRun)],
  'workflow.stepCompleted': [
    'A step of a run is done, or has failed',
    z.object({ ...ofRun, step: z.string(), stepType: z.string(), state: z.enum(['done', 'failed']) }),
  ],
  'workflow.completed': ['A run is over and has not failed', z.object({ ...ofRun, state: z.enum(['completed', 'cancelled']) })],
  'workflow.failed': ['A run has failed', z.object(ofRun)],
  'action.completed': [
    'A run of an action pack is over and has not failed',
    z.object({ ...ofAction, state: z.enum(['succeeded', 'partly', 'cancelled']) }),
  ],
  'action.failed': ['A run of an action pack has failed', z.object(ofAction)],
  'job.completed': [
    'A job is over, however it ended',
    z.object({ ...common, ...about, jobId: id.nullable(), kind: z.string(), state: z.string(), done: id }),
  ],
  'user.created': ['A user is new', z.object({ ...common, tenantUserId: id })],
  'apiKey.revoked': ['A key was revoked', z.object({ ...common, apiKeyId: id })],
} as const satisfies Readonly<Record<string, readonly [string, z.ZodObject]>>

export type EventKindName = keyof typeof catalogue
// The keys are those of the literal above.
export const eventKindNames = Object.keys(catalogue) as [EventKindName, ...EventKindName[]]
export const eventKindName = z.enum(eventKindNames)

/** Whether an event of the kind says what records hold. */
export const tellsRecords = (kind: string) => (recordEventKinds as readonly string[]).includes(kind) || kind === 'form.submitted'

/** Whether an event of the kind tells of a run, which needs the right to see records. */
export const tellsRuns = (kind: string) => (runEventKinds as readonly string[]).includes(kind)

export const describeKind = (kind: EventKindName) => ({ description: catalogue[kind][0], schema: catalogue[kind][1] })

export const event = z.object({
  eventId: z.string().describe('webhook-id of its deliveries'),
  type: eventKindName,
  timestamp: time,
  data: z.looseObject({ tenantId: id }).describe('As list_event_kinds describes it'),
})
export type Event = z.output<typeof event>

export const eventKind = z.object({
  kind: eventKindName,
  description: z.string(),
  schema: z.looseObject({}).describe('JSON Schema of data'),
})

export const exampleEvent = {
  eventId: 'evt_48211_51204',
  type: 'record.updated',
  timestamp: '2026-03-01T08:30:00.000Z',
  data: {
    tenantId: 3,
    by: 12,
    at: '2026-03-01T08:30:00.000Z',
    entity: 'WorkOrder',
    entityId: 10_020,
    eiRecordId: 51204,
    externalKey: 'WO-4711',
    version: 2,
    changeNo: '281474976711703',
    changed: ['Status'],
    values: { Status: 'done', Priority: 2 },
  },
} satisfies z.input<typeof event>

component('Event', event)
component('EventKind', eventKind)
