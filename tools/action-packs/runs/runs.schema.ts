/** Action runs on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { anyJson, workflowLogLine } from '#tools/workflows/runs/runs.schema.ts'
import { actionStates } from '#tools/workflows/runs/actions.types.ts'

export const actionRunId = z.int().min(1).describe('From fire_action_pack_install or list_action_runs')
export const actionState = z.enum(actionStates)

/** As a list has it. */
export const listedActionRun = z.object({
  actionRunId: z.int(),
  installId: z.int(),
  actionPack: z.string(),
  version: z.string(),
  trigger: z.object({ triggerType: z.string(), payload: anyJson.optional() }),
  state: actionState,
  entityId: z.int().optional(),
  eiRecordId: z.int().optional(),
  startedBy: z.int().nullable().describe('tenantUserId; null: by itself'),
  startedDate: z.iso.datetime(),
  finishedDate: z.iso.datetime().optional(),
  output: anyJson.optional(),
  causedBy: z.object({ kind: z.string(), id: z.int().optional() }).optional().describe('The run or job that led here'),
  withheld: z.array(z.string()).optional().describe('Masked: you do not see all that went into it'),
  error: z.object({ code: z.string(), message: z.string(), step: z.string().optional() }).optional(),
})

export const actionRun = listedActionRun.extend({
  steps: z.array(workflowLogLine).describe('Its log, the oldest first'),
  hasMoreSteps: z.boolean().optional().describe('get_workflow_instance_log shows the rest'),
})

component('ActionRun', actionRun)

export const exampleListedRun: z.output<typeof listedActionRun> = {
  actionRunId: 91,
  installId: 10_400,
  actionPack: 'tellOfDefects',
  version: '1.0.0',
  trigger: { triggerType: 'manual', payload: { by: 7, input: {} } },
  state: 'succeeded',
  startedBy: 7,
  startedDate: '2026-03-01T08:30:00.000Z',
  finishedDate: '2026-03-01T08:30:01.200Z',
}

export const exampleRun: z.output<typeof actionRun> = {
  ...exampleListedRun,
  steps: [
    { seq: 1, at: '2026-03-01T08:30:00.000Z', event: 'started', by: 7 },
    { seq: 2, at: '2026-03-01T08:30:01.000Z', step: 'tell', stepType: 'notify', event: 'done', attempt: 1, durationMs: 800 },
  ],
}

const { finishedDate: _over, ...begun } = exampleRun

/** One that is not over. */
export const exampleOpenRun: z.output<typeof actionRun> = { ...begun, state: 'running' }
