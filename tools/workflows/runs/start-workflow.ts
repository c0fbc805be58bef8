import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'

import { openDraft } from '../definition/drafts.ts'
import { workflowSlot } from '../workflows.schema.ts'
import { readInput, recordOf } from './begun-with.ts'
import { workflowState } from './runs.schema.ts'
import type { FlowVersion } from './runs.types.ts'
import { startRun } from './starting.ts'
import { findFlowVersion } from './versions.ts'

async function versionOf(context: TxContext, slot: string | number): Promise<FlowVersion> {
  const { state } = await openDraft(context, slot)
  if (state.version === null)
    throw new AppError('conflict', 'The workflow was never published, so it cannot be started. Call publish_workflow first.')
  return mustExist(await findFlowVersion(context, state.workflowId, state.version), 'version')
}

export const startWorkflow = defineOperation({
  ...writes(
    z.object({
      workflowInstanceId: z.int(),
      state: workflowState.describe('running; queued over its rate, behind another, or while its engine is away'),
    }),
  ),
  errors: ['not_found', 'unprocessable', 'unknown_entity'],
  name: 'start_workflow',
  title: 'Start a run of a workflow',
  description:
    'Starts the published version, about a record where the workflow has an entity. get_workflow shows its inputs. Then get_workflow_instance tells how it goes.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/start',
  roles: 'DataEdit',
  input: z.object({
    workflow: workflowSlot,
    eiRecordId: z.int().min(1).optional().describe('The record; or its key'),
    entity: z
      .union([z.string().max(200), z.int()])
      .optional()
      .describe("Unless told the workflow's"),
    key1: z.string().max(10_000).optional(),
    key2: z.string().max(10_000).optional(),
    key3: z.string().max(10_000).optional(),
    input: z.record(z.string().max(64), z.unknown()).optional().describe('As get_workflow shows it'),
  }),
  examples: [
    {
      title: 'About an inspection',
      input: { workflow: 'InspectionReview', eiRecordId: 20_481 },
      output: { workflowInstanceId: 77, state: 'running' },
    },
  ],
  async handler(context, { workflow, input = {}, eiRecordId, entity, ...keys }) {
    const version = await versionOf(context, workflow)
    const record = await recordOf(context, version, { eiRecordId, entity, ...keys })
    const { tenantUserId } = context.actor
    const about = record ?? {}
    const started = await startRun(context, {
      version,
      ...about,
      input: readInput(version, input),
      startedBy: tenantUserId,
      lane: 'people',
    })
    if (!started) throw new AppError('conflict', 'A run about this record is under way, and the workflow skips others meanwhile.')
    const { runId: workflowInstanceId, state } = started
    context.audit({ workflowInstanceId })
    return { workflowInstanceId, state }
  },
})
