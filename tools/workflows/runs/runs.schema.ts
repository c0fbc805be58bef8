/** Runs of workflows on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'

export const workflowInstanceId = z.int().min(1).describe('From start_workflow or list_workflow_instances')

export const workflowStates = ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled'] as const
export const workflowState = z.enum(workflowStates)

const plain = [z.string(), z.number(), z.boolean(), z.looseObject({}), z.null()] as const
/** Whatever JSON there is. */
export const anyJson = z.union([...plain, z.array(z.union([...plain, z.array(z.union(plain))]))])

const error = z.object({ code: z.string(), message: z.string(), step: z.string().optional() })

export const taskAssignee = z
  .object({ tenantUserId: z.int().optional(), role: z.string().optional(), tenantUserIds: z.array(z.int()).optional() })
  .describe('Nobody: it waits to be assigned')

export const currentStep = z.object({
  stepId: z.int().nullable().describe('null inside a lane or loop'),
  internalName: z.string().describe('parent.step inside a lane or loop'),
  iteration: z.array(z.int()).optional().describe('Of which element of a loop, from 0'),
  stepType: z.string(),
  state: z.enum(['pending', 'active']),
  assignee: taskAssignee.optional(),
  dueDate: z.iso.datetime().optional(),
  isOverdue: z.boolean(),
  actions: z.array(z.string()),
})

export const workflowInstance = z.object({
  workflowInstanceId: z.int(),
  workflowId: z.int(),
  internalName: z.string(),
  version: z.int(),
  state: workflowState,
  entityId: z.int().optional(),
  eiRecordId: z.int().optional(),
  currentSteps: z.array(currentStep),
  variables: z.looseObject({}),
  output: anyJson.optional(),
  withheld: z.array(z.string()).optional().describe('Masked: you do not see all that went into it'),
  startedBy: z.int().nullable().describe('tenantUserId; null: by itself'),
  startedDate: z.iso.datetime(),
  finishedDate: z.iso.datetime().optional(),
  error: error.optional(),
})

export const workflowLogLine = z.object({
  seq: z.int().min(1),
  at: z.iso.datetime(),
  step: z.string().optional(),
  stepType: z.string().optional(),
  event: z.enum([
    'started',
    'done',
    'failed',
    'retried',
    'skipped',
    'waiting',
    'acted',
    'assigned',
    'commented',
    'paused',
    'resumed',
    'signalled',
    'compensated',
    'overdue',
  ]),
  by: z.int().optional().describe('tenantUserId'),
  iteration: z.array(z.int()).optional(),
  attempt: z.int().optional(),
  input: anyJson.optional(),
  output: anyJson.optional(),
  comment: z.string().optional(),
  error: error.optional(),
  durationMs: z.int().optional(),
})

export const workflowTask = z.object({
  workflowInstanceId: z.int(),
  workflowId: z.int(),
  workflow: z.string().describe('internalName'),
  entityId: z.int().optional(),
  eiRecordId: z.int().optional(),
  step: currentStep,
  question: z.string().optional(),
  form: z.string().optional(),
  waitingSince: z.iso.datetime(),
})

export const exampleInstance: z.output<typeof workflowInstance> = {
  workflowInstanceId: 77,
  workflowId: 10_300,
  internalName: 'InspectionReview',
  version: 1,
  state: 'waiting',
  entityId: 10_060,
  eiRecordId: 20_481,
  currentSteps: [
    {
      stepId: 10_301,
      internalName: 'check',
      stepType: 'approval',
      state: 'active',
      assignee: { role: 'DataEdit' },
      isOverdue: false,
      actions: ['approve', 'reject'],
    },
  ],
  variables: {},
  startedBy: 7,
  startedDate: '2026-03-01T08:30:00.000Z',
}

export const step = z.string().min(1).max(200).optional().describe('Where several wait')
export const iteration = z.array(z.int().min(0)).max(8).optional().describe('Where several of one step wait')
export const comment = z.string().min(1).max(4_000).describe('Stands in the log')

component('WorkflowInstance', workflowInstance)
component('WorkflowLogLine', workflowLogLine)
component('WorkflowTask', workflowTask)
